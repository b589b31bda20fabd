/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_WAIT_JSON_H
#define TUESDAY_TOOLS_WAIT_JSON_H

struct str;
struct wait_answers;

/* Appends what a look found for another program, "tuesday-waits/1": docs/waitdiagnose.md has the
 * keys, which stay. */
void wait_json(struct str *out, const struct wait_answers *answers);

#endif
