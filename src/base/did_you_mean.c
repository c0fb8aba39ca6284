/* "Did you mean": finds the word of a list that a wrong word stands for. First by meaning, in a
 * table of synonyms; then by letters. The distance of two words is the number of slips between
 * them: a letter too many, one too few, a wrong one, or two neighbours swapped (the optimal string
 * alignment distance). Words that differ only in a number at their end are nearest of all. Case
 * does not count, nor do '-' and '_' in synonyms. */
#include "base/did_you_mean.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* All words of the command line are shorter. */
#define WORD_MAX 40

/* ---- by meaning ---- */

/* A row: a word, and the words (small letters, no dashes) that people type for it in other
 * programs. The row counts only if the list that is searched has the word, so filters, masks,
 * borders and options share the table. The first row that fits wins. */
static const struct {
    const char *meant, *typed;
} synonyms[] = {
    /* filters and masks */
    {"gauss", "gaussian gaussianblur gblur gaussblur blur"},
    {"gauss5", "gauss gaussian blur smooth"},
    {"blur", "smooth soften smoothing"},
    {"box", "mean average avg boxblur boxfilter uniform"},
    {"box3", "box mean average avg"},
    {"sharpen", "sharp"},
    {"unsharp", "usm unsharpmask"},
    {"unsharp5", "unsharp usm unsharpmask"},
    {"edge", "edges edgedetect edgedetection findedges canny"},
    {"edge8", "edge edges outline"},
    {"laplace", "laplacian log"},
    {"laplace5", "laplace laplacian log"},
    {"emboss", "relief bump"},
    {"sobel", "gradient"},
    {"sobel_x", "sobel gradient"},
    {"prewitt_x", "prewitt"},
    {"scharr_x", "scharr"},
    {"motion9", "motion motionblur"},
    {"identity", "none nothing copy"},
    {"median", "med medfilt medianblur medianfilter denoise despeckle"},
    {"bilateral", "bilateralfilter surfaceblur"},
    {"rank", "percentile percentilefilter percent quantile rankfilter"},
    {"erode", "erosion minimum min minimumfilter minfilter"},
    {"dilate", "dilation maximum max maximumfilter maxfilter"},
    {"open", "opening"},
    {"close", "closing"},
    {"outline", "morphgradient morphologicalgradient"},
    {"tophat", "whitetophat"},
    {"blackhat", "bottomhat blacktophat"},
    {"convolve", "conv conv2d convolution filter filter2d correlate correlation custom"},
    /* commands */
    {"compare", "diff cmp psnr ssim difference"},
    {"bench", "benchmark timing speed"},
    {"golden", "test regression"},
    {"list", "ls"},
    {"signal", "audio sound wav 1d"},
    {"devices", "gpu gpus device"},
    /* borders */
    {"replicate", "edge clamp nearest extend"},
    {"zero", "black none zeros"},
    {"reflect", "symmetric"},
    {"mirror", "reflect101 mirror101"},
    {"wrap", "periodic circular cyclic"},
    {"constant", "fill value color colour"},
    /* alpha */
    {"weighted", "premultiplied premultiply premul"},
    {"ignore", "keep copy"},
    {"drop", "remove discard off none no"},
    /* devices, kernels and other values */
    {"cuda", "gpu nvidia"},
    {"basic", "naive simple"},
    {"tiled", "shared sharedmemory"},
    /* options */
    {"radius", "kernelsize ksize masksize windowsize window width size r"},
    {"sigma", "std stddev standarddeviation s"},
    {"amount", "strength"},
    {"mask", "weights matrix filter stencil footprint structure"},
    {"shape", "element structuringelement kernelshape"},
    {"border", "padding pad boundary bordertype edge edges mode"},
    {"threads", "jobs cores workers cpus j"},
    {"offset", "bias delta"},
    {"divisor", "scale"},
    {"repeat", "iterations passes times"},
    {"format", "type"},
    {"ext", "extension suffix"},
    {"png-level", "compression level compressionlevel"},
    {"method", "algorithm"},
    {"quiet", "silent"},
    {"plan", "dryrun n explain info"},
    {"max-diff", "tolerance threshold"},
    {"force", "overwrite"},
};
#define SYNONYMS ((int)(sizeof synonyms / sizeof synonyms[0]))

/* A row: what to do instead, and the words. An option has its dashes. */
static const struct {
    const char *advice, *typed;
} advices[] = {
    {"stencilcli only filters pictures: it does not resize, crop or turn them",
     "resize scale crop rotate turn thumbnail shrink enlarge zoom transpose"},
    {"stencilcli only filters pictures; to change nothing but the format: stencilcli convolve "
     "in.png out.jpg --mask identity",
     "convert transcode"},
    {"stencilcli only filters pictures: it does not make them gray",
     "gray grey grayscale greyscale desaturate"},
    {"to see what a picture is: stencilcli blur in.png --plan",
     "info identify file inspect probe metadata"},
    {"write the output's name after the input's: stencilcli FILTER INPUT OUTPUT",
     "-o --output --out --outfile --outputfile --dest"},
    {"write the input's name after the filter's: stencilcli FILTER INPUT OUTPUT",
     "-i --input --in --infile --inputfile"},
    {"use --device cuda", "--gpu --cuda --usegpu"},
    {"use --device cpu", "--cpu"},
    {"folders in a folder are filtered too", "--recursive"},
};
#define ADVICES ((int)(sizeof advices / sizeof advices[0]))

