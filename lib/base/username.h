/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_BASE_USERNAME_H
#define TUESDAY_BASE_USERNAME_H

/* Who runs this command, for what is signed with a name: sudo says who it was. A signature, not a
 * proof, and as hostile as any text; at most 100 bytes. The caller frees. */
char *username_of_caller(void);

#endif
