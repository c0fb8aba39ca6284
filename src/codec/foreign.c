/* Files that are not read: what they are, by their first bytes, and a command that turns them into
 * a picture that is read. The commands are programs of Debian (packages imagemagick, ffmpeg,
 * librsvg2-bin, poppler-utils, libraw-bin); tests/cli/foreign_pipes.sh runs those that are
 * installed. A format that becomes readable gets a row in codec/formats.def and loses its row
 * here, unless a build may lack its library. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "codec/format.h"

/* What stands before and after the file's name. */
struct command {
    const char *before, *after;
};

static const struct command by_convert = {"convert ", " png:-"},
                            by_convert_as_ico = {"convert ico:", " png:-"},
                            by_ffmpeg = {"ffmpeg -v error -i ",
                                         " -frames:v 1 -f image2pipe -c:v png -"},
                            by_rsvg = {"rsvg-convert ", ""},
                            by_pdftoppm = {"pdftoppm -singlefile ", ""},
                            by_libraw = {"dcraw_emu -w -Z - ", ""};

/* A row holds if MAGIC is at place AT; if AT is TEXT, anywhere in a head that begins with '<'. */
#define TEXT            SIZE_MAX
#define MAGIC(at, text) at, text, sizeof text - 1

static const struct foreign {
    const char *title;
    size_t at;
    const char *magic;
    size_t bytes;
    const struct command *command; /* NULL: none */
} rows[] = {
    {"HEIC", MAGIC(4, "ftyphei"), &by_convert},
    {"HEIC", MAGIC(4, "ftyphev"), &by_convert},
    {"HEIF", MAGIC(4, "ftypmif1"), &by_convert},
    {"HEIF", MAGIC(4, "ftypmsf1"), &by_convert},
    {"AVIF", MAGIC(4, "ftypavi"), &by_convert},
    {"a RAW photograph (CR3)", MAGIC(4, "ftypcrx "), &by_libraw},
    {"MP4 or MOV video", MAGIC(4, "ftyp"), &by_ffmpeg},
    {"WebP", MAGIC(8, "WEBPVP8"), &by_convert},
    {"AVI video", MAGIC(8, "AVI LIST"), &by_ffmpeg},
    {"PDF", MAGIC(0, "%PDF-"), &by_pdftoppm},
    {"JPEG XL", MAGIC(0, "\xff\x0a"), &by_ffmpeg},
    {"JPEG XL", MAGIC(0, "\0\0\0\x0cJXL \r\n\x87\n"), &by_ffmpeg},
    {"JPEG 2000", MAGIC(0, "\0\0\0\x0cjP  \r\n\x87\n"), &by_convert},
    {"JPEG 2000", MAGIC(0, "\xff\x4f\xff\x51"), &by_convert},
    {"an HTML page", MAGIC(TEXT, "<html"), NULL},
    {"an HTML page", MAGIC(TEXT, "<!doctype html"), NULL},
    {"SVG", MAGIC(TEXT, "<svg"), &by_rsvg},
    {"a RAW photograph (CR2)", MAGIC(8, "CR\2\0"), &by_libraw},
    {"a RAW photograph (CRW)", MAGIC(6, "HEAPCCDR"), &by_libraw},
    {"a RAW photograph (RAF)", MAGIC(0, "FUJIFILMCCD-RAW"), &by_libraw},
    {"a RAW photograph (ORF)", MAGIC(0, "IIRO"), &by_libraw},
    {"a RAW photograph (ORF)", MAGIC(0, "IIRS"), &by_libraw},
    {"a RAW photograph (ORF)", MAGIC(0, "MMOR"), &by_libraw},
    {"a RAW photograph (RW2)", MAGIC(0, "IIU\0"), &by_libraw},
    {"a RAW photograph (MRW)", MAGIC(0, "\0MRM"), &by_libraw},
    {"a RAW photograph (X3F)", MAGIC(0, "FOVb"), &by_libraw},
    {"TIFF", MAGIC(0, "II*\0"), &by_convert},
    {"TIFF", MAGIC(0, "MM\0*"), &by_convert},
    {"BigTIFF", MAGIC(0, "II+\0"), &by_convert},
    {"BigTIFF", MAGIC(0, "MM\0+"), &by_convert},
    {"EXR", MAGIC(0, "v/1\1"), &by_convert},
    {"Radiance HDR", MAGIC(0, "#?RADIANCE"), &by_convert},
    {"DPX", MAGIC(0, "SDPX"), &by_convert},
    {"DPX", MAGIC(0, "XPDS"), &by_convert},
    {"FITS", MAGIC(0, "SIMPLE  ="), &by_convert},
    {"QOI", MAGIC(0, "qoif"), &by_ffmpeg},
    {"DDS", MAGIC(0, "DDS |"), &by_convert},
    {"XCF", MAGIC(0, "gimp xcf "), &by_convert},
    {"XPM", MAGIC(0, "/* XPM */"), &by_convert},
    {"PFM", MAGIC(0, "PF\n"), &by_convert},
    {"PFM", MAGIC(0, "Pf\n"), &by_convert},
    {"SGI", MAGIC(0, "\1\xda"), &by_convert},
    {"PCX", MAGIC(0, "\x0a\5\1"), &by_convert},
    {"ICO", MAGIC(0, "\0\0\1\0"), &by_convert_as_ico},
};

