/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of which version is what runs here, or is installed here?
 *
 * Where a program is named, those of its processes that run count: by the version in the title of
 * each ("puma 7.1.0 (tcp://…)"), in the path of a file that it has mapped (…/puma-7.1.0/…), or by
 * the packages and gems of its own root, which may be a container's. Where none runs, or none is
 * named, it is what is installed on this machine, as dpkg, apk or rpm have it.
 */
#ifndef TUESDAY_CHECK_INSTALLED_H
#define TUESDAY_CHECK_INSTALLED_H

struct capture;

#define INSTALLED_NONE "-"
#define INSTALLED_UNKNOWN '?'

/*
 * As words with blanks between them: versions, "?PID" for a process whose version nobody can tell,
 * INSTALLED_NONE where there is none of them, "?" where the packages of this machine cannot be
 * read. A recording has the words in its environment, as package-NAME, from which they are taken
 * the next time. Returns NULL where a recording does not know; the caller frees. program may be
 * NULL.
 */
char *installed_versions(struct capture *fs, const char *name, const char *program);

#endif
