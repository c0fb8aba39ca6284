/* Where the pictures of a batch stand while a device of CUDA filters them: in memory that it copies
 * from and to by itself, where there is some, so that a thread neither waits for a copy through the
 * driver's own buffers nor for other threads' copies. */
#ifndef STENCIL_RUN_HOST_MEMORY_H
#define STENCIL_RUN_HOST_MEMORY_H

#include "codec/codec.h"

/* For a picture of INFO's shape. DEVICE_INDEX: the device of CUDA; -1: any memory will do. As
 * image_alloc otherwise. */
bool picture_memory_alloc(struct image *image, const struct image_info *info, int device_index,
                          const char *name, struct error *err);

/* Decodes all of SOURCE into such memory; into any where there is none. */
bool picture_memory_read(struct image *image, struct source *source, int device_index,
                         const char *name, struct error *err);

/* For both, and for images of image_alloc; harmless on a zeroed one. */
void picture_memory_free(struct image *image);

#endif
