/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can what a disk, or device-mapper, answers break us?
 *
 * The first byte says what the rest is: targets, a status, or a page of a disk, which may be a
 * label of ZFS too.
 */
#include "base/banned.h"
#include "sources/common/slow_query.h"
#include "sources/common/disk_log.h"
#include "base/str.h"
#include "tests/unit/probe.h"
#include "sources/block/dm_status.h"
#include "sources/block/zfs_label.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_target(void *arg, const char *type, const char *status)
{
	str_addf(arg, "%s %s\n", type, status);
}

static void parse_target(struct bytes text, struct sink *sink)
{
	parse_dm_target(text, sink, "dm-1");
}

static void write_page(const uint8_t *data, size_t size, struct str *out)
{
	uint8_t page[DISKLOG_BYTES] = {0};
	struct ata_registers registers;
	struct bytes answer, words;
	size_t number;

	memcpy(page, data, size < sizeof(page) ? size : sizeof(page));
	nvme_write_health(page, 1, out);
	ata_write_attributes(page, 1, out);
	ata_write_prefail(page, page, 1, out);
	ata_write_endurance(page, 1, out);
	ata_parse_sense(page, &registers);
	answer = (struct bytes){str_text(out), out->len};
	/* What is written can be read again. */
	while (answer.len)
		if (!asking_next(&answer, 2, &number, &words) || number != 1 || !words.len)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = {"*.paths", "*.data_used", "*.lost_legs", NULL};
	struct str out = STR_INIT;
	double values[PROBE_KEYS];

	if (!size)
		return 0;
	if (*data % 3 == 0)
		dm_parse_targets(data + 1, size - 1, add_target, &out);
	else if (*data % 3 == 1)
		probe_bytes(parse_target, (const char *)data + 1, size - 1, keys, values);
	else
		write_page(data + 1, size - 1, &out);
	zfs_label_role(data + 1, size - 1);
	str_free(&out);
	return 0;
}
