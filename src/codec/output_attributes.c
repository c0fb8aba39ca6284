/* What a replaced file passes on to the new one: see codec/output_attributes.h. */
#include "codec/output_attributes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* With an ACL, the group bits of a file's mode are the ACL's mask, not the rights of the group. */
#define ACL "system.posix_acl_access"

/* An ACL's bytes: a version, then entries of tag, rights and id, little-endian. */
#define ACL_HEAD_BYTES   4
#define ACL_ENTRY_BYTES  8
#define ACL_OWNING_GROUP 4

/* Takes the rights of the owning group, which is another one than the old file's. */
static void acl_close_group(uint8_t *acl, size_t bytes)
{
    for (size_t at = ACL_HEAD_BYTES; at + ACL_ENTRY_BYTES <= bytes; at += ACL_ENTRY_BYTES)
        if (acl[at] == ACL_OWNING_GROUP && acl[at + 1] == 0)
            acl[at + 2] = acl[at + 3] = 0;
}

/* Copies one attribute; false if the new file does not get it. */
static bool copy(int fd, const char *old, const char *name, bool same_group)
{
    ssize_t bytes = getxattr(old, name, NULL, 0);
    uint8_t *value = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
    bool ok = false;

    if (value)
        bytes = getxattr(old, name, value, (size_t)bytes);
    if (value && bytes >= 0) {
        if (!same_group && strcmp(name, ACL) == 0)
            acl_close_group(value, (size_t)bytes);
        ok = fsetxattr(fd, name, value, (size_t)bytes, 0) == 0;
    }
    free(value);
    return ok;
}

/* What became of the old file's ACL. */
enum acl_fate { ACL_NONE, ACL_KEPT, ACL_LOST };

/* Copies all attributes but those that belong to the system. */
static enum acl_fate copy_all(int fd, const char *old, bool same_group)
{
    ssize_t bytes = listxattr(old, NULL, 0);
    char *names = bytes > 0 ? malloc((size_t)bytes) : NULL;
    enum acl_fate fate = ACL_NONE;

    if (names)
        bytes = listxattr(old, names, (size_t)bytes);
    if (bytes < 0 ? errno != ENOTSUP : bytes > 0 && !names)
        fate = ACL_LOST; /* there may be one */
    for (const char *name = names; name && name < names + bytes; name += strlen(name) + 1) {
        if (strncmp(name, "security.", 9) == 0 || strncmp(name, "trusted.", 8) == 0)
            continue;
        bool copied = copy(fd, old, name, same_group);
        if (strcmp(name, ACL) == 0)
            fate = copied ? ACL_KEPT : ACL_LOST;
    }
    free(names);
    return fate;
}

/* The mode comes last: until then nobody but the owner can open the file. */
bool output_keep_attributes(int fd, const char *old, const struct stat *status)
{
    bool owner = fchown(fd, status->st_uid, status->st_gid) == 0;
    bool group = owner || fchown(fd, (uid_t)-1, status->st_gid) == 0;
    mode_t mode = status->st_mode & (owner ? 07777 : 0777);

    fremovexattr(fd, ACL); /* from the folder's default ACL */
    switch (copy_all(fd, old, group)) {
    case ACL_NONE:
        if (!group) /* another group gets what everybody has */
            mode &= ~(mode_t)070 | (mode << 3 & 070);
        break;
    case ACL_KEPT:
        break;
    case ACL_LOST:
        mode &= ~(mode_t)070;
        break;
    }
    return fchmod(fd, mode) == 0;
}
