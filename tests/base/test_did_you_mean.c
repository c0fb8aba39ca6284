/* Suggestions for wrong words: by meaning, by the number at a word's end, by letters. */
#include <string.h>

#include "base/did_you_mean.h"
#include "tests/test.h"

static const char *const filters[] = {"convolve", "blur",    "box",     "gauss", "sharpen",
                                      "unsharp",  "edge",    "laplace", "sobel", "mask",
                                      "signal",   "compare", "list",    NULL};
static const char *const masks[] = {"box3",    "box5",    "box7",    "edge4",    "edge8",
                                    "gauss3",  "gauss5",  "gauss7",  "gauss9",   "laplace5",
                                    "motion9", "sobel_x", "sobel_y", "unsharp5", NULL};
static const char *const borders[] = {"replicate", "zero", "constant", "reflect",
                                      "mirror",    "wrap", NULL};
static const char *const options[] = {"mask",   "sigma",   "radius", "amount", "border",
                                      "device", "threads", "plan",   "quiet",  NULL};

/* MEANT is NULL if nothing may be suggested. */
static void means(const char *text, const char *const *words, const char *meant)
{
    int count = 0;
    while (words[count])
        count++;
    const char *near = did_you_mean(text, words, count);
    CHECKF(near == meant || (near && meant && strcmp(near, meant) == 0), "%s: %s", text,
           near ? near : "nothing");
}

static void by_letters(void)
{
    means("blurr", filters, "blur");
    means("BLUR", filters, "blur");
    means("lbur", filters, "blur");
    means("shrapen", filters, "sharpen");
    means("bo", filters, "box");
    means("blur5", filters, "blur");
    means("sobelx", filters, "sobel");
    means("sobelx", masks, "sobel_x");
    means("gaus5", masks, "gauss5");
    means("x", filters, NULL);
    means("", filters, NULL);
    means("median", filters, NULL);
    char long_word[300];
    memset(long_word, 'b', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    means(long_word, filters, NULL);
}

static void by_number(void)
{
    means("gauss11", masks, "gauss9");
    means("gauss4", masks, "gauss3");
    means("Gauss1", masks, "gauss3");
    means("box99", masks, "box7");
    means("motion7", masks, "motion9");
    means("gauss99999999999999999999999", masks, "gauss9");
    means("5", masks, NULL);
}

static void by_meaning(void)
{
    means("gaussian", filters, "gauss");
    means("Gaussian_Blur", filters, "gauss");
    means("gaussian-blur", filters, "gauss");
    means("gaussian", masks, "gauss5");
    means("blur", masks, "gauss5");
    means("blur5", masks, "gauss5");
    means("blur7", masks, "gauss7");
    means("gaussian11", masks, "gauss9");
    means("mean5", masks, "box5");
    means("edge", masks, "edge8");
    means("sobel", masks, "sobel_x");
    means("mean", filters, "box");
    means("canny", filters, "edge");
    means("laplacian", filters, "laplace");
    means("conv", filters, "convolve");
    means("filter", filters, "convolve");
    means("filter", options, "mask");
    means("diff", filters, "compare");
    means("edge", borders, "replicate");
    means("black", borders, "zero");
    means("symmetric", borders, "reflect");
    means("kernel-size", options, "radius");
    means("ksize", options, "radius");
    means("stddev", options, "sigma");
    means("padding", options, "border");
    means("j", options, "threads");
    means("gauss_", filters, "gauss");
    means("-", filters, NULL);
    means("_", filters, NULL);
}

static void advice(void)
{
    CHECK(strstr(did_you_mean_advice("resize"), "does not resize"));
    CHECK(strstr(did_you_mean_advice("Convert"), "--mask identity"));
    CHECK(strstr(did_you_mean_advice("--output"), "output's name after the input's"));
    CHECK(strstr(did_you_mean_advice("-o"), "output's name after the input's"));
    CHECK(strstr(did_you_mean_advice("--use-gpu"), "--device cuda"));
    CHECK(!did_you_mean_advice("blurr"));
    CHECK(!did_you_mean_advice("output"));
    CHECK(!did_you_mean_advice("siz"));
    CHECK(!did_you_mean_advice("--"));
    CHECK(!did_you_mean_advice(""));
}

int main(void)
{
    TEST(by_letters);
    TEST(by_number);
    TEST(by_meaning);
    TEST(advice);
    return test_finish();
}
