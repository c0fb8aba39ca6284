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

static int visits;

static bool visit(void *context, const char *name, const char *trouble)
{
    CHECKF(!trouble && strcmp(name, context) == 0, "%s: %s", name, trouble ? trouble : "visited");
    visits++;
    return true;
}

static bool refuse(void *context, const char *name, const char *trouble)
{
    (void)context, (void)name, (void)trouble;
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
    CHECKF(visits == 1 && rest.others == 1 && rest.links_outside == 1, "%d, %zu, %zu", visits,
           rest.others, rest.links_outside);
    filter.exclude.count = visits = 0;
    CHECK(real && !folder_walk("in", real, &filter, refuse, NULL, &rest) && visits == 1);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        unlink(made[i]);
    CHECK(unlink("in/deep/up") == 0 && unlink("in/out") == 0 && rmdir("in/deep/deeper") == 0 &&
          rmdir("in/deep") == 0 && rmdir("in") == 0);
    free(real);
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
    return test_finish() || !leave_test_folder(folder);
}
