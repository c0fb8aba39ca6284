/* Text for terminals, XML and JSON: which bytes are kept, escaped or replaced. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "tests/test.h"

/* PRINT must turn TEXT into EXPECTED. */
static void prints(void (*print)(FILE *, const char *), const char *text, const char *expected)
{
    char *got = NULL;
    size_t bytes;
    FILE *out = open_memstream(&got, &bytes);
    print(out, text);
    fclose(out);
    CHECKF(strcmp(got, expected) == 0, "'%s', not '%s'", got, expected);
    free(got);
}

static void characters(void)
{
    CHECK(clean_text_character("a", 1) == 1 && clean_text_character("\x7f", 1) == 1);
    CHECK(clean_text_character("\xc3\xa9", 2) == 2 && clean_text_character("\xc3\xa9", 1) == 0);
    CHECK(clean_text_character("\xe2\x82\xac", 3) == 3 && clean_text_character("\xe2\x82", 4) == 0);
    CHECK(clean_text_character("\xf0\x9f\x98\x80", 4) == 4);
    /* an overlong form, a surrogate, past U+10FFFF, a lone continuation byte */
    CHECK(clean_text_character("\xc0\x80", 2) == 0 && clean_text_character("\xe0\x80\x80", 3) == 0);
    CHECK(clean_text_character("\xed\xa0\x80", 3) == 0);
    CHECK(clean_text_character("\xf4\x90\x80\x80", 4) == 0 && clean_text_character("\x80", 1) == 0);
}

static void copies(void)
{
    char out[8];
    clean_text_copy(out, sizeof out, "seven77", 7);
    CHECK(strcmp(out, "seven77") == 0);
    clean_text_copy(out, sizeof out, "eight888", 8);
    CHECK(strcmp(out, "eigh...") == 0);
    clean_text_copy(out, sizeof out, "abc\xc3\xa9\xc3\xa9\xc3\xa9", 9);
    CHECKF(strcmp(out, "abc...") == 0, "%s", out);
    clean_text_copy(out, sizeof out, "a\xff\n", 3);
    CHECK(strcmp(out, "a?\n") == 0);
}

static void terminals(void)
{
    prints(clean_text_put, "caf\xc3\xa9 \xff\n\033[2J\x7f\xe2\x82", "caf\xc3\xa9 ???[2J???");
    prints(clean_text_put, "", "");
}

static void markup(void)
{
    prints(markup_put, "<a href=\"x\">'&'</a>",
           "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
    prints(markup_put, "a\n\tb\r\x01\x7f\xff", "a\n\tb????");
    prints(markup_put, "\xef\xbf\xbd \xef\xbf\xbe \xef\xbf\xbf", "\xef\xbf\xbd ? ?");
}

static void json_strings(void)
{
    prints(json_print_text, "a\"b\\c\n\x7f\xc3\xa9\xff", "\"a\\\"b\\\\c\\u000a\\u007f\xc3\xa9?\"");
    prints(json_put_bytes, "a\"b\\c\n\x7f\xc3\xa9\xff",
           "\"a\\\"b\\\\c\\u000a\\u007f\xc3\xa9\\udcff\"");
    prints(json_print_text, NULL, "null");
}

/* Names of any bytes can be recovered: each byte has its own printed form. */
static void json_names(void)
{
    for (int i = 1; i < 256; i++) {
        char name[] = {(char)i, '\0'}, expected[16];
        if (i == '"' || i == '\\')
            snprintf(expected, sizeof expected, "\"\\%c\"", i);
        else if (i < 0x20 || i == 0x7f || i >= 0x80)
            snprintf(expected, sizeof expected, "\"\\u%s%02x\"", i >= 0x80 ? "dc" : "00",
                     (unsigned)i);
        else
            snprintf(expected, sizeof expected, "\"%c\"", i);
        prints(json_put_bytes, name, expected);
    }
    prints(json_put_bytes, "\303\251 \342\202\254 \360\237\230\200 \355\240\200 /",
           "\"\303\251 \342\202\254 \360\237\230\200 \\udced\\udca0\\udc80 /\"");
}

static void json_formats(void)
{
    static const int64_t values[] = {1, -2, INT64_MAX};
    const char *volatile nothing = NULL;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    json_print(out, "{'a':%s,'b':%d,'c':%u,'d':%i,'e':%i", "it's", -1, 4000000000u, true, false);
    json_print(out, ",'f':%.3f,'g':%.6g,'h':%zu,'i':%" PRId64 ",'j':%llu,'k':%s,'l':[%d,%d]", 1.5,
               1e-9, (size_t)-1, INT64_MIN, 1ull << 63, nothing, 7, 8);
    json_print(out, ",'m':");
    json_print_integers(out, values, 3);
    json_print_integers(out, values, 0);
    fclose(out);
    CHECKF(strcmp(text, "{\"a\":\"it's\",\"b\":-1,\"c\":4000000000,\"d\":true,\"e\":false,"
                        "\"f\":1.500,\"g\":1e-09,\"h\":18446744073709551615,"
                        "\"i\":-9223372036854775808,\"j\":9223372036854775808,\"k\":null,"
                        "\"l\":[7,8],\"m\":[1,-2,9223372036854775807][]") == 0,
           "%s", text);
    free(text);
}

int main(void)
{
    TEST(characters);
    TEST(copies);
    TEST(terminals);
    TEST(markup);
    TEST(json_strings);
    TEST(json_names);
    TEST(json_formats);
    return test_finish();
}
