/* Shared by the commands that filter one picture (cli/command_filter.c) and folders of pictures
 * (cli/command_batch.c). */
#ifndef STENCIL_CLI_COMMAND_FILTER_H
#define STENCIL_CLI_COMMAND_FILTER_H

#include "cli/options.h"
#include "run/picture.h"

/* The fields of a filtered picture, from "filter" on, without braces. */
void command_filter_json(FILE *out, const struct options *options,
                         const struct picture_report *report);

/* Whether INPUT is a folder; false with ERR when the options do not suit a folder or a file. */
bool command_batch_wanted(const struct options *options, bool *wanted, struct error *err);

int command_batch(const struct options *options, const struct picture_request *request);

#endif
