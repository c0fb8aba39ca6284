/* UTF-8 for sentences, titles and JSON: see base/clean_text.h. A file may hold any
 * bytes; what is printed from it may not, or the terminal or the JSON parser
 * behind us would be the one to complain. */
#include "base/clean_text.h"

#include <stdbool.h>
#include <string.h>

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
    /* Forms that are longer than need be, surrogates, and what lies beyond U+10FFFF */
    bool wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                 (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f);
    return wrong ? 0 : bytes;
}

void clean_text_copy(char *out, size_t room, const char *text, size_t length)
{
    size_t n = 0;      /* written */
    size_t before = 0; /* of them, what leaves room for the dots */

    for (size_t i = 0; i < length;) {
        size_t bytes = clean_text_character(text + i, length - i);
        if (n + 4 <= room)
            before = n;
        if (n + (bytes ? bytes : 1) >= room) {
            memcpy(out + before, "...", 3);
            n = before + 3;
            break;
        }
        if (bytes > 0)
            memcpy(out + n, text + i, bytes);
        else
            out[n] = '?';
        n += bytes ? bytes : 1;
        i += bytes ? bytes : 1;
    }
    out[n] = '\0';
}
