/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any report break the reader, or the writers that print what it read? And does the brief
 * reading see the same verdicts?
 */
#include "base/banned.h"

#include <errno.h>
#include <stdint.h>

#include "output/read_json.h"
#include "base/str.h"
#include "output/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_report(void *arg, const struct writer *writer)
{
	const struct writer_options options = {.ledger = true, .verbose = true};
	struct str out = STR_INIT;

	writer->write(&out, arg, &options);
	str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_reader *whole = report_reader_new(false), *brief = report_reader_new(true);
	const struct report *all, *some;
	size_t used, used_brief, i;
	int err = report_read(whole, (const char *)data, size, &used, &all);
	int err_brief = report_read(brief, (const char *)data, size, &used_brief, &some);

	/* What is skipped is checked less. */
	if (!err && (err_brief || used != used_brief || used > size))
		abort();
	for (i = 0; !err && i < all->n_checks; i++)
		if (all->checks[i].verdict != some->checks[i].verdict ||
			strcmp(all->checks[i].check->name, some->checks[i].check->name) != 0)
			abort();
	if (!err)
		writer_each(write_report, (void *)all);
	report_reader_free(whole);
	report_reader_free(brief);
	return 0;
}
