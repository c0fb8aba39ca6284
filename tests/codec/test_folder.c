/* The walk through folders of pictures, and the paths of their files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec/folder.h"
#include "tests/codec/test_pictures.h"

static void names(void)
{
    CHECK(folder_is_manifest(".stencilcli-manifest.jsonl"));
    CHECK(folder_is_manifest(".stencilcli-manifest-1-of-2.jsonl"));
    CHECK(!folder_is_manifest("stencilcli-manifest.jsonl"));
    CHECK(!folder_is_manifest(".stencilcli-manifest.json"));
    CHECK(!folder_is_manifest(".jsonl") && !folder_is_manifest(""));
    CHECK(path_inside("/a/b", "/a") && path_inside("/a", "/a") && path_inside("/a", "/"));
    CHECK(!path_inside("/ab", "/a") && !path_inside("/a", "/a/b"));
}

static void check_text(char *text, const char *expected)
{
    CHECKF(text && strcmp(text, expected) == 0, "%s, not %s", text ? text : "nothing", expected);
    free(text);
}

static void joined(void)
{
    check_text(path_join("a", "b"), "a/b");
    check_text(path_join("a//", "b/c"), "a/b/c");
    check_text(path_join("/", "b"), "/b");
}

static void real_paths(void)
{
    char here[512], expected[600];

    CHECK(getcwd(here, sizeof here) && mkdir("real", 0777) == 0 && symlink("real", "link") == 0);
    snprintf(expected, sizeof expected, "%s/real/new/deep", here);
    check_text(path_real("link/new/deep"), expected);
    snprintf(expected, sizeof expected, "%s/new", here);
    check_text(path_real("new"), expected);
    snprintf(expected, sizeof expected, "%s/real", here);
    check_text(path_real("link/"), expected);
    check_text(path_real("/"), "/");
    CHECK(unlink("link") == 0 && rmdir("real") == 0);
}

static int visits, passed_over;

static bool visit(void *context, const char *name, bool passed, const char *trouble)
{
    CHECKF(!trouble && strcmp(name, passed ? "deep/note.txt" : context) == 0, "%s: %s", name,
           trouble ? trouble : "visited");
    visits += !passed;
    passed_over += passed;
    return true;
}

static bool refuse(void *context, const char *name, bool passed, const char *trouble)
{
    (void)context, (void)name, (void)passed, (void)trouble;
    visits++;
    return false;
}

static void write_empty(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fclose(file) == 0);
}

static void walk(void)
{
    static const char *const made[] = {"in/deep/a.png", "in/deep/note.txt", "in/b.pgm",
                                       "in/.stencilcli-manifest.jsonl",
                                       "in/.a.png.stencilcli-0123456789abcdef-0"};
    struct folder_filter filter = {.exclude = {1, {"*.pgm"}}};
    struct folder_rest rest = {0};
    char *real, deep[] = "in/deep/deeper/file";

    CHECK(path_make_parents(deep) && strcmp(deep, "in/deep/deeper/file") == 0);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        write_empty(made[i]);
    CHECK(symlink("..", "in/deep/up") == 0 && symlink("/", "in/out") == 0);
    real = path_real("in");
    CHECK(real && folder_walk("in", real, &filter, visit, "deep/a.png", &rest));
    CHECKF(visits == 1 && passed_over == 1 && rest.left_out == 1 && rest.links_outside == 1,
           "%d, %d, %zu, %zu", visits, passed_over, rest.left_out, rest.links_outside);
    filter.exclude.count = visits = 0;
    CHECK(real && !folder_walk("in", real, &filter, refuse, NULL, &rest) && visits == 1);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        unlink(made[i]);
    CHECK(unlink("in/deep/up") == 0 && unlink("in/out") == 0 && rmdir("in/deep/deeper") == 0 &&
          rmdir("in/deep") == 0 && rmdir("in") == 0);
    free(real);
}

static void check_choice(struct folder_filter *filter, const char *pattern, const char *name,
                         enum folder_choice choice)
{
    filter->include = (struct globs){1, {pattern}};
    CHECKF(folder_choose(filter, name) == choice, "%s on %s: %d", pattern, name,
           (int)folder_choose(filter, name));
}

static void choices(void)
{
    struct folder_filter filter = {0};

    CHECK(folder_choose(&filter, "a/b.png") == FOLDER_TAKE);
    CHECK(folder_choose(&filter, "a/b.heic") == FOLDER_PASS_OVER);
    check_choice(&filter, "2026/**", "2026/x/b.png", FOLDER_TAKE);
    check_choice(&filter, "2026/**", "2026/x/b.txt", FOLDER_PASS_OVER);
    check_choice(&filter, "2026/**", "2025/b.txt", FOLDER_LEAVE_OUT);
    check_choice(&filter, "IMG_*", "IMG_1.txt", FOLDER_PASS_OVER);
    check_choice(&filter, "b.*", "b.txt", FOLDER_PASS_OVER);
    check_choice(&filter, "*.d*", "b.dat", FOLDER_PASS_OVER);
    check_choice(&filter, "*.dat", "x/b.dat", FOLDER_TAKE);
    check_choice(&filter, "*.d?t", "b.dat", FOLDER_TAKE);
    check_choice(&filter, "*.{raw,dat}", "b.dat", FOLDER_TAKE);
    check_choice(&filter, "{*.raw,2026/**}", "2026/b.dat", FOLDER_PASS_OVER);
    check_choice(&filter, "scan", "x/scan", FOLDER_TAKE);
    check_choice(&filter, "x/", "y/x/z/b.png", FOLDER_TAKE);
    check_choice(&filter, "x/", "y/x/z/b.dat", FOLDER_PASS_OVER);
    check_choice(&filter, "x/", "y/x", FOLDER_LEAVE_OUT);
    check_choice(&filter, "{w,x}/", "y/x/b.png", FOLDER_TAKE);
}

static void check_kinds(const char *names, const char *line)
{
    struct folder_kinds kinds = {0};
    char copy[512], text[FOLDER_KINDS_BYTES], *rest = copy, *name;

    snprintf(copy, sizeof copy, "%s", names);
    while ((name = strsep(&rest, " ")))
        folder_kinds_add(&kinds, name);
    CHECKF(strcmp(folder_kinds_line(text, &kinds), line) == 0, "%s: %s", names, text);
}

static void kinds(void)
{
    check_kinds("a.txt", "1 file passed over: txt");
    check_kinds("a.avif b.heic d.e/c.AVIF .d.gif", "4 files passed over: 2 avif, gif, heic");
    check_kinds("x.y/README .DS_Store a. b.txt c.far-too-long-to-name",
                "5 files passed over: txt, 4 without extension");
    check_kinds("1.a 1.b 1.c 1.d 1.e 1.f 1.g 1.h 1.i 1.j 1.k 1.l 1.m 1.n 1.o 1.p 1.q 1.r",
                "18 files passed over: a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, 2 others");
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(names);
    TEST(joined);
    TEST(real_paths);
    TEST(walk);
    TEST(choices);
    TEST(kinds);
    return test_finish() || !leave_test_folder(folder);
}
