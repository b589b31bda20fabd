/* SPDX-License-Identifier: GPL-2.0-only */
/* The watchdog: the process that puts the knob back when the keeper was killed. */
#ifndef TUESDAY_EXPERIMENT_WATCHDOG_H
#define TUESDAY_EXPERIMENT_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct undo_log_entry;

/* What keeper and watchdog do at their start: a session of their own, deaf to signals that are
 * meant for the tool, no terminal, no directory kept busy, and spared when memory runs out. */
void keeper_detach(const char *name);

/* A descriptor of this process that becomes readable when it ends, or -1 on Linux before 5.3. */
int own_pidfd(void);
/* One that becomes readable at a time of CLOCK_BOOTTIME, also after a sleep of the machine; or
 * -errno. */
int boottime_alarm(uint64_t at_ns);
/* After a poll that failed with errno: unless it was a signal it may fail at once again. */
void pause_after_error(void);
/* Whether a descriptor is readable, or its other end is gone. Does not wait; false for -1. */
bool is_readable(int fd);

struct watchdog {
	pid_t pid;
	int fd; /* readable when the watchdog is gone */
};

/*
 * Forks the watchdog of the keeper that calls: it puts back what the undo log has about this entry
 * when the keeper and all that it started are gone, or, having killed the keeper, when at_ns of
 * CLOCK_BOOTTIME has come. Returns 0 or -errno.
 */
int watchdog_start(struct watchdog *watchdog, const struct undo_log_entry *entry, uint64_t at_ns);
/* It is not needed any longer. */
void watchdog_dismiss(struct watchdog *watchdog);

#endif
