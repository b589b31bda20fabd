/* SPDX-License-Identifier: GPL-2.0-only */
/* All threads by a BPF iterator: a hundredth of the cost of a walk of /proc, once it is loaded. */
#ifndef TUESDAY_LOADER_TASK_ITERATOR_H
#define TUESDAY_LOADER_TASK_ITERATOR_H

struct task_iter;
struct str;

/* Loads the iterator. Needs CAP_BPF and CAP_PERFMON, and raises them. Returns 0 or -errno; -ENOENT:
 * the kernel has no BTF. */
int task_iter_open(struct task_iter **out);

/* Appends a struct task_record for each thread. Returns 0, -E2BIG where there were more than fit
 * (those that did are there), or -errno. */
int task_iter_read(const struct task_iter *iter, struct str *out);

void task_iter_close(struct task_iter *iter);

#endif
