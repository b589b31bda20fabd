/* SPDX-License-Identifier: GPL-2.0-only */
/* Fuzzes what the next run reads: counters, mutes and announcements. What is taken must come back
 * as it was. */
#include "base/banned.h"

#include <stdint.h>
#include <stdlib.h>

#include "history/announcements.h"
#include "history/mutes.h"
#include "history/run_state.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct run_state saved, again;
	struct announcements announced;
	struct mutes mutes;
	struct str text = STR_INIT;

	if (!run_state_parse(&saved, (const char *)data, len)) {
		run_state_format(&text, &saved);
		if (run_state_parse(&again, str_text(&text), text.len) ||
			again.n_counters != saved.n_counters || again.n_lights != saved.n_lights)
			abort();
		run_state_free(&again);
		run_state_free(&saved);
	}
	if (!mutes_parse(&mutes, (const char *)data, len))
		mutes_free(&mutes);
	if (!announcements_parse(&announced, (const char *)data, len))
		announcements_free(&announced);
	str_free(&text);
	return 0;
}
