/* What a replaced file passes on to the new one: see codec/output_attributes.h. */
#include "codec/output_attributes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* With an ACL, the group bits of a file's mode are the ACL's mask, not the rights of the group. */
#define ACL "system.posix_acl_access"

/* Copies one attribute; false if it cannot be set. One that cannot be read is no reason to fail. */
static bool copy(int fd, const char *old, const char *name)
{
    ssize_t bytes = getxattr(old, name, NULL, 0);
    char *value = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
    bool ok = true;

    if (value)
        bytes = getxattr(old, name, value, (size_t)bytes);
    if (value && bytes >= 0)
        ok = fsetxattr(fd, name, value, (size_t)bytes, 0) == 0;
    free(value);
    return ok && (value || bytes < 0);
}

/* Copies all attributes but those that belong to the system. False if the ACL cannot be set. */
static bool copy_all(int fd, const char *old)
{
    ssize_t bytes = listxattr(old, NULL, 0);
    char *names = bytes > 0 ? malloc((size_t)bytes) : NULL;
    bool ok = !(bytes > 0 && !names);

    if (names)
        bytes = listxattr(old, names, (size_t)bytes);
    for (const char *name = names; names && name < names + bytes; name += strlen(name) + 1) {
        if (strncmp(name, "security.", 9) == 0 || strncmp(name, "trusted.", 8) == 0)
            continue;
        if (!copy(fd, old, name) && strcmp(name, ACL) == 0)
            ok = false;
    }
    free(names);
    return ok;
}

bool output_keep_attributes(int fd, const char *old, const struct stat *status)
{
    bool owner = fchown(fd, status->st_uid, status->st_gid) == 0;
    bool group = owner || fchown(fd, (uid_t)-1, status->st_gid) == 0;
    mode_t mode = status->st_mode & (owner ? 07777 : 0777);

    if (!group) /* another group gets what everybody has */
        mode &= ~(mode_t)070 | (mode << 3 & 070);
    fremovexattr(fd, ACL); /* from the folder's default ACL */
    if (fchmod(fd, mode) != 0)
        return false;
    return copy_all(fd, old) || fchmod(fd, mode & ~(mode_t)070) == 0;
}
