/* Names of files in JSON, so that every byte comes back: what is no UTF-8 is written as
 * Python's surrogateescape has it, byte 0xNN as \udcNN. (json.loads and os.fsencode
 * there give the name's bytes.) */
#ifndef STENCIL_BASE_JSON_H
#define STENCIL_BASE_JSON_H

#include <stdio.h>

/* A JSON string, quotes included. */
void json_put_bytes(FILE *out, const char *text);

/* Reads what json_put_bytes has written, from behind its first quote: replaces it in place by the
 * text and returns what follows the last quote; NULL where it is not of that form. */
char *json_take_bytes(char *text);

/* Prints TEXT as a JSON string, quotes included; bytes that are no UTF-8 become '?'. */
void json_print_text(FILE *out, const char *text);

#endif
