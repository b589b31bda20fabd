/* SPDX-License-Identifier: GPL-2.0-only */
/* Fuzzes what is read of people's words about types, and the hints for types. */
#include "base/banned.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "report/report.h"
#include "base/str.h"
#include "report/incident.h"
#include "history/type_notes.h"
#include "history/retypes.h"
#include "report/incident_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct incident_type type = {.name = "isolated"};
	struct complaints complaints = {0};
	struct retypes log;
	size_t i;

	retypes_parse(&log, (const char *)data, len);
	for (i = 0; i < log.n; i++) {
		const struct retype_entry *word = &log.list[i];

		/* A word is whole, and its types are those that there are. */
		if (!*word->run || strlen(word->run) > 32 ||
			strlen(word->key) >= INCIDENT_KEY_SIZE ||
			incident_type_find(word->type) != word->type || !word->by ||
			!word->reason || word->time <= 0)
			abort();
	}
	retypes_free(&log);
	if (type_notes_parse(&type, "x.ini", (const char *)data, len, &complaints) &&
		(type.invite || type.notes))
		abort();
	incident_type_free(&type);
	return 0;
}
