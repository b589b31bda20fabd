/* SPDX-License-Identifier: GPL-2.0-only */
/* The lease: what other runs see of an experiment that is under way. */
#ifndef TUESDAY_EXPERIMENT_LEASE_H
#define TUESDAY_EXPERIMENT_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* It holds from now on until a time of CLOCK_BOOTTIME, or the end of this process. Return 0 or
 * -errno; removing one that is not there is no error. */
int lease_write(const char *check, const char *experiment, uint64_t until_ns);
int lease_remove(void);

/*
 * Whether an experiment is under way on this machine, for a run that would measure it: reads one
 * small file, needs no rights. who gets "CHECK/EXPERIMENT", cut to size, harmless to print. False
 * for the lease that own_keeper wrote, the keeper of this process (change_keeper) or 0.
 */
bool lease_active(char *who, size_t size, pid_t own_keeper);

#endif
