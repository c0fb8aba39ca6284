/* Text of a bounded length, and bytes of any kind (names, titles, sentences) made fit to be shown:
 * as UTF-8, on a terminal, and in XML and HTML. JSON has a file of its own (base/json.h). */
#ifndef STENCIL_BASE_TEXT_H
#define STENCIL_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Appends to TEXT, which has room for ROOM bytes; the end that does not fit is cut. */
__attribute__((format(printf, 3, 4))) void text_append(char *text, size_t room, const char *format,
                                                       ...);

/* Prints TEXT, which begins at column INDENT, in lines of at most COLUMNS columns. Later lines
 * begin at INDENT. */
void text_wrap(FILE *out, const char *text, int indent, int columns);

/* The number of bytes of the UTF-8 character at TEXT; 0 if there is none. LENGTH >= 1 bytes of TEXT
 * may be read. */
size_t clean_text_character(const char *text, size_t length);

/* Copies LENGTH bytes into OUT, which holds ROOM >= 4. Bytes that are not UTF-8 become '?'. Text
 * that does not fit is cut between two characters, and "..." is put in its place. */
void clean_text_copy(char *out, size_t room, const char *text, size_t length);

/* Prints TEXT on one line, without terminal escape sequences: control characters and bytes that are
 * not UTF-8 become '?'. */
void clean_text_put(FILE *out, const char *text);

/* A stream to the terminal FD that lets through text, newlines and tabs only: everything else
 * becomes '?'. At most two are open at a time. NULL without memory. */
FILE *clean_text_stream(int fd);

/* Prints TEXT with < > & " ' escaped; control characters and bytes that are not UTF-8 become
 * '?'. */
void markup_put(FILE *out, const char *text);

#endif
