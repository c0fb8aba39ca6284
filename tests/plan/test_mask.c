/* Masks as text: reading, every error message, and that a printed mask reads back as the same mask.
 * tests/plan/test_mask_files.c tests files and folders, tests/plan/test_mask_builtin.c masks made
 * from numbers. */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "plan/mask.h"
#include "tests/test.h"

static bool parse(struct mask *mask, const char *text, struct error *err)
{
    return mask_parse(mask, "m", text, strlen(text), err);
}

/* Equal numbers in equal places, and equal titles. */
static bool equal(const struct mask *a, const struct mask *b)
{
    bool same = a->width == b->width && a->height == b->height && a->anchor_x == b->anchor_x &&
                a->anchor_y == b->anchor_y && mpq_equal(a->divisor, b->divisor) &&
                mpq_equal(a->offset, b->offset) && a->offset_percent == b->offset_percent &&
                (a->title == NULL) == (b->title == NULL) &&
                (!a->title || strcmp(a->title, b->title) == 0);
    for (int k = 0; same && k < a->width * a->height; k++)
        same = mpq_equal(a->weight[k], b->weight[k]);
    return same;
}

/* ---- reading ---- */

/* TEXT must mean the same as WANTED, which is written as plainly as possible. */
static void check_same(const char *text, const char *wanted)
{
    struct mask a, b;
    struct error err = {EXIT_DONE, ""};
    bool good = parse(&a, text, &err) && parse(&b, wanted, &err);
    CHECKF(good, "'%s': %s", text, err.text);
    if (!good)
        return;
    CHECKF(equal(&a, &b), "'%s' is not '%s'", text, wanted);
    mask_free(&a);
    mask_free(&b);
}

static void layouts(void)
{
    static const char plain[] = "divisor 16\noffset 3\nanchor 0 1\n1 2 1\n2 4 2\n";
    check_same("divisor 16\r\noffset 3\r\nanchor 0 1\r\n1 2 1\r\n2 4 2\r\n", plain);
    check_same("divisor 16\noffset 3\nanchor 0 1\n1 2 1\n2 4 2", plain);
    check_same("\n\n  1\t2\t1  \n\n2 4 2\n anchor\t0 1\noffset 3\ndivisor 16\n\n", plain);
    check_same("1 2 1\ndivisor 16\n2 4 2\nanchor 0,1\noffset 3", plain);
    check_same("1,2,1\n2, 4 ,2\nanchor 0 , 1\noffset 3\ndivisor 16", plain);
    check_same("1 2 1; 2 4 2; divisor 16; offset 3; anchor 0 1", plain);
    check_same(" ;divisor 16;;1 2 1;2 4 2;offset 3;anchor 0 1;", plain);
    check_same("\xef\xbb\xbf"
               "divisor 16\n1 2 1\n2 4 2\noffset 3\nanchor 0 1\n",
               plain);
    check_same("1 2 1# no title; 9 9 9\n2 4 2 # nor this\ndivisor 16#\noffset 3\nanchor 0 1#1",
               plain);
    check_same("1 2 1 \r\n2 4 2\r\ndivisor 16 \r\noffset 3\r\nanchor 0 1\r", plain);
}

static void numbers(void)
{
    check_same("0.5 .5 5e-1 50e-2 +1/2", "1/2 1/2 1/2 1/2 1/2");
    check_same("offset 50%\n1", "offset 50.0%\n1");
    check_same("normalize\n1 2\n3 4", "divisor 10\n1 2\n3 4");
    check_same("normalize\n-1 -2", "divisor -3\n-1 -2");
    check_same("normalize\n0.1 0.2", "divisor 3/10\n1/10 1/5");
    check_same("divisor -4\n1", "divisor -4\n1");
    /* As NumPy's savetxt writes */
    check_same("1.000000000000000021e-02 9.800000000000000377e-01 0.000000000000000000e+00\n",
               "1000000000000000021e-20 9800000000000000377e-19 0\n");
}

