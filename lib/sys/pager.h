/* SPDX-License-Identifier: GPL-2.0-only */
/* Long texts on a terminal, in the pager of whoever reads them. */
#ifndef TUESDAY_SYS_PAGER_H
#define TUESDAY_SYS_PAGER_H

/*
 * Makes standard output the input of $PAGER, or of less or more, where a person reads at a
 * terminal; else nothing changes. less is told to end by itself where all of it fits. Programs that
 * look at the terminal's width find it in COLUMNS from then on. To be called before rights are
 * given up, since it starts a shell.
 */
void pager_begin(void);

/* Waits until the reader has seen enough, which is no failure of what was written. */
void pager_end(void);

#endif
