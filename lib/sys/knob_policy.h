/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which files of the kernel may an experiment write to? Settings of /proc/sys, /sys and cgroups
 * that make the machine faster or slower; never those that run programs, stop the machine, or guard
 * it, whoever asks: what a check file says is text, and these would make it code of root's.
 */
#ifndef TUESDAY_SYS_KNOB_POLICY_H
#define TUESDAY_SYS_KNOB_POLICY_H

#include <stdbool.h>

struct str;

/*
 * Whether the file may be written to, by its path as it is given and as its links resolve. What has
 * '*' or {instance} in it is judged by its text, as is what is not there. Where it is false, why
 * gets a phrase.
 */
bool knob_policy_path(const char *path, struct str *why);

/* Whether a file may hold this value while it is turned. One with a path in it is no setting: the
 * kernel would run or read what it names. */
bool knob_policy_value(const char *path, const char *value, struct str *why);

/* Whether the device may be held open: only the kernel's four that take a number as long as they
 * are, of a latency or a throughput that somebody needs. */
bool knob_policy_device(const char *path, struct str *why);

#endif
