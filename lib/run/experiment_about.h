/* SPDX-License-Identifier: GPL-2.0-only */
/* Which disk, cgroup or route would an experiment be about, where nobody has named one? */
#ifndef TUESDAY_RUN_EXPERIMENT_ABOUT_H
#define TUESDAY_RUN_EXPERIMENT_ABOUT_H

struct capture;
struct check_result;
struct experiment;

/*
 * The instance that is accused first, of those that there is such a knob for; or what the section's
 * 'about' makes of who is to blame. "" for none. The caller frees.
 */
char *experiment_instance(
	struct capture *fs, const struct check_result *result, const struct experiment *experiment);

#endif
