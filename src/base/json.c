/* Names in JSON and back: see base/json.h. */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"

void json_put_bytes(FILE *out, const char *text)
{
    size_t left = strlen(text);

    fputc('"', out);
    while (left > 0) {
        unsigned char c = (unsigned char)*text;
        size_t bytes = clean_text_character(text, left);
        if (bytes == 0)
            fprintf(out, "\\udc%02x", c);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fwrite(text, 1, bytes, out);
        bytes += bytes == 0;
        text += bytes;
        left -= bytes;
    }
    fputc('"', out);
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

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
            int high = hex_digit(text[4]), low = high < 0 ? -1 : hex_digit(text[5]);
            if (low < 0 || high + low == 0)
                return NULL;
            *to++ = (char)(16 * high + low);
            text += 6;
        }
    }
    text++; /* before its quote is written over, where nothing was shortened */
    *to = '\0';
    return text;
}

void json_print_text(FILE *out, const char *text)
{
    size_t length = strlen(text), room = length + 4;
    char *clean = malloc(room);
    fputc('"', out);
    if (clean)
        clean_text_copy(clean, room, text, length);
    for (const char *c = clean; c && *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
    free(clean);
}
