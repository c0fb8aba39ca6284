/* libvips for comparison, for scripts/bench_peers, which compiles this file.
 *
 *     peer IN OUT MASK    convolves in whole numbers; OUT may have options: out.jpg[Q=90]
 *     peer                prints the version
 *
 * The newest release comes as a library alone, without headers: the prototypes are its own. */
#include <stdio.h>

typedef struct VipsImage VipsImage;
int vips_init(const char *program);
const char *vips_version_string(void);
const char *vips_error_buffer(void);
VipsImage *vips_image_new_from_file(const char *name, ...);
int vips_image_write_to_file(VipsImage *image, const char *name, ...);
int vips_conv(VipsImage *in, VipsImage **out, VipsImage *mask, ...);

enum { ACCESS_SEQUENTIAL = 1, PRECISION_INTEGER = 0 };

int main(int argc, char **argv)
{
    if (argc == 1)
        return puts(vips_version_string()) < 0;
    if (argc != 4 || vips_init(argv[0]))
        return 2;
    VipsImage *in = vips_image_new_from_file(argv[1], "access", ACCESS_SEQUENTIAL, NULL);
    VipsImage *mask = vips_image_new_from_file(argv[3], NULL);
    VipsImage *out = NULL;
    if (!in || !mask || vips_conv(in, &out, mask, "precision", PRECISION_INTEGER, NULL) ||
        vips_image_write_to_file(out, argv[2], NULL)) {
        fprintf(stderr, "%s", vips_error_buffer());
        return 1;
    }
    return 0;
}
