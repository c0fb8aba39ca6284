/* See kernel/kept.h. */
#include "kernel/kept.h"

#include <stddef.h>

void kernel_kept_open(struct kernel_kept *kept)
{
    *kept = (struct kernel_kept){.part = {{NULL, NULL}}};
    pthread_mutex_init(&kept->lock, NULL);
}

void *kernel_kept_get(struct kernel_kept *kept, enum kernel_kept_part part,
                      void *(*make)(void *context), void *context, void (*release)(void *data))
{
    void *data;
    pthread_mutex_lock(&kept->lock);
    if (!kept->part[part].data) {
        kept->part[part].data = make(context);
        kept->part[part].release = release;
    }
    data = kept->part[part].data;
    pthread_mutex_unlock(&kept->lock);
    return data;
}

void kernel_kept_close(struct kernel_kept *kept)
{
    for (int i = 0; i < KEPT_PARTS; i++)
        if (kept->part[i].data)
            kept->part[i].release(kept->part[i].data);
    pthread_mutex_destroy(&kept->lock);
}
