/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any way to name a party, or what a process is called and where it is, break us? The first
 * line names the party, the rest are the cgroups of a process.
 */
#include "base/banned.h"

#include <stdint.h>

#include "base/str.h"
#include "queue/party.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *rest = text;
	const char *said = strsep(&rest, "\n");
	struct party_member member = {
		.pid = 7, .name = rest ? rest : "", .cgroups = rest ? rest : ""};
	struct str why = STR_INIT;
	struct party party;
	int err = party_parse(&party, said, &why);

	if (!err != !why.len || party.n > PARTY_CONDITIONS)
		abort();
	if (!err)
		party_has(&party, &member);
	party_free(&party);
	str_free(&why);
	free(text);
	return 0;
}
