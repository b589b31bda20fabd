/* SPDX-License-Identifier: GPL-2.0-only */
/* What has to be typed at a shell here, so that it is this program that runs? */
#ifndef TUESDAY_BASE_OWN_NAME_H
#define TUESDAY_BASE_OWN_NAME_H

#include <stdbool.h>

struct str;

/*
 * Appends a command that begins with a name of ours: "tuesday", or one of its tools. A name by
 * which PATH finds this very file stays. Else it is preceded by the path that the program was
 * started by, as in "/tmp/tuesday queuediagnose" of one file that was copied to a machine; a tool
 * that is a program of its own is named where it lies beside. Elsewhere, in a shell that sudo or we
 * ourselves start, PATH is another one than the caller's, and the path is a whole one. What begins
 * otherwise, or where no path is known, is as it was.
 */
void own_command(struct str *out, const char *command, bool elsewhere);

#endif
