/* What `stencilcli try` understands of a student's file: roles, constants, shapes, comments; and
 * the C++ that it makes of the file. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"
#include "try/file.h"

static const struct try_shape none;

/* Reads TEXT as a file. */
static bool read_text(struct try_file *file, const char *text, struct error *err)
{
    char path[] = "/tmp/stencilcli-test-XXXXXX";
    const int fd = mkstemp(path);
    const size_t length = strlen(text);
    bool good = fd >= 0 && write(fd, text, length) == (ssize_t)length;

    CHECK(good);
    close(fd);
    good = try_file_read(file, path, &none, err);
    unlink(path);
    return good;
}

static const struct try_file *good_file(const char *text)
{
    static struct try_file file;
    struct error err = {0};

    try_file_free(&file);
    CHECKF(read_text(&file, text, &err), "%s", err.text);
    return &file;
}

static void refused(const char *text, const char *why)
{
    struct try_file file;
    struct error err = {0};

    CHECK(!read_text(&file, text, &err));
    CHECKF(strstr(err.text, why), "'%s' in '%s'", why, err.text);
}

#define BODY "{ P[0] = N[0] * M[0]; }\n"

static void roles(void)
{
    const struct try_file *file =
        good_file("__global__ void k(const float *__restrict__ d_N, float *output, int height,\n"
                  "  int Width, const float* mask, int Mask_Width) " BODY);

    CHECK(strcmp(file->kernel.name, "k") == 0 && file->dims == 2 && file->kernel.parameters == 6);
    CHECK(file->kernel.parameter[0].role == ROLE_N && file->kernel.parameter[1].role == ROLE_P);
    CHECK(file->kernel.parameter[4].role == ROLE_M && file->kernel.parameter[3].role == ROLE_WIDTH);
    CHECK(file->type[ROLE_N] == TYPE_F32 && !file->has[ROLE_PITCH]);
    CHECK(file->block[0] == 16 && file->block[1] == 16 && file->tile[0] == 16);
    file =
        good_file("__global__ void k(unsigned char *in, long long *out, int *M, int k, int n) {}");
    CHECK(file->dims == 1 && file->block[0] == 256 && file->type[ROLE_N] == TYPE_U8);
    CHECK(file->type[ROLE_P] == TYPE_I64 && file->type[ROLE_M] == TYPE_I32);
}

static void shapes(void)
{
    const struct try_file *file = good_file(
        "#define O_TILE_WIDTH 12\n#define MAX_MASK_WIDTH 5 /* most */\n"
        "#define BLOCK_WIDTH (O_TILE_WIDTH + MAX_MASK_WIDTH - 1) // threads\n"
        "__constant__ float M[MAX_MASK_WIDTH][MAX_MASK_WIDTH];\n"
        "__global__ void k(float *N, float *P, int h, int w, int pitch, int Mask_Width) " BODY);

    CHECK(file->tile[0] == 12 && file->block[0] == 16 && file->most_mask == 5);
    CHECK(file->mask_row == 5 && strcmp(file->mask_constant, "M") == 0);
    CHECK(try_file_constant(file, "BLOCK_WIDTH") == 16 && try_file_constant(file, "X") == -1);
    file = good_file("// stencil: block=32x8 tile=28x4 mask=5 border=wrap N=x2\n"
                     "const int R = 2;\n"
                     "__global__ void k(float *x2, float *P, float *M, int h, int w) " BODY);
    CHECK(file->block[1] == 8 && file->tile[0] == 28 && file->only_mask == 5);
    CHECK(file->border == TRY_WRAP && file->kernel.parameter[0].role == ROLE_N);
}

static void kernels(void)
{
    const struct try_file *file =
        good_file("__global__ void a(float *N, float *P, float *M, int k, int n) {}\n"
                  "template <int T> __global__ void __launch_bounds__(256)\n"
                  "b(float *N, float *P, float *M, int k, int w, int h);\n"
                  "// __global__ void c(int *q) {}\n"
                  "/* __global__ void d(int *q) {} */\n");
    CHECK(strcmp(file->kernel.name, "a") == 0);
    file = good_file("// stencil: kernel=a\n"
                     "__global__ void a(float *N, float *P, float *M, int k, int n) {}\n"
                     "__global__ void b(float *N, float *P, float *M, int k, int n) {}\n");
    CHECK(strcmp(file->kernel.name, "a") == 0);
}