/* Does LIST have the first LENGTH characters of TEXT as one of its words? An option's first dashes
 * count. */
static bool is_in(const char *list, const char *text, size_t length)
{
    char word[WORD_MAX + 3] = " ";
    size_t used = 1, dashes = strspn(text, "-");

    for (size_t i = 0; i < length && used <= WORD_MAX; i++)
        if (i < dashes || (text[i] != '-' && text[i] != '_'))
            word[used++] = (char)tolower((unsigned char)text[i]);
    for (const char *at = list; used > 1 && used <= WORD_MAX && (at = strstr(at, word + 1)); at++)
        if ((at == list || at[-1] == ' ') && (at[used - 1] == ' ' || at[used - 1] == '\0'))
            return true;
    return false;
}

const char *did_you_mean_advice(const char *text)
{
    for (int i = 0; i < ADVICES; i++)
        if (is_in(advices[i].typed, text, strlen(text)))
            return advices[i].advice;
    return NULL;
}

const char *did_you_mean_meant(int index)
{
    return index < SYNONYMS ? synonyms[index].meant : NULL;
}

/* ---- by letters ---- */

static int word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int cost[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= a_length; i++)
        cost[i][0] = (int)i;
    for (size_t j = 0; j <= b_length; j++)
        cost[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int extra = cost[i - 1][j] < cost[i][j - 1] ? cost[i - 1][j] : cost[i][j - 1];
            int changed = cost[i - 1][j - 1] + (ca != cb);
            cost[i][j] = changed <= extra ? changed : extra + 1;
            bool swapped = i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                           cb == tolower((unsigned char)a[i - 2]);
            if (swapped && cost[i - 2][j - 2] + 1 < cost[i][j])
                cost[i][j] = cost[i - 2][j - 2] + 1;
        }
    }
    return cost[a_length][b_length];
}

/* The length of WORD without the digits at its end. */
static size_t stem_of(const char *word)
{
    size_t length = strlen(word);
    while (length > 0 && isdigit((unsigned char)word[length - 1]))
        length--;
    return length;
}

/* Of the words that consist of the LENGTH letters of STEM and a number, the one with the nearest
 * number; or NULL. */
static const char *nearest_number(const char *stem, size_t length, const char *number,
                                  const char *const *words, int count)
{
    const char *nearest = NULL;
    long wanted = strtol(number, NULL, 10), least = 0;
    for (int i = 0; *number && length > 0 && i < count; i++) {
        if (stem_of(words[i]) != length || words[i][length] == '\0' ||
            strncasecmp(words[i], stem, length) != 0)
            continue;
        long apart = labs(strtol(words[i] + length, NULL, 10) - wanted);
        if (!nearest || apart < least) {
            nearest = words[i];
            least = apart;
        }
    }
    return nearest;
}

static const char *nearest_letters(const char *text, const char *const *words, int count)
{
    size_t length = strlen(text);
    /* A near word has at most about one slip per three letters; for a single letter, none. */
    int least = ((int)length + 1) / 3 + 1;
    const char *nearest = NULL;
    for (int i = 0; i < count; i++) {
        size_t word_length = strlen(words[i]);
        if (word_length > WORD_MAX)
            continue;
        int distance = word_distance(text, length, words[i], word_length);
        /* The beginning of a word ("conv") counts as one slip. */
        if (length >= 3 && strncasecmp(text, words[i], length) == 0 && distance > 1)
            distance = 1;
        if (distance < least) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

const char *did_you_mean(const char *text, const char *const *words, int count)
{
    size_t length = strlen(text), stem = stem_of(text);
    const char *number = text + stem, *near;
    if (length == 0 || length > WORD_MAX)
        return NULL;
    for (int i = 0; i < count; i++)
        if (strcasecmp(words[i], text) == 0)
            return words[i];
    for (int row = 0; row < SYNONYMS; row++) {
        const char *meant = synonyms[row].meant;
        for (int i = 0; is_in(synonyms[row].typed, text, length) && i < count; i++)
            if (strcmp(words[i], meant) == 0)
                return words[i];
        /* "gaussian7" is the word of this meaning with the nearest number. */
        if (is_in(synonyms[row].typed, text, stem) &&
            (near = nearest_number(meant, strlen(meant), number, words, count)))
            return near;
    }
    near = nearest_number(text, stem, number, words, count);
    return near ? near : nearest_letters(text, words, count);
}
