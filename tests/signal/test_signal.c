/* Signals below the command line: exact numbers (series), their text, sums by every 1D kernel that
 * runs here, and the three types of sums. tests/kernel/checker_1d.c tests the kernels' own corner
 * cases, tests/cli audio files. */
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "plan/rational.h"
#include "signal/audio.h"
#include "signal/filter.h"
#include "tests/test.h"

static struct error err;

/* ---- numbers ---- */

/* The numbers in a line of words; the last number is the ghost cells' value. */
struct words {
    const char *word[64];
    int count;
    char line[1024];
};

static void words_of(struct words *words, const char *line)
{
    words->count = 0;
    snprintf(words->line, sizeof words->line, "%s", line);
    for (char *at = strtok(words->line, " "); at; at = strtok(NULL, " "))
        words->word[words->count++] = at;
}

static void get_word(void *context, int i, mpq_t value)
{
    const struct words *words = context;
    const char *why;
    CHECK(rational_parse(value, words->word[i], strlen(words->word[i]), &why));
}

static void make(struct series *series, const char *line)
{
    struct words words;
    mpq_t ghost;
    words_of(&words, line);
    mpq_init(ghost);
    get_word(&words, words.count - 1, ghost);
    CHECKF(series_make(series, words.count - 1, get_word, &words, ghost, "test", &err), "%s",
           err.text);
    mpq_clear(ghost);
}

/* All numbers of a series as text, separated by blanks. */
static const char *text_of(const struct series *series)
{
    static char line[4096];
    mpq_t value;

    line[0] = '\0';
    mpq_init(value);
    for (int i = 0; i < series->n; i++) {
        size_t used = strlen(line);
        series_number(series, i, value);
        char *number = number_print(value, -1);
        snprintf(line + used, sizeof line - used, "%s%s", i ? " " : "", number);
        free(number);
    }
    mpq_clear(value);
    return line;
}

static void prints(const char *number, int decimals, const char *expected)
{
    const char *why;
    mpq_t value;

    mpq_init(value);
    CHECK(rational_parse(value, number, strlen(number), &why));
    char *text = number_print(value, decimals);
    CHECKF(strcmp(text, expected) == 0, "%s with %d decimals: %s", number, decimals, text);
    free(text);
    mpq_clear(value);
}

static void test_number_print(void)
{
    prints("0", -1, "0");
    prints("-7", -1, "-7");
    prints("1200", -1, "1200");
    prints("0.5", -1, "0.5");
    prints("-1/8", -1, "-0.125");
    prints("7/4", -1, "1.75");
    prints("1/3", -1, "1/3");
    prints("-10/6", -1, "-5/3");
    prints("1e-10", -1, "0.0000000001");
    prints("12.5e3", -1, "12500");
    prints("123.456", -1, "123.456");
    prints("1/3", 2, "0.33");
    prints("2/3", 2, "0.67");
    prints("1/2", 0, "1"); /* halves are rounded up */
    prints("-1/2", 0, "0");
    prints("-3/2", 0, "-1");
    prints("0.125", 2, "0.13");
    prints("-0.125", 2, "-0.12");
    prints("-1/1000", 2, "0.00");
    prints("5", 3, "5.000");
    prints("0.005", 3, "0.005");
}

static void is_integers(const char *line, const char *unit, int64_t first, int64_t last)
{
    struct series series;
    struct words words;
    mpq_t expected;

    make(&series, line);
    words_of(&words, unit);
    mpq_init(expected);
    get_word(&words, 0, expected);
    CHECKF(series.cell != NULL, "%s: no integers", line);
    if (series.cell) {
        CHECKF(mpq_equal(series.unit, expected), "%s: unit %s expected", line, unit);
        CHECKF(series.cell[0] == first && series.cell[series.n] == last, "%s: %lld ... %lld", line,
               (long long)series.cell[0], (long long)series.cell[series.n]);
    }
    mpq_clear(expected);
    series_free(&series);
}

