/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_CPU_ASLEEP_H
#define TUESDAY_TOOLS_CPU_ASLEEP_H

struct cpu_look;
struct stacks_sampler;

/* Tells the sampler which threads of the look's processes sleep already, and where in the kernel:
 * who sleeps all the time is never seen to begin. */
void cpu_asleep_tell(struct cpu_look *look, struct stacks_sampler *sampler);

#endif
