/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a look that was kept come back as it was written, whatever has become of the file? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/codepath.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct codepath_look *look = codepath_look_read((const char *)data, size), *again;
	struct str first = STR_INIT, second = STR_INIT;

	if (!look)
		return 0;
	codepath_look_write(&first, look, 0);
	again = codepath_look_read(first.text, first.len);
	if (!again)
		abort();
	codepath_look_write(&second, again, 0);
	if (strcmp(first.text, second.text) != 0)
		abort();
	codepath_look_free(look);
	codepath_look_free(again);
	str_free(&first);
	str_free(&second);
	return 0;
}