static void defaults(void)
{
    static const struct {
        const char *text;
        int width, height, anchor_x, anchor_y;
    } cases[] = {
        {"1", 1, 1, 0, 0},
        {"1 2", 2, 1, 1, 0},
        {"1;2", 1, 2, 0, 1},
        {"1 2 3;4 5 6;7 8 9", 3, 3, 1, 1},
        {"1 2 3 4;5 6 7 8", 4, 2, 2, 1},
        {"1 2 3 4 5", 5, 1, 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mask mask;
        struct error err;
        CHECK(parse(&mask, cases[i].text, &err));
        CHECK(mask.width == cases[i].width && mask.height == cases[i].height);
        CHECK(mask.anchor_x == cases[i].anchor_x && mask.anchor_y == cases[i].anchor_y);
        CHECK(mpq_cmp_ui(mask.divisor, 1, 1) == 0 && mpq_sgn(mask.offset) == 0);
        mask_free(&mask);
    }
}

static void check_title(const char *text, const char *title)
{
    struct mask mask;
    struct error err = {EXIT_DONE, ""};
    CHECKF(parse(&mask, text, &err), "%s", err.text);
    CHECKF((mask.title == NULL) == (title == NULL) && (!title || strcmp(mask.title, title) == 0),
           "'%s': title '%s'", text, mask.title ? mask.title : "(none)");
    mask_free(&mask);
}

static void titles(void)
{
    check_title("# a blur\n# more\n1", "a blur");
    check_title("\n#\n ##  a blur \t\r\n1", "a blur");
    check_title("1\n# below\n", NULL);
    check_title("divisor 1 # beside\n1\n", NULL);
    check_title("# caf\xc3\xa9 \xf0\x9f\x99\x82\n1", "caf\xc3\xa9 \xf0\x9f\x99\x82");
    check_title("# caf\xe9 \xc3\xc3\xa9 \xed\xa0\x80 \xc0\x80\n1", "caf? ?\xc3\xa9 ?\?\? ?\?");
}

/* ---- errors ---- */

static void hostile_files(void)
{
    static const struct {
        const char *name, *sentence;
    } cases[] = {
        {"256x2", "2:1: a mask of several rows has at most 255 columns"},
        {"2x256", "256:1: a mask of several columns has at most 255 rows"},
        {"6002_columns", "1:12003: a mask has at most 6001 columns"},
        {"6002_rows", "6002:1: a mask has at most 6001 rows"},
        {"anchor_half", "1:9: expected two whole numbers, X and Y"},
        {"anchor_negative", "1:8: expected a whole number, got '-1'"},
        {"anchor_outside", "1:1: the anchor lies outside the mask of 3 x 2"},
        {"bad_number", "3:5: expected a number, got 'O.1'"},
        {"binary", "2:1: not a text file: byte 0x1A"},
        {"capital_word", "1:1: unknown word 'Divisor'; did you mean 'divisor'?"},
        {"denominators", "1:1: the weights' denominators have too little in common to be summed: "
                         "write decimals"},
        {"divides_by_zero", "2:3: division by zero, got '1/0'"},
        {"double_comma", "1:3: expected a number, got ','"},
        {"empty", "1:1: expected a row of numbers, got the end of the mask"},
        {"hexadecimal", "1:1: expected a number, got '0x10'"},
        {"infinity", "2:3: expected a number, got 'inf'"},
        {"large_exponent", "1:3: an exponent lies within -64 and 64, got '1e65'"},
        {"lone_carriage_returns", "1:6: expected lines that end in LF or CRLF, got a lone CR"},
        {"long_number", "1:3: a number has at most 64 characters, got "
                        "'0.111111111111111111111111111111111111111111...'"},
        {"long_row", "2:7: expected 3 numbers as in the rows before, got more"},
        {"minus_sign", "1:3: expected a number, got '\xe2\x88\x92"
                       "1'"},
        {"nan", "2:1: expected a number, got 'nan'"},
        {"normalize_and_divisor", "3:1: 'divisor' and 'normalize' exclude each other"},
        {"normalize_zero", "1:1: cannot normalize: the weights sum to 0"},
        {"not_utf8", "1:3: expected a number, got '?\?'"},
        {"nul_byte", "1:5: not a text file: byte 0x00"},
        {"offset_without_value", "1:7: expected a number before the end of the row"},
        {"only_comments", "5:1: expected a row of numbers, got the end of the mask"},
        {"short_row", "2:4: expected 3 numbers as in the rows before, got 2"},
        {"trailing_comma", "1:9: expected a number after the comma"},
        {"two_divisors", "3:1: expected each keyword once, got 'divisor'"},
        {"unknown_word", "1:1: unknown word 'divsor'; did you mean 'divisor'?"},
        {"utf16", "1:4: not a text file: byte 0x00"},
        {"word_with_more", "1:11: expected the end of the line, got '5'"},
        {"zero_divisor", "1:9: a divisor cannot be 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mask mask;
        struct error err = {EXIT_DONE, ""};
        char path[128], wanted[256];
        snprintf(path, sizeof path, "testdata/hostile/mask_%s.txt", cases[i].name);
        snprintf(wanted, sizeof wanted, "%s:%s", path, cases[i].sentence);
        CHECKF(!mask_load(&mask, path, &err), "%s", path);
        CHECKF(strcmp(err.text, wanted) == 0, "%s, not %s", err.text, wanted);
        CHECK(err.code == EXIT_USAGE && !mask.weight && !mask.title && mask.width == 0);
    }
}

static void check_refused(const char *text, const char *sentence)
{
    struct mask mask;
    struct error err = {EXIT_DONE, ""};
    CHECKF(!parse(&mask, text, &err), "'%s'", text);
    CHECKF(strcmp(err.text, sentence) == 0, "'%s': %s", text, err.text);
}

static void refused_in_place(void)
{
    /* Rows written in place are one line: columns count on. */
    check_refused("1 2; 3 x", "m:1:8: expected a number, got 'x'");
    check_refused("1 2;3", "m:1:6: expected 2 numbers as in the rows before, got 1");
    check_refused(";;", "m:1:3: expected a row of numbers, got the end of the mask");
    check_refused(",1", "m:1:1: expected a number, got ','");
    check_refused("1 ,; 2", "m:1:4: expected a number after the comma");
    check_refused("1;normalize 1", "m:1:13: expected the end of the line, got '1'");
    check_refused("1;normalize;normalize", "m:1:13: expected each keyword once, got 'normalize'");
    check_refused("1;offset 5%%", "m:1:10: expected a number, got '5%%'");
    check_refused("1;offset %", "m:1:10: expected a number, got '%'");
    check_refused("1;offset ,", "m:1:10: expected a number, got ','");
    check_refused("1;divisor", "m:1:10: expected a number before the end of the row");
    check_refused("1;divisor 5%", "m:1:11: expected a number, got '5%'");
    check_refused("1;anchor 0 0 0", "m:1:14: expected the end of the line, got '0'");
    check_refused("1;anchor 0 99999999999999999999",
                  "m:1:3: the anchor lies outside the mask of 1 x 1");
    check_refused("1;anchor 1.0 0", "m:1:10: expected a whole number, got '1.0'");
    check_refused("1 divisor", "m:1:3: expected a number, got 'divisor'");
    check_refused("1;\x1b[31m", "m:1:3: not a text file: byte 0x1B");
}

/* ---- printing ---- */

static void check_print(const char *text, const char *beginning)
{
    struct mask mask, again;
    struct error err = {EXIT_DONE, ""};
    char *printed = NULL;
    CHECKF(parse(&mask, text, &err), "'%s': %s", text, err.text);
    CHECKF((printed = mask_print(&mask, &err)) != NULL, "'%s': %s", text, err.text);
    if (printed) {
        CHECKF(strncmp(printed, beginning, strlen(beginning)) == 0, "'%s' became\n%s", text,
               printed);
        CHECKF(parse(&again, printed, &err), "%s: %s", printed, err.text);
        CHECKF(equal(&mask, &again), "'%s' became\n%s", text, printed);
        mask_free(&again);
    }
    free(printed);
    mask_free(&mask);
}

static void prints_what_it_reads(void)
{
    check_print("1", "1\n# size 1 x 1, anchor 0 0\n# sum 1\n# rank 1: row 1, column 1\n"
                     "# symmetry: horizontal, vertical, transposed, point\n"
                     "# 8 bits: results from 0 to 255 before clamping, 32-bit sums, exact in float "
                     "too\n# 16 bits: results from 0 to 65535 before clamping, 32-bit sums, exact "
                     "in float too\n");
    check_print("#a title\ndivisor 16\n1 2 1;2 4 2;1 2 1",
                "# a title\ndivisor 16\n1 2 1\n2 4 2\n1 2 1\n# size 3 x 3, anchor 1 1\n"
                "# sum 16, divided: 1\n# rank 1: row 1 2 1, column 1 2 1\n");
    check_print("offset 12.5%;anchor 0 1;-1 10;1/3 0.25",
                "offset 12.5%\nanchor 0 1\n -1   10\n1/3 0.25\n");
    check_print("offset 0%;1", "offset 0%\n1\n");
    check_print("offset -1/3;divisor -2;1 2", "divisor -2\noffset -1/3\n1 2\n");
    check_print("-1 0 1;-2 0 2;-1 0 1",
                "-1 0 1\n-2 0 2\n-1 0 1\n# size 3 x 3, anchor 1 1\n# sum 0\n"
                "# rank 1: row 1 0 -1, column -1 -2 -1\n"
                "# symmetry: vertical, point-antisymmetric\n"
                "# 8 bits: results from -1020 to 1020 before clamping, 32-bit sums, exact in float "
                "too\n");
    check_print("1 2;3 4", "1 2\n3 4\n# size 2 x 2, anchor 1 1\n# sum 10\n# rank 2\n"
                           "# symmetry: none\n");
    check_print("1 2 3;4 5 4;3 2 1;1 1 1;offset 1/3;divisor 2",
                "divisor 2\noffset 1/3\n1 2 3\n4 5 4\n3 2 1\n1 1 1\n# size 3 x 4, anchor 1 2\n"
                "# sum 28, divided: 14\n# rank 3\n# symmetry: none\n"
                "# 8 bits: results from 1/3 to 10711/3 before clamping, 32-bit sums, "
                "exact in float too\n");
    check_print("1e64 1", "1e64 1\n# size 2 x 1, anchor 1 0\n# sum about 1e+64\n"
                          "# 8 bits: numbers too large to be filtered with\n");
    check_print("1 1e-30", "1 1e-30\n# size 2 x 1, anchor 1 0\n# sum about 1\n"
                           "# rank 1: row 1 0, column 9007199254740992\n# symmetry: vertical\n"
                           "# 8 bits: results from 0 to 255 before clamping, 64-bit sums, weights "
                           "in 1/2^53 (a sample changes by 2.6e-28 at most)\n");
    check_print("1/4398046511104 3/4398046511104",
                "1/4398046511104 3/4398046511104\n# size 2 x 1, anchor 1 0\n"
                "# sum 1/1099511627776\n# rank 1: row 1 3, column 1\n# symmetry: vertical\n"
                "# 8 bits: results from 0 to 255/1099511627776 before clamping, 64-bit sums\n");
    check_print("1 -1e-30", "1 -1e-30\n# size 2 x 1, anchor 1 0\n# sum about 1\n"
                            "# rank 1: row 1 0, column 9007199254740992\n# symmetry: vertical\n"
                            "# 8 bits: results from 0 to 255 before clamping, 64-bit sums, weights "
                            "in 1/2^53 (a sample changes by 2.6e-28 at most)\n");
    /* The sum has more than 64 characters, so the keyword is printed instead. */
    check_print("normalize;1/10000000000000000000000000000000000000000000061 "
                "1/10000000000000000000000000000000000000000000069",
                "normalize\n");
}

int main(void)
{
    TEST(layouts);
    TEST(numbers);
    TEST(defaults);
    TEST(titles);
    TEST(hostile_files);
    TEST(refused_in_place);
    TEST(prints_what_it_reads);
    return test_finish();
}
