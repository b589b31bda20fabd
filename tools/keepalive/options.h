/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command line of keepalivediagnose asks for. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_OPTIONS_H
#define TUESDAY_TOOLS_KEEPALIVE_OPTIONS_H

#include <stdbool.h>

#include "tools/keepalive/client.h"
#include "tools/keepalive/limits.h"
#include "run/options.h"
#include "base/str.h"
#include "sys/url.h"

struct keepalive_options {
	struct limits_of_run limits;
	struct url url;
	const char *unix_path, *method, *body_file, *body, *svg, *yes;
	struct str headers; /* "NAME: VALUE\r\n" each */
	bool has_host, has_agent, has_accept;
	unsigned int connections; /* 0: to be found out */
	double rate, rate_share;  /* of an open level; 0: none */
	bool json, dry_run, insecure, no_picture;
	struct options common;
};

/* Returns 0, 1 where help was asked for and printed, or -EINVAL after a message. In any case the
 * caller frees with keepalive_options_free. */
int keepalive_options_read(struct keepalive_options *asked, int argc, char **argv);
void keepalive_options_free(struct keepalive_options *asked);

#endif
