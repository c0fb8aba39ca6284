/* Escaping: see base/markup.h. */
#include "base/markup.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"

void markup_put(FILE *out, const char *text)
{
    size_t length = strlen(text);
    char *clean = malloc(length + 4);

    if (!clean)
        return;
    clean_text_copy(clean, length + 4, text, length);
    for (const char *c = clean; *c; c++) {
        if (strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0) {
            fputc('?', out); /* U+FFFE and U+FFFF: UTF-8, but not XML */
            c += 2;
        } else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else if (*c == '\'')
            fputs("&#39;", out);
        else if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            fputc('?', out);
        else
            fputc(*c, out);
    }
    free(clean);
}
