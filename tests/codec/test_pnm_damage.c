/* Damaged PNM files: every message of the reader, with files, with pipes, and with the files of
 * testdata/hostile. tests/codec/test_pnm.c tests undamaged files. */
#include <limits.h>

#include "tests/codec/test_pictures.h"

static char hostile_folder[PATH_MAX]; /* absolute: the tests run in a folder of their own */

/* Reads PATH to the end; returns the error message, or "" on success. */
static const char *read_fully(const char *path, struct error *err)
{
    struct source *source;
    struct image image;

    err->text[0] = '\0';
    err->code = EXIT_DONE;
    if (source_open(&source, path, err)) {
        if (source_read_all(source, &image, err))
            image_free(&image);
        source_close(source);
    }
    return err->text;
}

static void check_damage(const char *text, size_t count, const char *sentence)
{
    struct error err;

    write_file("in.pnm", text, count);
    CHECKF(strcmp(read_fully("in.pnm", &err), sentence) == 0, "'%.30s': got '%s', expected '%s'",
           text, err.text, sentence);
    CHECK(err.code == EXIT_INPUT);
}

static void damaged_headers(void)
{
    check_damage(BYTES(""), "in.pnm: the file is empty");
    check_damage(BYTES("P"),
                 "in.pnm: not in a format that is read ('stencilcli list formats' names them)");
    check_damage(BYTES("P8 1 1 255 x"),
                 "in.pnm: not in a format that is read ('stencilcli list formats' names them)");
    check_damage(BYTES("P61 1 255 abc"),
                 "in.pnm: not in a format that is read ('stencilcli list formats' names them)");
    check_damage(BYTES("P6"), "in.pnm: truncated PPM: the file ends in its header");
    check_damage(BYTES("P5 3"), "in.pnm: truncated PGM: the file ends in its header");
    check_damage(BYTES("P5 3 2 255"), "in.pnm: truncated PGM: the file ends in its header");
    check_damage(BYTES("P5 3 2 # 255 "), "in.pnm: truncated PGM: the file ends in its header");
    check_damage(BYTES("P6 -3 2 255 "), "in.pnm: damaged PPM: expected the width, got '-'");
    check_damage(BYTES("P6 3 \0 255 "), "in.pnm: damaged PPM: expected the height, got byte 0x00");
    check_damage(BYTES("P6 3 2 25x "),
                 "in.pnm: damaged PPM: expected blank space after the maxval, got 'x'");
    check_damage(BYTES("P6 1 1 255\1\2\3"),
                 "in.pnm: damaged PPM: expected blank space after the maxval, got byte 0x01");
    check_damage(BYTES("P6 0 2 255 "), "in.pnm: damaged PPM: the width is 0");
    check_damage(BYTES("P4 3 00 "), "in.pnm: damaged PBM: the height is 0");
    check_damage(BYTES("P6 3 2 0 "), "in.pnm: damaged PPM: the maxval is 0");
    check_damage(BYTES("P2 3 2 65536 "), "in.pnm: damaged PGM: the maxval is above 65535");
    check_damage(BYTES("P5 2147483648 2 255 "),
                 "in.pnm: damaged PGM: the width is above 2147483647");
    check_damage(BYTES("P5 2 99999999999999999999999999999999999 255 "),
                 "in.pnm: damaged PGM: the height is above 2147483647");
    check_damage(BYTES("P6 2147483647 2147483647 65535 "),
                 "in.pnm: damaged PPM: 2147483647 x 2147483647 pixels are more than a file holds");
}

#define PAM(lines) BYTES("P7\n" lines "ENDHDR\nabcdefghijklmnop")

