/* The host side of the 2D kernels. cuda/planes.c filters a band of a picture on the device by
 * planes; cuda/pixel_kernels.c does so with kernels on whole pixels. Three files bring pictures to
 * the device: cuda/run.c whole pictures, cuda/bands.c bands that overlap with decoding and
 * encoding, cuda/measure.c pictures that are timed. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_PLANES_H
#define STENCIL_CUDA_PLANES_H

#include "cuda/device.h"
#include "kernel/backend.h"
#include "kernel/band_device.h"
#include "kernels/image_job.h"

/* A plan's weights, packed for a kernel on whole pixels. */
struct planes_packed {
    size_t bytes;
    size_t shared; /* bytes of a block's shared memory */
    int form;      /* for the launch: the number of planes of bytes, or the kind of factors */
    bool halves;   /* it needs exact sums of halves: see cuda_halves_are_exact */
    /* Set before: bytes of a window before the mask's first cell (banded_pad); 0 is fastest. */
    int pad;
};

/* Packs the weights of a plan's first step to OUT; if OUT is NULL, only fills PACKED. Returns the
 * reason why the kernel cannot run the step, or NULL. */
typedef const char *planes_image_pack(const struct plan *plan, void *out,
                                      struct planes_packed *packed);

typedef cudaError_t planes_launch(const struct plane_job *job, cudaStream_t stream);
typedef cudaError_t planes_image_launch(const struct image_job *job, int form, cudaStream_t stream);

/* How a row of the kernel table is launched: on one plane, or on whole pixels. */
struct planes_method {
    planes_launch *plane;       /* either `plane` or `image` is set */
    planes_image_launch *image; /* linear plans; `pack` decides about weighted alpha */
    planes_image_pack *pack;    /* with `image` */
    int since;                  /* with `image`: the first compute capability, major number */
    bool constant;              /* `plane` keeps its weights in constant memory */
};

/* One run of one kernel in one lane of a device. */
struct planes {
    const struct kernel_job *job;
    struct cuda_device *device;
    const struct planes_method *method;
    enum plane_type type, product_type; /* of plain sums, of products with alpha */
    int split_bits; /* bits of the low half of a product; 0: products are whole */
    char *weights;  /* contents of BUFFER_MASK: packed, or in `type` and product_type */
    size_t weight_bytes;
    /* Offsets of masks in BUFFER_MASK: of mask 0, of mask 1, and of mask 0 in product_type. Methods
     * on whole pixels have a mask for each step instead. */
    size_t weight_at[3];
    struct planes_packed packed; /* for methods on whole pixels */
    size_t image_pitch, plane_pitch, product_pitch;
    size_t at[CUDA_BUFFERS]; /* where this run's part of a buffer begins; 0: no parts */
    bool turned;             /* BUFFER_IN and BUFFER_OUT have changed places */
    /* Pictures on the device that are read or written where they lie, in place of BUFFER_IN or
     * BUFFER_OUT; else NULL. Set before planes_init. */
    const struct image *lying_in, *lying_out;
    /* Bytes before the first pixel in each row of input and output. For every 16 output bytes they
     * align the first input cell under the mask to 16 bytes, too. */
    int pad[2];
};

/* The band on the device: input rows [in_first, in_first + in_rows) of the picture give output rows
 * [out_first, out_first + out_rows). */
struct planes_band {
    int in_first, in_rows, out_first, out_rows;
};

/* Sets lying_in and lying_out for a job with on_device of one pass: pictures whose address, pitch
 * and row bytes are multiples of 16. */
void planes_choose_lying(struct planes *planes);

/* Chooses the number types and converts the weights; job, device and method must be set. Call
 * planes_free also after a failure, when the device has finished. */
bool planes_pack(struct planes *planes, struct error *err);

/* Sends the weights to the device, which keeps other weights in BUFFER_MASK if there is room. */
cudaError_t planes_send(const struct planes *planes);

/* Both. */
bool planes_init(struct planes *planes, struct error *err);
void planes_free(struct planes *planes);

static inline void *planes_buffer(const struct planes *planes, enum cuda_buffer buffer)
{
    return (char *)planes->device->buffer[buffer] + planes->at[buffer];
}

