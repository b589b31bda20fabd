/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a check speak of this kernel, of what is installed here, and of this day? The keys kernel,
 * package, program and expires of [check], for issues that are known of some versions and fixed in
 * others.
 */
#ifndef TUESDAY_CHECK_APPLIES_H
#define TUESDAY_CHECK_APPLIES_H

#include <stdbool.h>

struct check;
struct capture;
struct str;

/*
 * Whether the text of a key can be understood. Returns 0, or -EINVAL with a phrase in error.
 *
 * kernel: ranges separated by blanks, "..5.3 5.10.20..5.10.40 6.5..", or single releases. Both ends
 * belong to the range, and an end means all releases that begin with it: ..5.3 includes 5.3.18.
 * package: "NAME < VERSION", several joined by commas, all of which must hold. < <= > >= ==; a NAME
 * alone means that it is installed. Versions are in Debian's order (deb-version(7)).
 * expires: YYYY-MM-DD, the first day on which the check is not run any more.
 */
int applies_check_kernel(const char *text, struct str *error);
int applies_check_package(const char *text, struct str *error);
int applies_check_expires(const char *text, struct str *error);

/*
 * Why a check has nothing to say of this machine, "Linux 6.1.0 is not within ..5.3", or NULL where
 * it has. The caller frees. *unknown: it may well have, but nobody can tell of which version what
 * runs here is. See installed.h for where versions come from.
 */
char *applies_not(const struct check *check, struct capture *fs, bool *unknown);

/* Whether the day on which a check expires has come, by the clock of this machine. */
bool applies_has_expired(const struct check *check);

/* Debian's order of versions: negative, 0 or positive as a is before, the same as, or after b. */
int applies_compare_versions(const char *a, const char *b);

#endif
