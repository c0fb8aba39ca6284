/* Private to src/try: which parameter is what, and the shape of a kernel's blocks (roles.c). */
#ifndef STENCIL_TRY_ROLES_H
#define STENCIL_TRY_ROLES_H

#include "try/file.h"

/* The role of a parameter with this name; ROLE_NONE: none. */
enum try_role try_role_of(const struct try_token *name, bool pointer);
/* The role that the line `// stencil:` calls so: "N", "width" ... */
enum try_role try_role_named(const char *key);
enum try_type try_type_of(const char *type); /* TYPE_NONE: unknown */

void try_roles_guess(struct try_function *function);
/* Whether all parameters have roles, and those that are needed are there. Sets `has`, `type`. */
bool try_roles_check(struct try_file *file, struct error *err);
/* Block, tile and masks from the command line, the line, or the file's constants. */
bool try_shape_find(struct try_file *file, const struct try_shape *shape, struct error *err);

#endif
