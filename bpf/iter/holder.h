/* SPDX-License-Identifier: GPL-2.0-only */
/* Who holds a BPF program: the record that the iterator writes. <linux/types.h> comes first. */
#ifndef TUESDAY_BPF_ITER_HOLDER_H
#define TUESDAY_BPF_ITER_HOLDER_H

/* One for each descriptor of a program, or of a link that attaches one. */
struct holder_record {
	__u32 program; /* its id */
	__u32 pid;     /* as the first pid namespace numbers it */
	__u8 comm[16]; /* of the process */
};

#endif
