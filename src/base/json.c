/* Printing JSON (base/json.h). Commas and brackets are the caller's. */
#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* JSON has no infinity. */
static void put_number(FILE *out, const char *spec, double value)
{
    if (isfinite(value))
        fprintf(out, spec, value);
    else
        fputs("null", out);
}

static void put_string(FILE *out, const char *text, bool keep_bytes)
{
    fputc('"', out);
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        unsigned char c = (unsigned char)*text;
        bytes = clean_text_character(text, 4); /* never reads beyond the final zero byte */
        if (bytes == 0 && keep_bytes)
            fprintf(out, "\\udc%02x", c);
        else if (bytes == 0)
            fputc('?', out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fwrite(text, 1, bytes, out);
    }
    fputc('"', out);
}

void json_print_text(FILE *out, const char *text)
{
    if (text)
        put_string(out, text, false);
    else
        fputs("null", out);
}

void json_put_bytes(FILE *out, const char *text)
{
    put_string(out, text, true);
}

_Static_assert(sizeof(long) == sizeof(long long), "json_print takes both as one");

void json_print(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    for (; *format; format++) {
        char spec[16];
        int length = (int)strcspn(format, "sidufg");
        if (*format != '%') {
            fputc(*format == '\'' ? '"' : *format, out);
            continue;
        }
        snprintf(spec, sizeof spec, "%.*s", length + 1, format);
        format += length;
        if (*format == 'i')
            fputs(va_arg(args, int) ? "true" : "false", out);
        else if (*format == 'f' || *format == 'g')
            put_number(out, spec, va_arg(args, double));
        else if (strchr(spec, 'l') || strchr(spec, 'z'))
            fprintf(out, spec, va_arg(args, long long));
        else if (*format != 's')
            fprintf(out, spec, va_arg(args, int));
        else
            json_print_text(out, va_arg(args, const char *));
    }
    va_end(args);
}

void json_print_integers(FILE *out, const int64_t *values, int count)
{
    fputc('[', out);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%jd", i ? "," : "", (intmax_t)values[i]);
    fputc(']', out);
}
