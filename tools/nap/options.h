/* SPDX-License-Identifier: GPL-2.0-only */
/* What napdiagnose was asked for. */
#ifndef TUESDAY_TOOLS_NAP_OPTIONS_H
#define TUESDAY_TOOLS_NAP_OPTIONS_H

#include "run/options.h"

#define NAP_TARGETS_MAX 64

struct nap_options {
	struct options common; /* names: processes, by number or name */
	const char *program;
	bool json;
	double seconds;	    /* how long to watch */
	double longer_than; /* seconds: a shorter pause is no nap */
	const char *events; /* a file, or NULL */
	size_t top;	    /* naps that are shown one by one */
	bool map;	    /* draw when in each second the busy ones ran */
	const char *svg;    /* a file for that, or NULL */
	unsigned int color;
};

/* As options_parse_usage; returns -EINVAL after a message. */
int nap_options_read(struct nap_options *asked, int argc, char **argv);

/* Whether a process is one that was asked for: all are where none was named. arg is a struct
 * nap_options. */
bool nap_options_asked(void *arg, pid_t pid, const char *comm);

#endif
