/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of machine is looked at, noted in its environment. */
#ifndef TUESDAY_CAPTURE_ENVIRONMENT_DESCRIBE_H
#define TUESDAY_CAPTURE_ENVIRONMENT_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct capture;

/*
 * Notes host, kernel, CPUs, pages and time: of this machine from its kernel, of a tree elsewhere
 * (--root) from what its files say, as far as they do. In a replay these are known already.
 */
void environment_describe(struct capture *fs, time_t now);

/*
 * The CPUs in the text of /proc/stat. Bytes of a page, in what is in /proc/PID/auxv of a 64-bit
 * machine with our order of bytes, or in the text of /proc/PID/smaps. 0 where it is not said.
 */
uint64_t stat_text_cpus(const char *text);
uint64_t auxv_page_bytes(const char *data, size_t len);
uint64_t smaps_page_bytes(const char *text);

#endif
