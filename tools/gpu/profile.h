/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was seen of a GPU in some windows: samples by reason and by instruction, and how sure the
 * shares of these are. It is filled by what xe_sample() or eustallfile_replay() reads, so that a
 * recording gives the answer that the stream gave.
 *
 * Records of one window are alike (the same instruction, the same XeCore), so that their number
 * says nothing about how sure a share is. The windows are taken as what is independent: an interval
 * is Student's t of the windows' shares, at 95 %.
 */
#ifndef TUESDAY_TOOLS_GPU_PROFILE_H
#define TUESDAY_TOOLS_GPU_PROFILE_H

#include "sources/gpu/eustall_record.h"
#include "sources/gpu/eustall_write.h"
#include "tools/gpu/kernels.h"
#include "stats/stats.h"

struct eustall_entry;

enum {
	PROFILE_WINDOWS_MAX = 100000,
	PROFILE_INSTRUCTIONS_MAX = 65536,
};

struct gpu_share {
	double share;
	bool have_interval; /* not with fewer than two windows */
	struct stats_interval interval;
};

/* Sums over windows of a share and of its square. */
struct share_sums {
	double sum, square_sum;
};

struct gpu_profile {
	enum eustall_layout layout;
	struct eustall_table *instructions, *window;
	struct eustall_totals totals;
	uint64_t window_bytes;	      /* of the one under way */
	size_t windows, windows_used; /* the second: those with samples */
	size_t windows_stalled;	      /* those with stalls, of which reasons have shares */
	struct share_sums stalled;    /* of a window's samples */
	struct share_sums reasons[EUSTALL_REASONS]; /* of a window's stalls */
	uint64_t bytes, reads, drops, enabled_ns, cpu_ns;
	unsigned int resets, cuts;
	struct gpu_kernels kernels;
};

void profile_init(struct gpu_profile *profile, enum eustall_layout layout);
void profile_free(struct gpu_profile *profile);

/* What reads into a profile: callbacks of it. */
struct eustallfile_reader profile_reader(struct gpu_profile *profile);
/* To be called when all was read, what of a window was read without its end included. */
void profile_settle(struct gpu_profile *profile);

/* The share of samples that were in stall, and that of a reason of all stalls. */
struct gpu_share profile_stalled(const struct gpu_profile *profile);
struct gpu_share profile_reason(const struct gpu_profile *profile, enum eustall_reason reason);
/* The share of all stalls that one instruction has. */
struct gpu_share profile_instruction(
	const struct gpu_profile *profile, const struct eustall_entry *entry);
/* Reads that told of a loss, for each that brought records. */
double profile_drop_share(const struct gpu_profile *profile);

#endif