static void test_series(void)
{
    struct series series;

    is_integers("1 2 3 0", "1", 1, 0);
    is_integers("4 6 10 0", "2", 2, 0);
    is_integers("1/2 1/3 0", "1/6", 3, 0);
    is_integers("1/2 1/3 1", "1/6", 3, 6); /* the unit includes the ghost value */
    is_integers("2 4 1", "1", 2, 1);
    is_integers("0 0 0", "1", 0, 0);
    is_integers("1e30 -2e30 0", "1e30", 1, 0);
    is_integers("1e-40 3e-40 0", "1e-40", 1, 0);
    is_integers("-4611686018427387903 1 0", "1", -4611686018427387903, 0);
    make(&series, "4611686018427387904 1 0"); /* 2^62 */
    CHECK(series.exact && strcmp(text_of(&series), "4611686018427387904 1") == 0);
    series_free(&series);
    make(&series, "1/1000000007 1/998244353 1/1000000009 1/999999937 0");
    CHECK(series.exact != NULL);
    series_free(&series);
    make(&series, "3 -5 0.5 7");
    CHECK(series.largest == 14 && series.size == 6 + 10 + 1); /* the ghost value is not a weight */
    series_free(&series);
}

/* ---- text ---- */

static void text_refuses(const char *bytes, size_t size, const char *sentence)
{
    struct signal_text text;
    CHECKF(!signal_text_open(&text, "in.txt", bytes, size, &err), "'%s' was taken", bytes);
    CHECKF(err.code == EXIT_INPUT && strcmp(err.text, sentence) == 0, "%s", err.text);
}

static void test_text(void)
{
    static const char good[] = "\xEF\xBB\xBF# one, two\n1,2\t,3,\r\n 4 #5\n6,";
    struct signal_text text;
    struct series series;

    CHECK(signal_text_open(&text, "in.txt", good, strlen(good), &err) && text.n == 5);
    CHECK(series_make(&series, text.n, signal_text_get, &text, NULL, "in.txt", &err));
    CHECKF(strcmp(text_of(&series), "1 2 3 4 6") == 0, "%s", text_of(&series));
    series_free(&series);
    text_refuses("1 2 abc", 7, "in.txt:1:5: expected a number, got 'abc'");
    text_refuses("1\n2\r\n3 4,,5", 11, "in.txt:3:5: expected a number, got ','");
    text_refuses(",1", 2, "in.txt:1:1: expected a number, got ','");
    text_refuses("1,\n,2", 5, "in.txt:2:1: expected a number, got ','");
    text_refuses("1/0", 3, "in.txt:1:1: division by zero, got '1/0'");
    text_refuses("1;2", 3, "in.txt:1:1: expected a number, got '1;2'");
    text_refuses("", 0, "in.txt: holds no numbers");
    text_refuses("# 1 2 3", 7, "in.txt: holds no numbers");
    text_refuses("1\0002", 3,
                 "in.txt: is neither text nor a WAV, FLAC or AIFF file: it holds zero bytes");
}

/* ---- sums ---- */

/* One pass over SAMPLES with MASK, anchored in the middle, by KERNEL; the result as text. */
static const char *pass(const struct kernel *kernel, const char *samples, const char *mask,
                        const char *offset, enum border border)
{
    struct signal_runner runner = {
        .kernel = kernel, .verify = true, .threads = 2, .name = "test", .channel = -1};
    struct signal_mask made = {.border = border};
    struct series in, out = {0};
    struct words words;
    const char *text = "failed";

    make(&in, samples);
    make(&made.weights, mask);
    mpq_init(made.offset);
    words_of(&words, offset);
    get_word(&words, 0, made.offset);
    made.anchor = made.weights.n / 2;
    if (signal_sums_exact(&runner, &in, &made, &out, &err))
        text = text_of(&out);
    else
        printf("# %s\n", err.text);
    series_free(&in);
    series_free(&made.weights);
    series_free(&out);
    mpq_clear(made.offset);
    return text;
}

