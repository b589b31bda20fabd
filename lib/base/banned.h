/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that this project does not make: each has cut, overrun or silently misread hostile input
 * somewhere. The first include of every source file, so that using one does not compile; with it
 * come the three headers that nearly every file needs.
 */
#ifndef TUESDAY_BASE_BANNED_H
#define TUESDAY_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok gets
#pragma GCC poison atoi atol atoll atof
#pragma GCC poison system popen tmpnam mktemp

#endif
