/* SPDX-License-Identifier: GPL-2.0-only */
/* A tally for programs. */
#ifndef TUESDAY_TOOLS_TYPES_JSON_H
#define TUESDAY_TOOLS_TYPES_JSON_H

struct incident;
struct tally;

/* Print to standard output; return 0. */
int tally_print_json(const struct tally *tally);
int tally_print_run_json(
	const struct tally *tally, const struct incident *incident, const char *current);

#endif
