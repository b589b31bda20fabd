/* SPDX-License-Identifier: GPL-2.0-only */
/* Stall reasons, and what is to be done about them. */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_REASONS_H
#define TUESDAY_SOURCES_GPU_EUSTALL_REASONS_H

#include "sources/gpu/eustall_record.h"

/* In Intel's words, as users search for them: "SbidStall"; EUSTALL_REASONS is "Active". */
const char *eustall_reason_name(enum eustall_reason reason);

/* What binds, by Intel's two stages: too little work in flight, or too much for a unit. */
enum eustall_stage { EUSTALL_STARVATION, EUSTALL_CONTENTION, EUSTALL_NO_STAGE };
enum eustall_stage eustall_reason_stage(enum eustall_reason reason);
/* "starvation", "contention"; "" for none. */
const char *eustall_stage_name(enum eustall_stage stage);
/* What the reason means, what to try and what speaks against it, for people: one clause each. */
struct eustall_advice {
	const char *meaning, *next, *however; /* however may be NULL */
};
const struct eustall_advice *eustall_reason_advice(enum eustall_reason reason);

#endif