static void damaged_pam_headers(void)
{
    check_damage(BYTES("P7 332\n"), "in.pnm: damaged PAM: unknown header line '332'");
    check_damage(BYTES("P7\nWIDTH 2\n"), "in.pnm: truncated PAM: the file ends in its header");
    check_damage(BYTES("P7\nWIDTH 2\nHEIGHT"),
                 "in.pnm: truncated PAM: the file ends in its header");
    check_damage(PAM("WIDTH 2\nHEIGHT 1\nDEPTH 1\n"),
                 "in.pnm: damaged PAM: no MAXVAL line in its header");
    check_damage(PAM("WIDTH 2\nWIDTH 2\n"), "in.pnm: damaged PAM: a second WIDTH line");
    check_damage(PAM("WIDTH -2\n"), "in.pnm: damaged PAM: expected a number after WIDTH, got '-2'");
    check_damage(PAM("WIDTH\n"), "in.pnm: damaged PAM: expected a number after WIDTH, got ''");
    check_damage(PAM("WIDTH 2 3\n"),
                 "in.pnm: damaged PAM: expected a number after WIDTH, got '2 3'");
    check_damage(PAM("WIDTH 0\n"), "in.pnm: damaged PAM: the WIDTH is 0");
    check_damage(PAM("MAXVAL 65536\n"), "in.pnm: damaged PAM: the MAXVAL is above 65535");
    check_damage(PAM("DEPTH 5\n"), "in.pnm: a PAM of more than 4 channels");
    check_damage(PAM("WIDTHS 2\n"), "in.pnm: damaged PAM: unknown header line 'WIDTHS 2'");
    check_damage(PAM("WIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB\n"),
                 "in.pnm: damaged PAM: TUPLTYPE RGB needs DEPTH 3, not 4");
    check_damage(PAM("WIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE BLACKANDWHITE\n"),
                 "in.pnm: damaged PAM: TUPLTYPE BLACKANDWHITE needs MAXVAL 1, not 255");
    check_damage(PAM("WIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\n"),
                 "in.pnm: unknown tuple type 'CMYK' (known: BLACKANDWHITE GRAYSCALE RGB, each also "
                 "with _ALPHA)");
    check_damage(PAM("WIDTH 2\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nTUPLTYPE RGB\n"),
                 "in.pnm: unknown tuple type 'RGB RGB' (known: BLACKANDWHITE GRAYSCALE RGB, each "
                 "also with _ALPHA)");
    check_damage(PAM("WIDTH 2\0\n"), "in.pnm: damaged PAM: byte 0x00 in its header");
}

static void endless_headers(void)
{
    size_t bytes = (size_t)2 << 20;
    char *text = malloc(bytes);

    memset(text, 'x', bytes);
    memcpy(text, "P6 #", 4);
    check_damage(text, bytes, "in.pnm: damaged PPM: its header does not end within 1 MiB");
    memcpy(text, "P7\nW", 4);
    check_damage(text, bytes, "in.pnm: damaged PAM: a header line of more than 255 characters");
    free(text);
}

static void damaged_samples(void)
{
    check_damage(BYTES("P3 2 2 255 1 2 3 4 5 6 7 8 9 10 11 300"),
                 "in.pnm: damaged PPM: sample 300 at row 2, column 2 is above the maxval 255");
    check_damage(
        BYTES("P2 1 1 9 99999999999999999999999"),
        "in.pnm: damaged PGM: sample 1000000 or more at row 1, column 1 is above the maxval "
        "9");
    check_damage(BYTES("P2 1 1 65535 999999"),
                 "in.pnm: damaged PGM: sample 999999 at row 1, column 1 is above the maxval 65535");
    check_damage(BYTES("P5 3 2 100 abcdee"),
                 "in.pnm: damaged PGM: sample 101 at row 2, column 2 is above the maxval 100");
    check_damage(BYTES("P6 1 2 299 \1\1\1\1\1\1\1\1\1\1\1\60"),
                 "in.pnm: damaged PPM: sample 304 at row 2, column 1 is above the maxval 299");
    check_damage(BYTES("P2 2 2 255 1 2 x 4"),
                 "in.pnm: damaged PGM: expected a sample at row 2, column 1, got 'x'");
    check_damage(BYTES("P2 2 2 255 1 2 3,4"), "in.pnm: damaged PGM: expected blank space after the "
                                              "sample at row 2, column 1, got ','");
    check_damage(BYTES("P2 2 2 255 1 2 3 -4"),
                 "in.pnm: damaged PGM: expected a sample at row 2, column 2, got '-'");
    check_damage(BYTES("P1 2 2 0120"),
                 "in.pnm: damaged PBM: expected 0 or 1 at row 2, column 1, got '2'");
}

