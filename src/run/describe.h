/* Describes a plan that picture_plan or the library has made: everything that decides the bytes,
 * and the choices of device, kernel, method and threads. */
#ifndef STENCIL_RUN_DESCRIBE_H
#define STENCIL_RUN_DESCRIBE_H

#include <stdio.h>

#include "run/picture.h"

/* Print to OUT lines of words, or an object of JSON. INPUT is what the picture is called; NULL: it
 * lies in memory, and there is no estimate of times, which count decoding. False if the method that
 * the request names cannot run a step. */
bool describe_text(FILE *out, const char *input, const struct picture_request *request,
                   const struct plan *plan, const struct picture_report *report, struct error *err);
bool describe_json(FILE *out, const char *input, const struct picture_request *request,
                   const struct plan *plan, const struct picture_report *report, struct error *err);

#endif
