/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <errno.h>

#include "base/str.h"
#include "tools/queue/probe.h"
#include "tools/queue/probe_block.h"

int queue_probe_block(struct queue_probe *probe, struct str *why)
{
	*probe = (struct queue_probe){.still = -1};
	str_add(why, "not yet");
	return -ENOSYS;
}
