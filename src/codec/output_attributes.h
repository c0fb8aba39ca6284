/* Private to codec/output*.c: owner, mode, ACL and extended attributes of a file that is replaced.
 */
#ifndef STENCIL_CODEC_OUTPUT_ATTRIBUTES_H
#define STENCIL_CODEC_OUTPUT_ATTRIBUTES_H

#include <stdbool.h>
#include <sys/stat.h>

/* Gives the new file FD the owner, mode bits, ACL and extended attributes of the file at OLD, as
 * far as permitted, and nobody more rights than the old file gave. Setuid and its kin are kept only
 * together with the owner. False with errno set. */
bool output_keep_attributes(int fd, const char *old, const struct stat *status);

#endif
