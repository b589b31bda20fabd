/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be done about who is ahead. */
#ifndef TUESDAY_TOOLS_QUEUE_ADVICE_H
#define TUESDAY_TOOLS_QUEUE_ADVICE_H

struct matrix_table;
struct str;

/* About the party that was asked for, else about the first of the table; nothing where nobody
 * waited. */
void queue_advice_cpu(struct str *out, const struct matrix_table *table);
/* The same of a block device, by its name. */
void queue_advice_block(struct str *out, const struct matrix_table *table, const char *device);

#endif
