/* SPDX-License-Identifier: GPL-2.0-only */
/* Folded stacks: lines "main;read;vfs_read 23", the form that profilers and flame graphs share. */
#ifndef TUESDAY_FLAME_FOLDED_H
#define TUESDAY_FLAME_FOLDED_H

#include <stddef.h>

struct flame_tree;
struct str;

enum { FLAME_LINE_MAX = 16 << 20 }; /* bytes: a longer line is left out, and counted as unread */

/* All that can be read from a descriptor. Returns 0 or -errno, -EINTR where somebody pressed
 * Ctrl-C. */
int flame_tree_read(struct flame_tree *tree, int fd);

/* Appends the stacks as folded lines, as flame_tree_add_line reads them, in the order of the nodes.
 */
void flame_tree_write_folded(struct str *out, const struct flame_tree *tree);

#endif
