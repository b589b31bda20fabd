/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one field of /proc/net/sockstat, snmp or netstat say? */
#include "base/banned.h"
#include "sources/common/parse_text.h"
#include "sources/net/net_field.h"

bool parse_sockstat_field(struct bytes text, const char *name, const char *field, double *out)
{
	struct bytes line, word;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_is(word, name))
			continue;
		while (text_word(&line, &word) && text_next_number(&line, out))
			if (text_is(word, field))
				return *out >= 0;
	}
	return false;
}

bool parse_pair_field(struct bytes text, const char *name, const char *field, double *out)
{
	struct bytes line, before, word, keys = {0};

	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &before) || !text_is(before, name))
			continue;
		if (!keys.len) {
			keys = line;
			continue;
		}
		while (text_word(&keys, &word) && text_next_number(&line, out))
			if (text_is(word, field))
				return *out >= 0;
		return false;
	}
	return false;
}
