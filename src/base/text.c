/* Appending, cleaning and escaping (base/text.h). A file or a name may hold any bytes. Terminals
 * and parsers must not get them unchecked. */
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

void text_append(char *text, size_t room, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
}

void text_wrap(FILE *out, const char *text, int indent, int columns)
{
    int column = indent;

    for (int length; *text; text += length + (text[length] == ' ')) {
        length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > columns)
            column = fprintf(out, "\n%*s", indent, "") - 1; /* without the newline */
        else if (column > indent)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
    }
    fputc('\n', out);
}

size_t clean_text_character(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t bytes = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;

    if (bytes == 1)
        return 1;
    if (c[0] < 0xc2 || c[0] > 0xf4 || bytes > length)
        return 0;
    for (size_t k = 1; k < bytes; k++)
        if ((c[k] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates, and code points beyond U+10FFFF */
    bool wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                 (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f);
    return wrong ? 0 : bytes;
}

void clean_text_copy(char *out, size_t room, const char *text, size_t length)
{
    size_t n = 0;      /* bytes written */
    size_t before = 0; /* bytes written while the dots still fitted */

    for (size_t i = 0; i < length;) {
        size_t bytes = clean_text_character(text + i, length - i);
        size_t written = bytes ? bytes : 1;
        if (n + 4 <= room)
            before = n;
        if (n + written >= room) {
            memcpy(out + before, "...", 3);
            n = before + 3;
            break;
        }
        memcpy(out + n, bytes ? text + i : "?", written);
        n += written;
        i += written;
    }
    out[n] = '\0';
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* For texts that end in a zero byte: clean_text_character never reads beyond that byte. */
#define ENDED 4

void clean_text_put(FILE *out, const char *text)
{
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        bytes = clean_text_character(text, ENDED);
        if (bytes == 0 || is_control(*text))
            fputc('?', out);
        else
            fwrite(text, 1, bytes, out);
    }
}

void markup_put(FILE *out, const char *text)
{
    static const char special[] = "<>&\"'";
    static const char *const escaped[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};

    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        const char *at = strchr(special, *text);
        bytes = clean_text_character(text, ENDED);
        /* U+FFFE and U+FFFF are UTF-8, but not XML. */
        bool is_xml = !is_control(*text) || *text == '\n' || *text == '\t';
        if (bytes == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] >= 0xbe)
            is_xml = false;
        if (at)
            fputs(escaped[at - special], out);
        else if (bytes == 0 || !is_xml)
            fputc('?', out);
        else
            fwrite(text, 1, bytes, out);
    }
}
