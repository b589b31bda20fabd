/* SPDX-License-Identifier: GPL-2.0-only */
/* The keeper: the process behind a change (change.h) that turns the knob. */
#ifndef TUESDAY_EXPERIMENT_KEEPER_H
#define TUESDAY_EXPERIMENT_KEEPER_H

#include <sys/types.h>

/* Forks the keeper of this process. Returns its end of the socket in *fd, and the process, or
 * -errno. */
pid_t keeper_start(int *fd);

#endif