static void refusals(void)
{
    refused("int main() { return 0; }", "no kernel");
    refused("__global__ void k(float *N, float *P, float *M, int strange) {}", "strange");
    refused("__global__ void k(float *N, float *P, int n) {}", "no mask");
    refused("// stencil: border=odd\n__global__ void k(float *N, float *P, float *M, int n) {}",
            "border");
    refused("#define MASK_WIDTH 33\n"
            "__global__ void k(float *N, float *P, float *M, int h, int w) {}",
            "its mask of 33 cells along an axis is too wide to try in software");
    refused("// stencil: dim=3\n__global__ void k(float *N, float *P, float *M, int n) {}",
            "'dim=3', which is not understood");
    refused("// stencil: shared=x\n__global__ void k(float *N, float *P, float *M, int n) {}",
            "'shared=x', which is not understood");
    refused("// stencil: block=64x64\n__global__ void k(float *N, float *P, float *M, int h, int w)"
            " {}",
            "1024");
}

static void translated(const char *text, const char *expected)
{
    struct error err = {0};
    char *made = try_translate(good_file(text), &err);

    CHECKF(made && strstr(made, expected), "'%s' in: %s", expected, made ? made : err.text);
    free(made);
}

#define KERNEL "__global__ void k(float *N, float *P, float *M, int k, int n) " BODY

static void translation(void)
{
    struct error err = {0};

    translated(KERNEL "void f() { k<<<dim3(2), 64>>>(0, 0, 0, 1, 2); }",
               "try_launch(k , dim3(2), 64 )(0, 0, 0, 1, 2)");
    translated("__global__ void k(float *N, float *P, float *M, int k, int n)\n"
               "{ __shared__ float a[4][1 << 5], b[6]; }",
               "(&a)[4][1 << 5] = try_shared<__COUNTER__>{\"a\"}; float (&b)");
    translated("extern __shared__ int s[];\n" KERNEL, "int *const s = try_dynamic<int >(\"s\");");
    CHECK(!try_translate(good_file("#include \"/etc/passwd\"\n" KERNEL), &err));
    CHECK(strstr(err.text, "line 1 includes"));
    CHECK(!try_translate(good_file("/* */ #inc\\\nlude/**/\"/etc/passwd\"\n" KERNEL), &err));
    CHECK(!try_translate(good_file("#define X <math.h>\n%:include X\n" KERNEL), &err));
    CHECK(strstr(err.text, "line 2 includes"));
    CHECK(
        !try_translate(good_file("#include <math.h>\n" KERNEL "void f() { asm(\"nop\"); }"), &err));
    CHECK(strstr(err.text, "assembler"));
}

/* ---- files that are cut off ---- */

#define STEP 37

/* Reads and translates TEXT, whatever comes out: an address sanitizer sees what is read outside. */
static void read_any(const char *text)
{
    struct try_file file;
    struct error err = {0};
    const bool good = read_text(&file, text, &err);
    char *made = good ? try_translate(&file, &err) : NULL;

    CHECKF(made || err.text[0], "no sentence for: %s", text);
    free(made);
    if (good)
        free(try_translate_gpu(&file, &err));
    try_file_free(&file);
}

static void cut_file(const char *path)
{
    static char text[1 << 16];
    FILE *in = fopen(path, "r");
    const size_t length = in ? fread(text, 1, sizeof text - 1, in) : 0;

    CHECKF(length > 0 && length < sizeof text - 1, "%s", path);
    if (in)
        fclose(in);
    text[length] = '\0';
    for (size_t from = STEP; from < length; from += STEP)
        read_any(text + from);
    for (size_t to = length; to > 0; to -= to < STEP ? to : STEP) {
        text[to] = '\0';
        read_any(text);
    }
}

static void cuts(void)
{
    static const char *const folders[] = {"tests/try/right/*.cu", "tests/try/mutants/*.cu",
                                          "tests/try/hostile/*.cu", "src/try/templates/*.cu"};
    glob_t found = {0};

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        CHECK(glob(folders[i], i > 0 ? GLOB_APPEND : 0, NULL, &found) == 0);
    CHECK(found.gl_pathc > 250);
    for (size_t i = 0; i < found.gl_pathc; i++)
        cut_file(found.gl_pathv[i]);
    globfree(&found);
}

int main(void)
{
    TEST(roles);
    TEST(shapes);
    TEST(kernels);
    TEST(refusals);
    TEST(translation);
    TEST(cuts);
    good_file(KERNEL);
    return test_finish();
}
