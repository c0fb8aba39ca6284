/* Text for XML and HTML. */
#ifndef STENCIL_BASE_MARKUP_H
#define STENCIL_BASE_MARKUP_H

#include <stdio.h>

/* TEXT of any bytes and length with < > & " ' escaped; what is no UTF-8, and control characters,
 * as '?'. */
void markup_put(FILE *out, const char *text);

#endif
