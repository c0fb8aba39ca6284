/* The host side of the 2D kernels: how a band of a picture that stands on the device becomes
 * planes, sums and pixels again (cuda/planes.c; for kernels on whole pixels
 * cuda/pixel_kernels.c), and who brings pictures there: cuda/run.c whole ones,
 * cuda/bands.c bands that overlap with decoding and encoding, cuda/measure.c those that
 * are timed. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_PLANES_H
#define STENCIL_CUDA_PLANES_H

#include "cuda/device.h"
#include "kernel/backend.h"
#include "kernel/band_device.h"
#include "kernels/image_job.h"

/* The device's buffers as the planes use them. */
enum planes_buffer {
    BUFFER_IN,       /* input pixels */
    BUFFER_OUT,      /* output pixels; swapped with IN between passes, so of one size */
    BUFFER_PLANE,    /* one channel of the input */
    BUFFER_SUM,      /* its sums (gx of a gradient) */
    BUFFER_SUM2,     /* gy of a gradient */
    BUFFER_COVERAGE, /* weighted alpha: sums of w*a */
    BUFFER_LOW,      /* weighted alpha: sums of w*c*a, or of the low halves of c*a */
    BUFFER_MASK,     /* the weights, for kernels that read them from global memory */
    BUFFER_HIGH,     /* weighted alpha past 62 bits: sums of the high halves */
};

typedef cudaError_t planes_launch(const struct plane_job *job, cudaStream_t stream);
typedef cudaError_t planes_image_launch(const struct image_job *job, int form, cudaStream_t stream);

/* Packs a plan's weights for pixels that stand on the device with `pad` bytes (below) before them;
 * with `out` NULL only says how many bytes that takes. *shared: bytes of a block's shared memory.
 * 0: the kernel cannot run the plan, *why. */
typedef size_t planes_image_pack(const struct plan *plan, void *out, size_t *shared,
                                 const char **why);

/* How the weights are stored, for the launch: see the forms below. */
typedef int planes_image_form(const struct plan *plan);

/* A kernel: it convolves one plane, or whole pixels. */
struct planes_method {
    const char *name;
    planes_launch *plane;       /* one of the two */
    planes_image_launch *image; /* linear; weighted alpha or not, as its pack says */
    planes_image_pack *pack;    /* with `image` */
    planes_image_form *form;    /* with `image`, as are all up to `unit` */
    int since;                  /* the first compute capability that has its unit, major number */
    const char *unit;           /* "int8 matrix product" */
    bool constant;              /* `plane` keeps its weights in constant memory */
    bool aligns;                /* `image` wants its windows to begin on 16 bytes: see planes.pad */
};

#define WEIGHT_PRODUCT 2

/* One run of one plane kernel in one lane of a device. */
struct planes {
    const struct kernel_job *job;
    struct cuda_device *device;
    const struct planes_method *method;
    enum plane_type type, product_type; /* of plain sums, of products with alpha */
    int split_bits;                     /* products come in two halves of so many bits; 0: whole */
    /* The masks in `type`, and mask 0 in product_type; the same in BUFFER_MASK. The device's. */
    const void *weight[3], *device_weight[3];
    size_t image_pitch, plane_pitch, product_pitch;
    /* Bytes before the first pixel in the rows of BUFFER_IN and BUFFER_OUT. They align the first
     * cell under the mask of every 16 output bytes to 16 bytes too. */
    int pad[2];
};

/* The band that stands on the device: from input rows [in_first, in_first + in_rows) of the
 * picture, output rows [out_first, out_first + out_rows) are made. */
struct planes_band {
    int in_first, in_rows, out_first, out_rows;
};

/* Chooses the number types, converts the weights and sends them to the device; job, device and
 * method are set. */
bool planes_init(struct planes *planes, struct error *err);

/* Which number type holds the plan's plain sums. */
enum plane_type planes_type(const struct plan *plan);

/* The output tile width when --tile gives none. */
int planes_tile(const struct kernel_job *job);

/* How KERNEL's tiles lie for this job, with the shared memory that the device allows. */
void planes_shape(const struct kernel_job *job,
                  struct plane_shape (*shape_of)(const struct plane_job *job),
                  struct kernel_shape *shape);

