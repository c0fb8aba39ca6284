/* The temporaries that killed runs have left: see codec/output_stale.h. A live run holds a
 * lock on each of its own (flock), and the lock ends with the process however it ends. So
 * a file that can be locked is nobody's; what cannot be locked, for whatever reason,
 * stays where it is. */
#include "codec/output_stale.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/output_temporary.h"

#define RUN_DIGITS 16

/* ".NAME.stencilcli-0123456789abcdef-7"; NAME may hold the mark itself, so the last one counts. */
bool temporary_is_name(const char *name)
{
    const char *mark = NULL, *at = name;
    size_t digits;

    while ((at = strstr(at, TEMPORARY_MARK)))
        mark = at++;
    if (name[0] != '.' || !mark || mark == name)
        return false;
    at = mark + strlen(TEMPORARY_MARK);
    if (strspn(at, "0123456789abcdef") != RUN_DIGITS || at[RUN_DIGITS] != '-')
        return false;
    at += RUN_DIGITS + 1;
    digits = strspn(at, "0123456789");
    return digits > 0 && at[digits] == '\0';
}

static bool remove_if_stale(int folder, const char *name)
{
    /* For writing: a lock over NFS asks for it. */
    int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    bool removed = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0 &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        /* Its run may have renamed it since it was opened: then the name is gone. */
        removed = unlinkat(folder, name, 0) == 0;
    close(fd);
    return removed;
}

int temporary_remove_stale(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    int removed = 0;

    while (entries && (entry = readdir(entries)))
        if (temporary_is_name(entry->d_name))
            removed += remove_if_stale(dirfd(entries), entry->d_name);
    if (entries)
        closedir(entries);
    return removed;
}
