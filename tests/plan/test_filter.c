/* Filters: each default mask in the program equals the one in masks/; the options that each filter
 * accepts; and the choice of channels, alpha and border. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/filter.h"
#include "tests/test.h"

static struct filter_request request_of(const char *filter)
{
    return (struct filter_request){
        .filter = filter_find(filter), .radius = -1, .alpha = ALPHA_WEIGHTED, .repeat = 1};
}

/* Whether REQUEST can be loaded. */
static bool loads(struct filter_request request, struct error *err)
{
    bool loaded = filter_load(&request, err);
    CHECK(loaded == (request.mask_count > 0));
    filter_unload(&request);
    return loaded;
}

/* ---- masks ---- */

static bool same_integers(const struct plan_mask *a, const struct plan_mask *b)
{
    return a->width == b->width && a->height == b->height && a->anchor_x == b->anchor_x &&
           a->anchor_y == b->anchor_y && a->divisor == b->divisor && a->offset == b->offset &&
           memcmp(a->weight, b->weight, (size_t)(a->width * a->height) * sizeof *a->weight) == 0;
}

/* Plan A of REQUEST must equal plan B of the same filter with OTHER's options. */
static void check_same_plan(const struct filter_request *a, const struct filter_request *b)
{
    struct plan first, second;
    struct error err = {EXIT_DONE, ""};
    bool made = filter_plan(a, 3, SAMPLE_U8, 255, &first, &err);
    CHECKF(made, "%s", err.text);
    if (!made)
        return;
    made = filter_plan(b, 3, SAMPLE_U8, 255, &second, &err);
    CHECKF(made, "%s", err.text);
    if (made) {
        CHECKF(first.masks == second.masks && same_integers(&first.mask[0], &second.mask[0]),
               "%s is not %s", a->filter->name, b->mask ? b->mask : b->filter->name);
        plan_free(&second);
    }
    plan_free(&first);
}

static void table(void)
{
    int count;
    const struct filter *filters = filter_table(&count);
    CHECK(count == 22);
    for (int i = 0; i < count; i++) {
        CHECK(filter_find(filters[i].name) == &filters[i]);
        CHECK(filters[i].idea && strlen(filters[i].idea) > 5);
    }
    CHECK(!filter_find("blurr") && !filter_find(""));
}

/* The text in the program and the file in masks/ must have the same numbers. */
static void default_masks(void)
{
    static const char *const linear[][2] = {
        {"blur", "gauss5"}, {"box", "box3"},         {"sharpen", "sharpen"},
        {"edge", "edge8"},  {"laplace", "laplace5"}, {"emboss", "emboss"},
    };
    char path[64];
    for (size_t i = 0; i < sizeof linear / sizeof linear[0]; i++) {
        struct filter_request plain = request_of(linear[i][0]), file = plain;
        CHECK(strcmp(plain.filter->default_mask, linear[i][1]) == 0);
        snprintf(path, sizeof path, "masks/%s.txt", linear[i][1]);
        file.mask = path;
        check_same_plan(&plain, &file);
    }
}

/* A loaded mask no longer depends on its file. */
static void loaded_masks(void)
{
    struct filter_request file = request_of("blur"), text = file;
    char path[] = "/tmp/stencil-mask-XXXXXX";
    int fd = mkstemp(path);
    struct error err = {EXIT_DONE, ""};

    CHECK(fd >= 0 && write(fd, "1 2 3", 5) == 5 && close(fd) == 0);
    file.mask = path;
    text.mask = "1 2 3";
    CHECKF(filter_load(&file, &err), "%s", err.text);
    CHECK(unlink(path) == 0);
    check_same_plan(&file, &text);
    check_same_plan(&text, &file);
    filter_unload(&file);
    CHECK(!loads(file, &err));
}

static void gradient_masks(void)
{
    static const char *const gradients[] = {"sobel", "prewitt", "scharr"};
    for (int i = 0; i < 3; i++) {
        struct filter_request request = request_of(gradients[i]);
        struct mask *masks = request.masks;
        struct error err;
        CHECK(filter_masks(&request, SAMPLE_U8, &err) && request.mask_count == 2);
        for (int k = 0; k < 2; k++) {
            struct mask file;
            char path[64];
            snprintf(path, sizeof path, "masks/%s_%c.txt", gradients[i], "xy"[k]);
            CHECKF(mask_load(&file, path, &err), "%s", err.text);
            CHECK(file.width == 3 && file.height == 3 && masks[k].width == 3);
            for (int c = 0; c < 9; c++)
                CHECKF(mpq_equal(file.weight[c], masks[k].weight[c]), "%s, cell %d", path, c);
            CHECKF(mpq_equal(file.divisor, masks[k].divisor), "%s", path);
            mask_free(&file);
        }
        filter_unload(&request);
    }
}