/* A file's length is known and checked at once; the end of a pipe is found while reading. */
static void truncated_files(void)
{
    static const struct {
        const char *text, *file, *pipe;
    } cases[] = {
        {"P5 3 2 255 abcd", "the header promises 6 bytes of samples, the file holds 4",
         "PGM: 1 of 2 rows"},
        {"P6 3 2 256 abcdefg", "the header promises 36 bytes of samples, the file holds 7",
         "PPM: 0 of 2 rows"},
        {"P4 9 3 abcde", "the header promises 6 bytes of samples, the file holds 5",
         "PBM: 2 of 3 rows"},
        {"P3 1 2 255 1 2 3 4 5",
         "the header promises at least 11 bytes of samples, the file holds 9", "PPM: 1 of 2 rows"},
        {"P1 3 3 010101", "the header promises at least 9 bytes of samples, the file holds 6",
         "PBM: 2 of 3 rows"},
        {"P5 20000 20000 255 abcd",
         "the header promises 400000000 bytes of samples, the file holds 4",
         "PGM: 0 of 20000 rows"},
        {"P2 20000 20000 255 1 2",
         "the header promises at least 799999999 bytes of samples, the "
         "file holds 3",
         "PGM: 0 of 20000 rows"},
    };
    int saved = dup(STDIN_FILENO), ends[2];
    char sentence[256];
    struct error err;
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = strlen(cases[i].text);
        snprintf(sentence, sizeof sentence, "in.pnm: truncated %.3s: %s", cases[i].pipe,
                 cases[i].file);
        check_damage(cases[i].text, length, sentence);
        CHECK(pipe(ends) == 0 && write(ends[1], cases[i].text, length) == (ssize_t)length);
        close(ends[1]);
        dup2(ends[0], STDIN_FILENO);
        snprintf(sentence, sizeof sentence, "standard input: truncated %s", cases[i].pipe);
        CHECKF(strcmp(read_fully("-", &err), sentence) == 0, "'%s', got '%s'", cases[i].text,
               err.text);
        close(ends[0]);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void missing_files(void)
{
    struct error err;

    CHECK(strcmp(read_fully("nothing.ppm", &err),
                 "nothing.ppm: cannot open: No such file or directory") == 0);
    CHECK(err.code == EXIT_INPUT);
    CHECK(strcmp(read_fully(".", &err), ".: is a folder, not a file") == 0);
}

/* Each file of testdata/hostile gives an error message that names it. */
static void hostile_files(void)
{
    DIR *folder = opendir(hostile_folder);
    struct dirent *entry;
    char path[2 * PATH_MAX];
    struct error err;
    int count = 0;

    CHECKF(folder != NULL, "%s", hostile_folder);
    while (folder && (entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strlen(dot) != 4 || dot[1] != 'p' || dot[3] != 'm')
            continue;
        snprintf(path, sizeof path, "%s/%s", hostile_folder, entry->d_name);
        read_fully(path, &err);
        CHECKF(err.code == EXIT_INPUT && strncmp(err.text, path, strlen(path)) == 0, "%s: '%s'",
               path, err.text);
        count++;
    }
    if (folder)
        closedir(folder);
    CHECK(count >= 10);
}

/* Must be started in the project's root folder. */
int main(void)
{
    char folder[64];

    if (!realpath("testdata/hostile", hostile_folder))
        return 1;
    if (!enter_test_folder(folder))
        return 1;
    TEST(damaged_headers);
    TEST(damaged_pam_headers);
    TEST(endless_headers);
    TEST(damaged_samples);
    TEST(truncated_files);
    TEST(missing_files);
    TEST(hostile_files);
    return test_finish() || !leave_test_folder(folder);
}