/* The output tile width when --tile gives none. */
int planes_tile(const struct kernel_job *job);

/* Bytes of each device buffer but the mask's for `rows` output rows out of `in_rows` input rows. */
void planes_buffer_bytes(const struct planes *planes, size_t in_rows, size_t rows,
                         size_t bytes[CUDA_BUFFERS]);

/* The value of a ghost cell of one channel (or of its product with alpha). */
int64_t planes_ghost(const struct plan *plan, int channel, enum plane_source source,
                     int split_bits);

/* Makes the output of a pass the input of the next pass. */
void planes_turn(struct planes *planes);

/* ROWS rows of pixels in BUFFER_IN, BUFFER_OUT or BUFFER_STEP. */
struct plane_image planes_device_image(const struct planes *planes, enum cuda_buffer buffer,
                                       int rows);

/* The two steps to the sums of one channel (or of its products with alpha): first from BUFFER_IN to
 * BUFFER_PLANE, then from this PREPARED plane to its sums under mask k in buffer SUMS. */
struct plane_prepare_job planes_prepare_job(const struct planes *planes,
                                            const struct planes_band *band, int channel,
                                            enum plane_source source);
struct plane_job planes_sum_job(const struct planes *planes, const struct planes_band *band,
                                const struct plane_prepare_job *prepared, int k,
                                enum cuda_buffer sums);

/* One pass over the band, from BUFFER_IN to BUFFER_OUT; only launches. planes_image_filter is for
 * methods on whole pixels and filters all channels. */
cudaError_t planes_filter_band(const struct planes *planes, const struct planes_band *band);
cudaError_t planes_image_filter(const struct planes *planes, const struct planes_band *band);

/* ---- used by the kernel table ---- */

/* Kernels on whole pixels (cuda/pixel_kernels.c): can the kernel run the plan on all devices, is it
 * faster than other kernels for this plan, and how are its weights packed? */
bool cuda_image_supports(const struct kernel *kernel, const struct plan *plan, char *why,
                         size_t why_bytes);
bool cuda_certified_pays(const struct plan *plan);
bool cuda_separable_pays(const struct plan *plan);
planes_image_pack cuda_image_pack_dp4a, cuda_image_pack_weighted, cuda_image_pack_int8,
    cuda_image_pack_banded, cuda_image_pack_certified, cuda_image_pack_separable,
    cuda_image_pack_bisect, cuda_image_pack_network, cuda_image_pack_extremes,
    cuda_image_pack_bilateral;

/* Whether device INDEX adds products of halves exactly. For a device of an unknown capability the
 * first call starts it and runs a probe. cuda_note fills NOTE if a probe has failed
 * (cuda/halves.c). */
bool cuda_halves_are_exact(int index);
void cuda_note(char *note, size_t bytes);

/* The tiles of the kernel "tiled", with the shared memory that the device allows
 * (cuda/planes.c). */
void cuda_tiled_shape(const struct kernel_job *job, struct kernel_shape *shape);

/* All passes of job->plan on job->device_index, whatever the picture's size (cuda/run.c). */
bool cuda_run(const struct kernel *kernel, const struct kernel_job *job, struct error *err);

extern const struct band_device cuda_bands; /* cuda/bands.c */

/* The textbook's 1D kernels (cuda/signal.c). */
bool cuda_signal_basic(const struct signal_job *job, struct error *err);
bool cuda_signal_constant(const struct signal_job *job, struct error *err);
bool cuda_signal_cached(const struct signal_job *job, struct error *err);
bool cuda_signal_tiled(const struct signal_job *job, struct error *err);
void cuda_signal_cached_shape(const struct signal_job *job, struct kernel_shape *shape);
void cuda_signal_tiled_shape(const struct signal_job *job, struct kernel_shape *shape);

/* cuda/measure.c; cuda_probe is the probe of backend_cuda */
bool cuda_time(const struct kernel *kernel, const struct kernel_job *job,
               struct kernel_trial *trial, struct error *err);
bool cuda_probe(int index, int threads, struct device_probe *probe, struct error *err);

#endif
