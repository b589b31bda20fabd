/* SPDX-License-Identifier: GPL-2.0-only */
/* A verdict on a terminal. */
#ifndef TUESDAY_OUTPUT_VERDICT_COLOR_H
#define TUESDAY_OUTPUT_VERDICT_COLOR_H

#include <stdbool.h>

#include "report/report.h"

struct str;

/* Appends a verdict's word, in its colour where that is wanted. */
void terminal_verdict(struct str *out, enum verdict verdict, bool color);

#endif
