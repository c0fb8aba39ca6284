/* See kernel_kept.h. */
#include "kernel_kept.h"

#include <stddef.h>

void kernel_kept_open(struct kernel_kept *kept)
{
    *kept = (struct kernel_kept){.data = NULL};
    pthread_mutex_init(&kept->lock, NULL);
}

void *kernel_kept_get(struct kernel_kept *kept, void *(*make)(void *context), void *context,
                      void (*release)(void *data))
{
    void *data;
    pthread_mutex_lock(&kept->lock);
    if (!kept->data) {
        kept->data = make(context);
        kept->release = release;
    }
    data = kept->data;
    pthread_mutex_unlock(&kept->lock);
    return data;
}

void kernel_kept_close(struct kernel_kept *kept)
{
    if (kept->data)
        kept->release(kept->data);
    pthread_mutex_destroy(&kept->lock);
}
