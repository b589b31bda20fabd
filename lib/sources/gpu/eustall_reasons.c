/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a stall reason mean, and what is to be done about it? */
#include "base/banned.h"
#include "sources/gpu/eustall_record.h"
#include "sources/gpu/eustall_reasons.h"

/*
 * Names: Intel's own tools (Metrics Discovery, unitrace). Meanings: compute-runtime level_zero/doc
 * and iaprof. Stages: intel/torch-xpu-ops, eu-stall-attribution.
 */
static const struct {
	const char *name;
	enum eustall_stage stage;
	struct eustall_advice advice;
} reasons[EUSTALL_REASONS] = {
	[EUSTALL_PSDEP] = {"PSDepStall", EUSTALL_STARVATION,
		{"waiting for the order of pixel shaders", "look at blending and overdraw",
			"graphics only, never a fault of compute"}},
	[EUSTALL_OTHER] = {"OtherStall", EUSTALL_NO_STAGE,
		{"waiting for a reason that the hardware does not tell",
			"look at the instructions themselves",
			"unexplained, so no ground to act on"}},
	[EUSTALL_CONTROL] = {"ControlStall", EUSTALL_STARVATION,
		{"waiting for the branch unit", "fewer branches, less divergence", NULL}},
	[EUSTALL_PIPE] = {"PipeStall", EUSTALL_CONTENTION,
		{"an execution pipe is busy, or registers conflict",
			"rebalance the mix of instructions",
			"a good compute-bound kernel looks like this too"}},
	[EUSTALL_SEND] = {"SendStall", EUSTALL_CONTENTION,
		{"the Send unit is busy, probably by memory bandwidth",
			"fewer and wider messages; more threads make it worse", NULL}},
	[EUSTALL_DIST] = {"DistStall", EUSTALL_STARVATION,
		{"waiting for a chain of dependent arithmetic", "unroll, break the chain",
			"a matter of the compiler more often than of the source"}},
	[EUSTALL_SBID] = {"SbidStall", EUSTALL_STARVATION,
		{"waiting for results, mostly of memory",
			"more loads in flight, tiling, more threads if few are loaded",
			"a kernel at the limit of memory bandwidth looks the same: check that "
			"first"}},
	[EUSTALL_SYNC] = {"SyncStall", EUSTALL_STARVATION,
		{"waiting at barriers", "fewer barriers, evener work",
			"one slow work-group makes all others wait"}},
	[EUSTALL_INSTR_FETCH] = {"InstrFetchStall", EUSTALL_STARVATION,
		{"waiting for instructions", "smaller kernels, less unrolling and inlining",
			"normal in the first milliseconds of a kernel"}},
};

const char *eustall_reason_name(enum eustall_reason reason)
{
	return reason < EUSTALL_REASONS ? reasons[reason].name : "Active";
}

enum eustall_stage eustall_reason_stage(enum eustall_reason reason)
{
	return reasons[reason].stage;
}

const char *eustall_stage_name(enum eustall_stage stage)
{
	return stage == EUSTALL_STARVATION    ? "starvation"
		: stage == EUSTALL_CONTENTION ? "contention"
					      : "";
}

const struct eustall_advice *eustall_reason_advice(enum eustall_reason reason)
{
	return &reasons[reason].advice;
}
