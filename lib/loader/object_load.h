/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_LOADER_OBJECT_LOAD_H
#define TUESDAY_LOADER_OBJECT_LOAD_H

#include "loader/object.h"

/* Makes the maps of an object that was opened, and loads its programs. Returns 0 or -errno;
 * -ENOTSUP also where its programs need what only libbpf can give them. */
int object_load(struct object *object);

/* Which raw tracepoint a program is attached to by name, from its section; NULL: by itself. */
const char *object_tracepoint(const char *section);

#endif