static void built_masks(void)
{
    struct filter_request a = request_of("gauss"), b = request_of("gauss");
    b.has_sigma = true;
    b.sigma = 1;
    check_same_plan(&a, &b);
    /* Only a radius: it is three sigmas. */
    a.radius = 6;
    b.sigma = 2;
    check_same_plan(&a, &b);
    a = request_of("blur");
    a.radius = 6;
    check_same_plan(&a, &b);
    a = request_of("convolve");
    a.has_sigma = true;
    a.sigma = 2;
    check_same_plan(&a, &b);
    a = request_of("box");
    a.radius = 1;
    b = request_of("box");
    check_same_plan(&a, &b);
    b = request_of("convolve");
    b.radius = 1;
    check_same_plan(&a, &b);
    a = request_of("unsharp");
    b = request_of("unsharp");
    b.has_sigma = true;
    b.sigma = 1;
    b.amount = "1";
    check_same_plan(&a, &b);
    /* one cell for any sigma */
    a = request_of("gauss");
    a.radius = 0;
    b = request_of("convolve");
    b.mask = "1";
    check_same_plan(&a, &b);
}

/* ---- options ---- */

static void check_refused(const struct filter_request *request, const char *sentence)
{
    struct error err = {EXIT_DONE, ""};
    struct plan plan;
    CHECKF(!loads(*request, &err), "%s", sentence);
    CHECKF(err.code == EXIT_USAGE && strcmp(err.text, sentence) == 0, "%s", err.text);
    /* filter_plan makes the same check. */
    if (request->repeat == 1)
        CHECK(!filter_plan(request, 4, SAMPLE_U8, 255, &plan, &err) && plan.masks == 0);
}

static void options_refused(void)
{
    struct filter_request r = request_of("convolve");
    check_refused(&r, "convolve needs a mask: --mask, --sigma or --radius");
    r.amount = "1";
    check_refused(&r, "convolve takes no --amount");
    r = request_of("blur");
    r.mask = "gauss5";
    r.has_sigma = true;
    r.sigma = 1;
    check_refused(&r, "--mask and --sigma exclude each other");
    r.has_sigma = false;
    r.radius = 0;
    check_refused(&r, "--mask and --radius exclude each other");
    r = request_of("unsharp");
    r.mask = "1";
    r.amount = "1";
    check_refused(&r, "--mask and --amount exclude each other");
    r.mask = NULL;
    r.amount = "much";
    check_refused(&r, "--amount much: expected a number");
    r = request_of("box");
    r.has_sigma = true;
    r.sigma = 1;
    check_refused(&r, "box takes no --sigma");
    r = request_of("edge");
    r.radius = 2;
    check_refused(&r, "edge takes no --radius");
    r = request_of("sobel");
    r.mask = "sobel_x";
    check_refused(&r, "sobel takes no --mask");
    r = request_of("scharr");
    r.overrides.normalize = true;
    check_refused(&r, "scharr takes no --normalize");
    r = request_of("edge");
    r.overrides.normalize = true;
    check_refused(&r, "--normalize: cannot normalize: the weights sum to 0");
    r.overrides.divisor = "2";
    check_refused(&r, "--divisor and --normalize exclude each other");
    r = request_of("prewitt");
    r.overrides.offset = "50%";
    check_refused(&r, "prewitt takes no --offset");
    r = request_of("sobel");
    r.overrides.has_anchor = true;
    r.overrides.anchor_x = 3;
    check_refused(&r, "--anchor 3,0: the anchor lies outside the mask of 3 x 3");
    r = request_of("gauss");
    r.has_sigma = true;
    r.sigma = 1001;
    check_refused(&r, "sigma 1001 needs a radius of 3003, and a mask reaches 3000 cells; a smaller "
                      "--radius cuts it off there");
    r = request_of("blur");
    r.repeat = 0;
    check_refused(&r, "--repeat 0: expected a whole number from 1 to 1000");
    r.repeat = 1001;
    check_refused(&r, "--repeat 1001: expected a whole number from 1 to 1000");
    r = request_of("blur");
    r.border = (struct border_choice){BORDER_CONSTANT, false, "65536"};
    CHECK(!loads(r, &(struct error){EXIT_DONE, ""}));
}

