/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One sampling of an Intel GPU's stalls, from its node to numbers. As lines, which a recording
 * keeps as the blob "eustall":
 *
 *   NAME FIELD VALUE            a number; NAME is a PCI address
 *   NAME top ADDRESS REASON     the instruction with most stalls, and what it mostly waits for
 *   NAME absent TEXT            it has no such unit
 *   NAME asleep TEXT            it is suspended, so it executes nothing
 *   NAME unable TEXT            it could not be sampled, and how to mend that
 *   NAME hung                   it did not answer
 */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_RUN_H
#define TUESDAY_SOURCES_GPU_EUSTALL_RUN_H

#include "capture/capture.h"
#include "sample/source.h"
#include "sources/gpu/xe_stream.h"

struct str;

/* Opens, samples, closes and appends the lines of one device. It may hang: in a child only. */
void eustall_run(const struct xe_device *device, struct str *out);

#endif
