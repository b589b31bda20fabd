/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_QUEUE_PROBE_CPU_H
#define TUESDAY_TOOLS_QUEUE_PROBE_CPU_H

struct queue_probe;
struct str;

/* Loads and attaches the probe on run queues; it does not count yet. Raises CAPS_BPF. Returns 0, or
 * -errno with a phrase in why. */
int queue_probe_cpu(struct queue_probe *probe, struct str *why);

#endif