/* Runs one pass with every 1D kernel that runs here; each must give EXPECTED. */
static void gives(const char *samples, const char *mask, const char *expected)
{
    int count;
    const struct kernel *table = kernel_table(&count);
    char why[256];

    for (int k = 0; k < count; k++) {
        if (table[k].dims != 1 || !kernel_supports(&table[k], NULL, why, sizeof why))
            continue;
        const char *text = pass(&table[k], samples, mask, "0", BORDER_ZERO);
        CHECKF(strcmp(text, expected) == 0, "kernel %s: %s", table[k].name, text);
    }
}

static void test_textbook(void)
{
    /* The last number of samples and masks is the ghost cells' value. */
    gives("1 2 3 4 5 6 7 0", "3 4 5 4 3 0", "22 38 57 76 95 90 74"); /* Figs. 7.1 to 7.3 */
    gives("4 1 3 2 3 0", "2 1 4 0", "8 21 13 20 7");                 /* exercise 2 */
    /* exercise 3: nothing, a shift to the left, a shift to the right, the slope, the mean */
    gives("1 2 4 8 16 0", "0 1 0 0", "1 2 4 8 16");
    gives("1 2 4 8 16 0", "0 0 1 0", "2 4 8 16 0");
    gives("1 2 4 8 16 0", "1 0 0 0", "0 1 2 4 8");
    gives("1 2 4 8 16 0", "-1/2 0 1/2 0", "1 1.5 3 6 -4");
    gives("1 2 4 8 16 0", "1/3 1/3 1/3 0", "1 7/3 14/3 28/3 8");
}

static void test_three_ways(void)
{
    const struct kernel *scalar = kernel_find_signal("scalar");

    /* 2^24 and 2^62 are the limits of floats and integers. */
    gives("16777215 0", "1 0", "16777215");
    gives("16777216 0", "1 0", "16777216");
    gives("4611686018427387903 0", "1 0", "4611686018427387903");
    gives("4611686018427387904 0", "1 0", "4611686018427387904");
    gives("2147483648 -3 0", "2147483647 5 0", "10737418240 4611686016279904241");
    gives("16777215 2 0", "1 1 0", "16777215 16777217"); /* exceeds a float */
    gives("3037000501 3037000500 0", "3037000500 3037000501 0",
          "9223372043074251001 18446744080074501000"); /* exceeds 64 bits */
    gives("0 0 0", "1e60 1 0", "0 0");
    /* Past 62 bits: samples that are 10^40 times as large give sums that are. */
    for (int border = 0; border < BORDER_COUNT; border++) {
        char expected[512] = "", sums[256];
        snprintf(sums, sizeof sums, "%s",
                 pass(scalar, "1 20 3 5 7 2", "3 -1 4 2 0", "0", (enum border)border));
        for (char *at = sums, *word; (word = strsep(&at, " "));)
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s%040d",
                     word == sums ? "" : " ", word, 0);
        const char *large =
            pass(scalar, "1e40 20e40 3e40 5e40 7e40 2e40", "3 -1 4 2 0", "0", (enum border)border);
        CHECKF(strcmp(large, expected) == 0, "border %d: %s", border, large);
    }
}

/* A kernel with one wrong sample. */
static bool run_wrong(const struct signal_job *job, struct error *error)
{
    if (!kernel_signal_scalar.run_signal(job, error))
        return false;
    if (job->type == SIGNAL_F32)
        ((float *)job->out)[2]++;
    else
        ((int64_t *)job->out)[2]++;
    return true;
}

static void test_verify(void)
{
    const struct kernel wrong = {.name = "wrong", .dims = 1, .run_signal = run_wrong};

    pass(&wrong, "1 2 3 4 0", "1 2 1 0", "0", BORDER_ZERO);
    CHECK(err.code == EXIT_DIFFERENT);
    CHECKF(strcmp(err.text, "test: the output differs from the reference at sample 2: a sum of 13 "
                            "where the reference has 12") == 0,
           "%s", err.text);
    err.code = EXIT_DONE;
    pass(&wrong, "1 2 3 1000000000000 0", "1 2 1 0", "0", BORDER_ZERO);
    CHECK(err.code == EXIT_DIFFERENT);
}

/* ---- masks and kernels ---- */

