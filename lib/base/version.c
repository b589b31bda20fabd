/* SPDX-License-Identifier: GPL-2.0-only */
/* The one file that a commit compiles again: the Makefile defines VERSION for it. */
#include "base/banned.h"
#include "base/version.h"

const char tuesday_version[] = VERSION;
