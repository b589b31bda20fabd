/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which package, namespace, class, file or library is a frame's name in? Its parts are the
 * beginnings of it that end at a mark of its language:
 *
 *   com/x/Legacy$Flag.isOn            com, com/x, com/x/Legacy, com/x/Legacy$Flag, and the whole
 *   ns::Map<int, A>::get(int) const   ns, ns::Map, ns::Map<>::get, and the whole
 *   <a::Vec<T> as b::Drop>::drop      a, a::Vec, and the whole
 *   LazyCompile:~f /app/x.js:12:3     f /app/x.js:12:3, /app, /app/x.js, and the whole
 *   py::Mod.f:/usr/lib/m.py           Mod, Mod.f, /usr, /usr/lib, /usr/lib/m.py, and the whole
 *   read (libc.so.6)                  libc.so.6, read, and the whole
 *   _ZN2ns5Class1fEv                  as ns::Class::f, by its mangled beginnings
 *
 * What differs from one use of the same code to the next is left out of a part's text: arguments of
 * templates and functions, types that are returned, the compiler that made it, a line of a file.
 */
#ifndef TUESDAY_FLAME_PARTS_H
#define TUESDAY_FLAME_PARTS_H

#include <stdbool.h>
#include <stddef.h>

struct str;

enum { FLAME_PARTS_MAX = 24 };

/* Bytes of the name, from begin to before end. */
struct flame_part {
	size_t begin, end;
	bool is_whole; /* the name as it is */
};

/* Finds the parts of a name of len bytes, which is without what says its kind (flame_kind_of).
 * Returns how many; more than there is room for are not told, but the whole name always is, as the
 * last one. Two parts can have the same text. */
size_t flame_parts_find(const char *name, size_t len, struct flame_part parts[FLAME_PARTS_MAX]);

/* Appends the text by which equal parts are known: "ns::Map<>::get". */
void flame_part_add_text(struct str *out, const char *name, const struct flame_part *part);

/* Appends such a text as people read it: of a mangled one "ns::Class". */
void flame_part_add_readable(struct str *out, const char *text);

#endif