static void mask_is(const struct filter_request *request, const char *expected, int anchor)
{
    struct mask mask;
    char line[256] = "";

    CHECKF(signal_mask_row(request, &mask, &err), "%s", err.text);
    for (int j = 0; j < mask.width; j++)
        gmp_snprintf(line + strlen(line), sizeof line - strlen(line), "%Qd ", mask.weight[j]);
    gmp_snprintf(line + strlen(line), sizeof line - strlen(line), "/ %Qd", mask.divisor);
    CHECKF(strcmp(line, expected) == 0 && mask.anchor_x == anchor && mask.height == 1, "%s, at %d",
           line, mask.anchor_x);
    mask_free(&mask);
}

static void mask_refused(const struct filter_request *request, const char *sentence)
{
    struct mask mask;
    CHECK(!signal_mask_row(request, &mask, &err));
    CHECKF(err.code == EXIT_USAGE && strcmp(err.text, sentence) == 0, "%s", err.text);
}

static void test_masks(void)
{
    struct filter_request row = {.mask = "1 2 3 4", .radius = -1};
    struct filter_request column = {.mask = "1;2;3;4", .radius = -1};
    struct filter_request gauss = {.has_sigma = true, .sigma = 0.5, .radius = -1};
    struct filter_request box = {.radius = 1}, none = {.radius = -1};
    struct filter_request both = {.mask = "1 2", .radius = 1};
    struct filter_request square = {.mask = "1 2; 3 4", .radius = -1};

    mask_is(&row, "1 2 3 4 / 1", 2);
    mask_is(&column, "1 2 3 4 / 1", 2);
    row.overrides = (struct plan_overrides){.divisor = "-3", .has_anchor = true, .flip = true};
    mask_is(&row, "4 3 2 1 / -3", 3);
    column.overrides = (struct plan_overrides){.has_anchor = true, .anchor_y = 1};
    mask_is(&column, "1 2 3 4 / 1", 1);
    mask_is(&gauss, "1 218 1610 218 1 / 2048", 2);
    mask_is(&box, "1 1 1 / 3", 1);
    mask_refused(&none, "signal needs a mask: --mask, --sigma or --radius");
    mask_refused(&both, "--mask and --radius exclude each other");
    mask_refused(&square, "--mask 1 2; 3 4: a signal needs a mask of one row or one column, and "
                          "this one has 2 x 2 cells");
}

static void test_table(void)
{
    int count, rows = 0;
    const struct kernel *table = kernel_table(&count);

    for (int k = 0; k < count; k++) {
        bool signal = table[k].dims == 1;
        rows += signal;
        CHECK(signal ? !table[k].run : !table[k].run_signal);
        CHECK(table[k].device == DEVICE_CUDA || table[k].run || table[k].run_signal);
        CHECK((signal ? kernel_find_signal : kernel_find)(table[k].name) == &table[k]);
    }
    CHECK(rows >= 2 && !kernel_find_signal("avx2") && !kernel_find_signal("readonly"));
    CHECK(kernel_choose_signal(DEVICE_CPU) == kernel_find_signal("scalar"));
    CHECK(kernel_find("reference") != kernel_find_signal("reference"));
}

static void test_audio_names(void)
{
    CHECK(audio_of_path("a.wav") == AUDIO_WAV && audio_of_path("A.WAVE") == AUDIO_WAV);
    CHECK(audio_of_path("b.flac") == AUDIO_FLAC && audio_of_path("x.y/c.aifc") == AUDIO_AIFF);
    CHECK(audio_of_path("wav") == AUDIO_NONE && audio_of_path("x.wav/y") == AUDIO_NONE);
    CHECK(audio_recognise((const uint8_t *)"RIFF", 4) &&
          audio_recognise((const uint8_t *)"fLaC", 4));
    CHECK(!audio_recognise((const uint8_t *)"RIF", 3) &&
          !audio_recognise((const uint8_t *)"1 2 3", 5));
}

int main(void)
{
    TEST(test_number_print);
    TEST(test_series);
    TEST(test_text);
    TEST(test_textbook);
    TEST(test_three_ways);
    TEST(test_verify);
    TEST(test_masks);
    TEST(test_table);
    TEST(test_audio_names);
    return test_finish();
}