static void options_taken(void)
{
    struct filter_request r = request_of("sobel");
    struct error err = {EXIT_DONE, ""};
    r.overrides.flip = true;
    r.overrides.has_anchor = true;
    r.repeat = 1000;
    CHECKF(loads(r, &err), "%s", err.text);
    r = request_of("unsharp");
    r.amount = "-1/3";
    r.radius = 2;
    r.overrides.offset = "50%";
    CHECKF(loads(r, &err), "%s", err.text);
    /* A request that is wrong only for this picture is not refused before the picture is known. */
    r = request_of("blur");
    r.border = (struct border_choice){BORDER_CONSTANT, false, "300"};
    r.channels = "3";
    CHECKF(loads(r, &err), "%s", err.text);
    struct plan plan;
    CHECK(!filter_plan(&r, 4, SAMPLE_U8, 255, &plan, &err));
    CHECKF(strcmp(err.text, "--border constant:300: the largest sample value is 255") == 0, "%s",
           err.text);
    CHECK(filter_plan(&r, 4, SAMPLE_U16, 65535, &plan, &err) && plan.border_value == 300);
    plan_free(&plan);
}

static void plan_fields(void)
{
    struct filter_request r = request_of("sobel");
    struct plan plan;
    struct error err;
    r.border = (struct border_choice){BORDER_CONSTANT, true, "50%"};
    r.repeat = 7;
    CHECK(filter_plan(&r, 1, SAMPLE_U16, 1023, &plan, &err));
    CHECK(plan.kind == PLAN_GRADIENT && plan.masks == 2 && plan.repeat == 7);
    CHECK(plan.border == BORDER_CONSTANT && plan.border_value == 512);
    CHECK(plan.max == 1023 && plan.type == SAMPLE_U16 && plan.channels == 1);
    CHECK(plan.mask[1].weight[1] == -2 && plan.mask[0].divisor == 1);
    plan_free(&plan);
    r = request_of("blur");
    CHECK(filter_plan(&r, 3, SAMPLE_U8, 255, &plan, &err));
    CHECK(plan.kind == PLAN_LINEAR && plan.masks == 1 && plan.border == BORDER_REPLICATE);
    plan_free(&plan);
}

/* The divisor of FILTER's plan by --sigma 1 for samples of TYPE; loaded: by a loaded request. */
static int64_t divisor_of(const char *filter, enum sample_type type, bool loaded)
{
    struct filter_request r = request_of(filter);
    struct plan plan;
    struct error err = {EXIT_DONE, ""};
    int64_t divisor = 0;

    r.has_sigma = true;
    r.sigma = 1;
    CHECKF(!loaded || filter_load(&r, &err), "%s", err.text);
    if (filter_plan(&r, 1, type, type == SAMPLE_U8 ? 255 : 1023, &plan, &err)) {
        divisor = plan.mask[0].divisor;
        plan_free(&plan);
    }
    if (loaded)
        filter_unload(&r);
    return divisor;
}

/* Gaussians have finer weights for pictures of 16 bits, whatever their maxval; a bilateral filter
 * has not. */
static void masks_by_depth(void)
{
    static const char *const filters[] = {"gauss", "unsharp", "convolve", "blur"};
    for (int i = 0; i < 8; i++) {
        CHECK(divisor_of(filters[i % 4], SAMPLE_U8, i / 4) == 1 << 22);
        CHECK(divisor_of(filters[i % 4], SAMPLE_U16, i / 4) == (int64_t)1 << 32);
        CHECK(divisor_of("bilateral", SAMPLE_U16, i / 4) == 1 << 22);
    }
    struct filter_request r = request_of("blur");
    CHECK(!filter_masks_differ(&r));
    r.radius = 2;
    CHECK(filter_masks_differ(&r));
    r = request_of("convolve");
    r.radius = 2; /* a box */
    CHECK(!filter_masks_differ(&r));
    r = request_of("unsharp");
    CHECK(filter_masks_differ(&r));
    r.mask = "1 2 1";
    CHECK(!filter_masks_differ(&r));
}

/* ---- channels and alpha ---- */

/* For a picture with CHANNELS channels: the set of channels that results, or the message. */
static void check_channels(const char *text, int channels, unsigned set, const char *sentence)
{
    struct filter_request r = request_of("blur");
    struct plan plan;
    struct error err = {EXIT_DONE, ""};
    r.channels = text;
    bool made = filter_plan(&r, channels, SAMPLE_U8, 255, &plan, &err);
    CHECKF(made == !sentence, "%s of %d: %s", text ? text : "all", channels, err.text);
    CHECKF(!made || plan.filtered == set, "%s of %d: %u", text ? text : "all", channels,
           made ? plan.filtered : 0);
    CHECKF(made || (err.code == EXIT_USAGE && strcmp(err.text, sentence) == 0), "%s", err.text);
    if (made)
        plan_free(&plan);
}

