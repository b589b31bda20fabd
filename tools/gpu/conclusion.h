/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What follows from a profile: is it to be believed, is the GPU in stall, why, and where.
 *
 * Never bad: that a GPU is in stall is a cause and no harm. How busy it is, which would show harm,
 * is not looked at here (eustallhealth does).
 */
#ifndef TUESDAY_TOOLS_GPU_CONCLUSION_H
#define TUESDAY_TOOLS_GPU_CONCLUSION_H

#include "report/report.h"
#include "base/str.h"
#include "tools/gpu/limits.h"
#include "tools/gpu/profile.h"
#include "sources/gpu/eustall_histogram.h"

enum { ANSWER_TOP_MAX = 1000 };

/* One instruction. */
struct gpu_spot {
	uint64_t address;		 /* on the GPU, in bytes; its lower 32 bits on most */
	uint64_t offset;		 /* in its kernel, or the address where that is not known */
	const struct gpu_kernel *kernel; /* or NULL */
	struct eustall_entry entry;
	struct gpu_share share;	    /* of all stalls */
	enum eustall_reason reason; /* the one with most of its stalls */
	double reason_share;
};

struct gpu_conclusion {
	enum verdict verdict; /* good, maybe or unknown */
	struct str summary;   /* one sentence */
	struct gpu_share stalled, reasons[EUSTALL_REASONS];
	enum eustall_reason dominant; /* EUSTALL_REASONS: no stall */
	double drop_share;	      /* reads that told of a loss, for each that brought records */
	struct gpu_spot *top;
	size_t n_top;
	uint64_t instructions; /* that were seen, at least */
	double unkept_share;   /* of samples without a place among them */
	double unnamed_share;  /* of stalls that belong to no kernel that is known */
	/* The first of top is what it is about: sure, or it may be. */
	bool named, sure;
	char **howevers;
	size_t n_howevers, howevers_room;
};

/* profile must be settled and stays the caller's, as long as the answer. cut: the recording was. */
void gpu_conclusion_make(struct gpu_conclusion *answer, struct gpu_profile *profile,
	const struct gpu_limits *limits, size_t n_top, bool cut);
void gpu_conclusion_free(struct gpu_conclusion *answer);

/* What everybody prints of a share: " 27 % (25 to 29)". */
void gpu_conclusion_add_share(struct str *out, const struct gpu_share *share);

struct eustallfile_header;

#endif
