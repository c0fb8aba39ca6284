/* Bytes from a file, made fit to be shown: valid UTF-8 of a bounded length. */
#ifndef STENCIL_BASE_CLEAN_TEXT_H
#define STENCIL_BASE_CLEAN_TEXT_H

#include <stddef.h>

/* The bytes of the UTF-8 character at TEXT, of which LENGTH >= 1 bytes are there; 0 if it is none.
 */
size_t clean_text_character(const char *text, size_t length);

/* Copies LENGTH bytes into OUT, which holds ROOM >= 4. Bytes that are no UTF-8 become '?'; what
 * does not fit is cut between characters and "..." stands in its place. */
void clean_text_copy(char *out, size_t room, const char *text, size_t length);

#endif
