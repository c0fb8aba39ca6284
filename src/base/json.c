/* Printing and reading JSON (base/json.h). Commas and brackets are the caller's. */
#include "base/json.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- printing ---- */

static void put_string(FILE *out, const char *text, bool keep_bytes)
{
    fputc('"', out);
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        unsigned char c = (unsigned char)*text;
        bytes = clean_text_character(text, 4); /* the zero byte at the end continues none */
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
            fprintf(out, spec, va_arg(args, double));
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

/* ---- reading ---- */

char *json_take_bytes(char *text)
{
    char *to = text;

    while (*text != '"') {
        if (*text == '\0')
            return NULL;
        if (*text != '\\') {
            *to++ = *text++;
        } else if (text[1] == '"' || text[1] == '\\') {
            *to++ = text[1];
            text += 2;
        } else {
            if (strncmp(text, "\\u00", 4) != 0 && strncmp(text, "\\udc", 4) != 0)
                return NULL;
            char digits[3] = {text[4], text[4] ? text[5] : '\0', '\0'};
            if (strspn(digits, "0123456789abcdef") != 2 || strcmp(digits, "00") == 0)
                return NULL;
            *to++ = (char)strtol(digits, NULL, 16);
            text += 6;
        }
    }
    text++; /* first, because the end may be written over this quote */
    *to = '\0';
    return text;
}
