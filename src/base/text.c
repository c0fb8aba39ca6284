/* Appending, cleaning and escaping (base/text.h). A file or a name may hold any bytes. Terminals
 * and parsers must not get them unchecked. */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Also the control characters U+0080 to U+009F. The character at TEXT has BYTES bytes. */
static bool is_shown(const char *text, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)text;
    return bytes > 0 && !is_control(*text) && !(bytes == 2 && c[0] == 0xc2 && c[1] < 0xa0);
}

/* For texts that end in a zero byte: clean_text_character never reads beyond that byte. */
#define ENDED 4

void clean_text_put(FILE *out, const char *text)
{
    for (size_t bytes; *text; text += bytes ? bytes : 1) {
        bytes = clean_text_character(text, ENDED);
        if (is_shown(text, bytes))
            fwrite(text, 1, bytes, out);
        else
            fputc('?', out);
    }
}

/* ---- a terminal ---- */

struct terminal {
    int fd;
    char cut[4]; /* the beginning of a character whose end comes with the next write */
    size_t cut_bytes;
};

static bool write_all(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno != EINTR)
            return false;
        text += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Takes over TEXT up to a character that is cut off at its end. */
static ssize_t terminal_write(void *context, const char *text, size_t length)
{
    struct terminal *terminal = context;
    const size_t whole = terminal->cut_bytes + length;
    char *in = malloc(whole + 1), *out = malloc(whole + 1), *to = out;
    bool ok = in && out;
    size_t at = 0;

    if (ok) {
        memcpy(in, terminal->cut, terminal->cut_bytes);
        memcpy(in + terminal->cut_bytes, text, length);
    }
    while (ok && at < whole) {
        size_t bytes = clean_text_character(in + at, whole - at);
        bool may_be_cut =
            bytes == 0 && whole - at < sizeof terminal->cut && (unsigned char)in[at] >= 0xc2;
        if (may_be_cut)
            break;
        bool shown = is_shown(in + at, bytes) || in[at] == '\n' || in[at] == '\t';
        bytes = shown ? bytes : 1;
        memcpy(to, shown ? in + at : "?", bytes);
        to += bytes;
        at += bytes;
    }
    if (ok) {
        terminal->cut_bytes = whole - at;
        memcpy(terminal->cut, in + at, terminal->cut_bytes);
        ok = write_all(terminal->fd, out, (size_t)(to - out));
    }
    free(in);
    free(out);
    return ok ? (ssize_t)length : 0;
}

static int terminal_close(void *context)
{
    struct terminal *terminal = context;
    bool ok = terminal->cut_bytes == 0 || write_all(terminal->fd, "?", 1);

    return close(terminal->fd) == 0 && ok ? 0 : EOF;
}

FILE *clean_text_stream(int fd)
{
    const cookie_io_functions_t functions = {.write = terminal_write, .close = terminal_close};
    static struct terminal terminals[2]; /* standard output and standard error stay open */
    static int used;
    struct terminal *terminal = &terminals[used % 2];
    FILE *stream = fopencookie(terminal, "w", functions);

    if (!stream)
        return NULL;
    used++;
    *terminal = (struct terminal){.fd = fd};
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    return stream;
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
