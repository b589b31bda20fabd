/* SPDX-License-Identifier: GPL-2.0-only */
/* What the caller's environment may tell us. */
#ifndef TUESDAY_SYS_CALLER_ENV_H
#define TUESDAY_SYS_CALLER_ENV_H

/*
 * The value of a variable that says where we read, write or find programs, or that switches a part
 * of Tuesday off; NULL where there is none. A process with more rights than its caller has does not
 * listen to it: one that the kernel marked so (getauxval(AT_SECURE)), and one that sudo started
 * (SUDO_UID), since what sudoers lets a user run is a command line and no environment. That a
 * TUESDAY_ variable is passed over is said once on standard error.
 */
const char *caller_env(const char *name);

#endif
