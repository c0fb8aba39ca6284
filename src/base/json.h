/* Prints JSON. A string is printed in one of two ways: as text, in which bytes that are not UTF-8
 * become '?', or as a file name, from which every original byte can be recovered. */
#ifndef STENCIL_BASE_JSON_H
#define STENCIL_BASE_JSON_H

#include <stdint.h>
#include <stdio.h>

/* Like fprintf, with three differences: ' is printed as ", so that keys need no backslashes; %s
 * prints a JSON string, quotes and escapes included, or null for NULL; %i prints a truth value as
 * true or false. Other conversions are d, u, f and g, with any precision and the lengths l, ll and
 * z. Example: json_print(out, "{'name':%s,'width':%d,'exact':%i}", name, width, exact). */
__attribute__((format(printf, 2, 3))) void json_print(FILE *out, const char *format, ...);

/* Prints "[1,2,3]". */
void json_print_integers(FILE *out, const int64_t *values, int count);

/* Prints TEXT as a string, quotes included; bytes that are not UTF-8 become '?'. NULL is null. */
void json_print_text(FILE *out, const char *text);

/* Prints the name of a file as a string, quotes included. A byte 0xNN that is not UTF-8 becomes
 * \udcNN, as in Python's surrogateescape: json.loads and os.fsencode give the name's bytes. */
void json_put_bytes(FILE *out, const char *text);

#endif
