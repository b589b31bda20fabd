/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to know of a machine besides its files: noted in a recording, read from it in a
 * replay. */
#ifndef TUESDAY_CAPTURE_ENVIRONMENT_H
#define TUESDAY_CAPTURE_ENVIRONMENT_H

struct capture;

/* The CPUs that are online, 0 where that is not known. */
unsigned int machine_cpus(struct capture *fs);
/* Bytes of a page of memory: many counters of the kernel are in pages. In recordings from before
 * they were noted, 4096; NAN where a tree does not say. */
double machine_page_bytes(struct capture *fs);

/* One value of the environment (host, kernel, cpus, page_bytes …): noted in a recording, read from
 * it in a replay, where setting has no effect. capture_environment returns NULL where it is not
 * known; the caller frees. */
void capture_set_environment(struct capture *fs, const char *key, const char *value);
char *capture_environment(struct capture *fs, const char *key);

#endif
