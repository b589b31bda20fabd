/* SPDX-License-Identifier: GPL-2.0-only */
/* Can an entry of the journal, written by anybody, be read as another one than it is? */
#include "base/banned.h"

#include <stdint.h>

#include "experiment/undo_log.h"
#include "experiment/knob.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is believed must be sound, and the same when it is written and read again. */
static void look_at(const struct undo_log_entry *entry)
{
	struct str text = STR_INIT, again = STR_INIT, why = STR_INIT;
	struct undo_log_entry second;
	size_t i;

	for (i = 0; i < entry->n_files; i++)
		if (!undo_log_path_is_sound(entry->files[i].path))
			abort();
	undo_log_format(entry, &text);
	if (undo_log_parse(&second, str_text(&text), text.len, &why))
		abort();
	undo_log_format(&second, &again);
	if (strcmp(str_text(&text), str_text(&again)) != 0)
		abort();
	undo_log_entry_free(&second);
	str_free(&text);
	str_free(&again);
	str_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1), *value;
	struct undo_log_entry entry;
	struct str why = STR_INIT;

	if (size)
		memcpy(text, data, size);
	if (!undo_log_parse(&entry, text, size, &why))
		look_at(&entry);
	undo_log_entry_free(&entry);
	if (knob_value(text, size, &value) && strpbrk(value, "\n"))
		abort();
	free(value);
	str_free(&why);
	free(text);
	return 0;
}
