/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes hold BPF programs, by a BPF iterator over all descriptors of the machine. */
#ifndef TUESDAY_LOADER_HOLDER_ITERATOR_H
#define TUESDAY_LOADER_HOLDER_ITERATOR_H

struct str;

/*
 * Loads the iterator, appends a struct holder_record (bpf/iter/holder.h) for each descriptor of a
 * program or a link, and unloads it. Needs CAP_BPF and CAP_PERFMON, and raises them. Returns 0,
 * -E2BIG where there were more than fit (those that did are there), or -errno.
 */
int holder_iter_read(struct str *out);

#endif