/* At least so many bytes in each buffer but the mask's. Where the device has no room, buffers of
 * earlier pictures are freed first. */
cudaError_t planes_reserve(const struct planes *planes, const size_t bytes[CUDA_BUFFERS]);

/* Bytes of each device buffer for `rows` output rows out of `in_rows` input rows. */
void planes_buffer_bytes(const struct planes *planes, size_t in_rows, size_t rows,
                         size_t bytes[CUDA_BUFFERS]);

/* The value of a ghost cell of one channel (or of its product with alpha). */
int64_t planes_ghost(const struct plan *plan, int channel, enum plane_source source,
                     int split_bits);

/* After a pass, for the next: its output becomes the input. */
void planes_turn(struct planes *planes);

/* For methods on whole pixels (cuda/pixel_kernels.c): sends the packed weights to BUFFER_MASK;
 * makes one pass over all channels. */
bool planes_image_init(struct planes *planes, struct error *err);
cudaError_t planes_image_filter(const struct planes *planes, const struct planes_band *band);

/* The pixels of one of the device's image buffers, `rows` of them. */
struct plane_image planes_device_image(const struct planes *planes, enum planes_buffer buffer,
                                       int rows);

/* The two steps to the sums of one channel (or of its products with alpha): from BUFFER_IN to
 * BUFFER_PLANE, and from the plane that was PREPARED there to its sums under mask k in SUMS. */
struct plane_prepare_job planes_prepare_job(const struct planes *planes,
                                            const struct planes_band *band, int channel,
                                            enum plane_source source);
struct plane_job planes_sum_job(const struct planes *planes, const struct planes_band *band,
                                const struct plane_prepare_job *prepared, int k,
                                enum planes_buffer sums);

/* One pass over the band: BUFFER_IN to BUFFER_OUT. Only launches. */
cudaError_t planes_filter_band(const struct planes *planes, const struct planes_band *band);

/* ---- kernels on whole pixels (cuda/pixel_kernels.c) ---- */

/* Can METHOD run the plan on all devices? */
bool cuda_image_supports(const struct planes_method *method, const struct plan *plan, char *why,
                         size_t why_bytes);

/* Is the kernel faster with this plan than the others? */
bool cuda_image_pays_certified(const struct plan *plan);
bool cuda_image_pays_separable(const struct plan *plan);

planes_image_pack cuda_image_pack_dp4a, cuda_image_pack_weighted, cuda_image_pack_int8,
    cuda_image_pack_banded, cuda_image_pack_certified, cuda_image_pack_separable;

/* The forms of weights: how many int8 planes or planes of bytes they take, or how many bytes their
 * factors take. */
planes_image_form cuda_image_planes, cuda_image_form_weighted, cuda_image_form_certified,
    cuda_image_form_separable;

/* ---- whole pictures (cuda/run.c) ---- */

/* All passes of job->plan with METHOD on job->device_index, whatever the picture's size. */
bool cuda_run(const struct kernel_job *job, const struct planes_method *method, struct error *err);

/* ---- bands (cuda/bands.c) ---- */

/* The open() of a kernel's band_device, for the kernel that METHOD is, and the rest of it. */
void *cuda_bands_open(const struct band_job *job, const struct planes_method *method,
                      struct error *err);
bool cuda_bands_submit(void *state, int band, struct error *err);
bool cuda_bands_wait_uploaded(void *state, int band, struct error *err);
bool cuda_bands_wait_downloaded(void *state, int band, struct error *err);
void cuda_bands_close(void *state, struct kernel_times *times);

#define CUDA_BANDS                                                                                 \
    .submit = cuda_bands_submit, .wait_uploaded = cuda_bands_wait_uploaded,                        \
    .wait_downloaded = cuda_bands_wait_downloaded, .close = cuda_bands_close

/* ---- times (cuda/measure.c) ---- */

/* The time() of the kernel table's rows, for the kernel that METHOD is. */
bool cuda_time(const struct kernel_job *job, const struct planes_method *method,
               struct kernel_trial *trial, struct error *err);

/* backend_cuda's probe. */
bool cuda_probe(int index, int threads, struct device_probe *probe, struct error *err);

#endif
