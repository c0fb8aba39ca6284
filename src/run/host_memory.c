/* Memory for a batch's pictures: see run/host_memory.h. */
#include "run/host_memory.h"

#include <string.h>

#include "kernel/backend.h"

/* False, without an error, where there is no such memory. */
static bool take(struct image *image, const struct image_info *info, int device_index,
                 const char *name)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);
    struct error ignored;
    size_t bytes;

    if (device_index < 0 || !cuda->host_take ||
        !image_measure(image, info->width, info->height, info->channels, info->type, name, &bytes,
                       &ignored))
        return false;
    image->data = cuda->host_take(device_index, bytes);
    return image->data != NULL;
}

bool picture_memory_alloc(struct image *image, const struct image_info *info, int device_index,
                          const char *name, struct error *err)
{
    return take(image, info, device_index, name) ||
           image_alloc(image, info->width, info->height, info->channels, info->type, name, err);
}

bool picture_memory_read(struct image *image, struct source *source, int device_index,
                         const char *name, struct error *err)
{
    if (!take(image, source_info(source), device_index, name))
        return source_read_all(source, image, err);
    if (source_read(source, image, err))
        return true;
    picture_memory_free(image);
    return false;
}

void picture_memory_free(struct image *image)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);

    if (image->data && cuda->host_give && cuda->host_give(image->data))
        memset(image, 0, sizeof *image);
    else
        image_free(image);
}