static void channels(void)
{
    for (int n = 1; n <= 4; n++)
        check_channels(NULL, n, (1u << n) - 1, NULL);
    check_channels("rgb", 3, 7, NULL);
    check_channels("rgba", 4, 15, NULL);
    check_channels("b", 3, 4, NULL);
    check_channels("gr", 4, 3, NULL);
    check_channels("a", 4, 8, NULL);
    check_channels("a", 2, 2, NULL);
    check_channels("g", 1, 1, NULL);
    check_channels("y", 2, 1, NULL);
    check_channels("ga", 2, 3, NULL);
    check_channels("0,2", 3, 5, NULL);
    check_channels("02", 3, 5, NULL);
    check_channels("rr", 3, 1, NULL);
    check_channels("b", 1, 0, "--channels b: no channel 'b' in a picture of gray (g)");
    check_channels("ra", 3, 0, "--channels ra: no channel 'a' in a picture of r, g and b");
    check_channels("y", 4, 0, "--channels y: no channel 'y' in a picture of r, g, b and a");
    check_channels("2", 2, 0, "--channels 2: no channel '2' in a picture of gray and alpha (g, a)");
    check_channels("R", 3, 0, "--channels R: no channel 'R' in a picture of r, g and b");
    check_channels(",", 3, 0, "--channels ,: expected at least one channel");

    struct filter_request r = request_of("blur");
    struct error err;
    r.channels = "rx";
    CHECK(!loads(r, &err));
    CHECKF(strcmp(err.text, "--channels rx: expected letters of rgba, g or y for gray, or numbers "
                            "from 0 to 3, got 'x'") == 0,
           "%s", err.text);
    r.channels = ",";
    CHECK(!loads(r, &err));
}

static void check_alpha(const char *filter, const char *mask, enum alpha_mode wanted, int channels,
                        enum alpha_mode alpha, unsigned filtered)
{
    struct filter_request r = request_of(filter);
    struct plan plan;
    struct error err = {EXIT_DONE, ""};
    r.mask = mask;
    r.alpha = wanted;
    bool made = filter_plan(&r, channels, SAMPLE_U8, 255, &plan, &err);
    CHECKF(made, "%s", err.text);
    if (!made)
        return;
    CHECKF(plan.alpha == alpha && plan.filtered == filtered, "%s %s of %d: mode %d, channels %u",
           filter, mask ? mask : "", channels, (int)plan.alpha, plan.filtered);
    plan_free(&plan);
}

static void alpha(void)
{
    /* Without an alpha channel nothing can be weighted. */
    check_alpha("blur", NULL, ALPHA_WEIGHTED, 3, ALPHA_PLAIN, 7);
    check_alpha("blur", NULL, ALPHA_IGNORE, 1, ALPHA_PLAIN, 1);
    check_alpha("blur", NULL, ALPHA_WEIGHTED, 4, ALPHA_WEIGHTED, 15);
    check_alpha("blur", NULL, ALPHA_IGNORE, 4, ALPHA_IGNORE, 7);
    check_alpha("blur", NULL, ALPHA_PLAIN, 2, ALPHA_PLAIN, 3);
    /* Masks with negative weights, a sum of 0, and gradients cannot weight by alpha. */
    check_alpha("sharpen", NULL, ALPHA_WEIGHTED, 4, ALPHA_IGNORE, 7);
    check_alpha("sharpen", NULL, ALPHA_PLAIN, 4, ALPHA_PLAIN, 15);
    check_alpha("convolve", "0 0", ALPHA_WEIGHTED, 2, ALPHA_IGNORE, 1);
    check_alpha("convolve", "-1 -2; divisor -3", ALPHA_WEIGHTED, 2, ALPHA_WEIGHTED, 3);
    check_alpha("sobel", NULL, ALPHA_WEIGHTED, 4, ALPHA_IGNORE, 7);
    check_alpha("sobel", NULL, ALPHA_PLAIN, 4, ALPHA_PLAIN, 15);

    /* Colour alone is still weighted; alpha alone is never ignored silently. */
    struct filter_request r = request_of("blur");
    struct plan plan;
    struct error err;
    r.channels = "rgb";
    CHECK(filter_plan(&r, 4, SAMPLE_U8, 255, &plan, &err));
    CHECK(plan.alpha == ALPHA_WEIGHTED && plan.filtered == 7);
    plan_free(&plan);
    r.alpha = ALPHA_IGNORE;
    r.channels = "a";
    CHECK(!filter_plan(&r, 4, SAMPLE_U8, 255, &plan, &err) && plan.masks == 0);
    CHECKF(strcmp(err.text, "--channels names only alpha, which this filter leaves alone; with "
                            "--alpha plain it is filtered") == 0,
           "%s", err.text);
}

int main(void)
{
    TEST(table);
    TEST(default_masks);
    TEST(loaded_masks);
    TEST(gradient_masks);
    TEST(built_masks);
    TEST(options_refused);
    TEST(options_taken);
    TEST(plan_fields);
    TEST(masks_by_depth);
    TEST(channels);
    TEST(alpha);
    return test_finish();
}