/* Most cameras' RAW files begin like a TIFF file. */
bool foreign_is_raw_name(const char *name)
{
    static const char *const known[] = {"dng", "nef", "nrw", "arw", "sr2", "srf", "pef",
                                        "srw", "rwl", "3fr", "erf", "kdc", "dcr", "mef",
                                        "mos", "iiq", "fff", "orf", "raw"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot + 1, known[i]) == 0)
            return true;
    return false;
}

static bool holds(const struct foreign *row, const uint8_t *head, size_t bytes)
{
    if (row->at != TEXT)
        return bytes >= row->bytes && row->at <= bytes - row->bytes &&
               memcmp(head + row->at, row->magic, row->bytes) == 0;
    size_t start = bytes >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (start < bytes && strchr(" \t\r\n", head[start]))
        start++;
    if (start == bytes || head[start] != '<')
        return false;
    for (size_t i = start; i + row->bytes <= bytes; i++)
        if (strncasecmp((const char *)head + i, row->magic, row->bytes) == 0)
            return true;
    return false;
}

/* Appends NAME as a word of a shell's command line, which programs take for a file's name. */
static void append_quoted(struct error *err, const char *name)
{
    const size_t room = sizeof err->text;
    bool plain = name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789_./,+@-")] == '\0';

    if (*name == '-' || (*name != '/' && strchr(name, ':')))
        text_append(err->text, room, plain ? "./" : "'./");
    else if (!plain)
        text_append(err->text, room, "'");
    for (; *name; name++)
        text_append(err->text, room, *name == '\'' ? "'\\''" : "%c", *name);
    if (!plain)
        text_append(err->text, room, "'");
}

void foreign_append_pipe(struct error *err, const char *before, const char *path, const char *after)
{
    const size_t room = sizeof err->text, length = strlen(err->text);

    text_append(err->text, room, "; try: %s", before);
    if (strcmp(path, "-") == 0)
        text_append(err->text, room, "FILE");
    else
        append_quoted(err, path);
    text_append(err->text, room, "%s | stencilcli FILTER - OUTPUT", after);
    if (strlen(err->text) == room - 1)
        err->text[length] = '\0';
}

bool foreign_refuse_raw(const char *name, struct error *err)
{
    error_file(err, name, "is a RAW photograph, which is not read");
    foreign_append_pipe(err, by_libraw.before, strcmp(name, "standard input") == 0 ? "-" : name,
                        by_libraw.after);
    return false;
}

/* The package with which a build reads a format of TITLE ("BigTIFF" too); NULL: there is none. */
static const char *package_for(const char *title)
{
    for (enum format format = FORMAT_NONE + 1; format < FORMATS; format++) {
        const struct format_row *row = format_row(format);
        if (row->package && strstr(title, row->title))
            return row->package;
    }
    return NULL;
}

bool foreign_refuse(const uint8_t *head, size_t bytes, const char *path, const char *name,
                    struct error *err)
{
    const struct foreign *row = NULL;
    const char *package;

    for (size_t i = 0; i < sizeof rows / sizeof *rows && !row; i++)
        if (holds(&rows[i], head, bytes))
            row = &rows[i];
    if (row && strcmp(row->title, "TIFF") == 0 && foreign_is_raw_name(path))
        return !foreign_refuse_raw(name, err);
    if (!row)
        return false;
    package = package_for(row->title);
    if (package)
        error_file(err, name, "is %s, which this build does not read: install %s and build again",
                   row->title, package);
    else
        error_file(err, name, "is %s, which is not read", row->title);
    if (row->command)
        foreign_append_pipe(err, row->command->before, path, row->command->after);
    return true;
}
