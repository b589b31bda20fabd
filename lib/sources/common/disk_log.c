/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a disk's answer say in numbers? */
#include "base/banned.h"

#include <inttypes.h>
#include <string.h>

#include "sources/common/disk_log.h"
#include "base/str.h"

#define ATTRIBUTES 30 /* places for them, of 12 bytes each behind the first two */

static uint64_t little_endian(const uint8_t *at, size_t n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | at[n];
	return value;
}

static void write_field(struct str *out, size_t number, const char *name, uint64_t value)
{
	str_addf(out, "%zu %s %" PRIu64 "\n", number, name, value);
}

/* A counter of 16 bytes; none has got beyond 8. */
static void write_wide(struct str *out, size_t number, const char *name, const uint8_t *at)
{
	if (!little_endian(at + 8, 8))
		write_field(out, number, name, little_endian(at, 8));
}

void nvme_write_health(const uint8_t *log, size_t number, struct str *out)
{
	static const char *const warnings[] = {
		"spare_low", "too_hot", "unreliable", "read_only", "backup_failed"};
	uint64_t kelvin;
	size_t i;

	/* A controller that does not know the page has been seen to fill it so. */
	if (log[0] == 0xff && log[3] == 0xff)
		return;
	for (i = 0; i < ARRAY_SIZE(warnings); i++)
		write_field(out, number, warnings[i], log[0] >> i & 1);
	kelvin = little_endian(log + 1, 2);
	if (kelvin > 273 && kelvin < 473)
		write_field(out, number, "celsius", kelvin - 273);
	write_field(out, number, "spare_percent", log[3]);
	write_field(out, number, "spare_limit_percent", log[4]);
	write_field(out, number, "used_percent", log[5]);
	write_wide(out, number, "power_on_hours", log + 128);
	write_wide(out, number, "unsafe_shutdowns", log + 144);
	write_wide(out, number, "media_errors", log + 160);
	write_field(out, number, "hot_minutes", little_endian(log + 192, 4));
}

void amazon_write_stats(const uint8_t *log, size_t number, struct str *out)
{
	static const char *const names[] = {"volume_iops_us", "volume_bytes_us", "instance_iops_us",
		"instance_bytes_us", "queued"};
	uint64_t magic = little_endian(log, 4);
	size_t i;

	/* Of EBS, and of the disks of the instance's own host: the totals of I/O come before. */
	if (magic != 0x3c23b510 && magic != 0xec2c0d7e)
		return;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		write_field(out, number, names[i], little_endian(log + 56 + 8 * i, 8));
}

bool ata_parse_sense(const uint8_t *sense, struct ata_registers *out)
{
	uint8_t format = sense[0] & 0x7f;

	if (format == 0x72 && sense[8] == 0x09 && sense[9] == 0x0c)
		*out = (struct ata_registers){
			sense[11], sense[21], sense[13], sense[15], sense[17], sense[19]};
	else if (format == 0x70 && sense[12] == 0x00 && sense[13] == 0x1d)
		*out = (struct ata_registers){
			sense[3], sense[4], sense[6], sense[9], sense[10], sense[11]};
	else
		return false;
	return true;
}

/* 0, 1 and 0x40 are standby and its kin: the disk does not turn. */
bool ata_is_awake(const struct ata_registers *registers)
{
	return registers->count > 1 && registers->count != 0x40;
}

/* A bit of a word; of some words bits 15 and 14 say whether the others mean anything. */
static bool word_bit(const uint8_t *identity, size_t word, unsigned int bit)
{
	return little_endian(identity + 2 * word, 2) >> bit & 1;
}

bool ata_has_smart(const uint8_t *identity)
{
	return word_bit(identity, 82, 0) && word_bit(identity, 85, 0);
}

bool ata_has_logs(const uint8_t *identity)
{
	return word_bit(identity, 84, 14) && !word_bit(identity, 84, 15) &&
		word_bit(identity, 84, 5);
}

/* The bytes of such an answer add up to 0. */
static bool ata_sums_to_zero(const uint8_t *data)
{
	uint8_t sum = 0;
	size_t i;

	for (i = 0; i < DISKLOG_BYTES; i++)
		sum = (uint8_t)(sum + data[i]);
	return !sum;
}

void ata_write_attributes(const uint8_t *data, size_t number, struct str *out)
{
	/* In the rest of the raw value some makers count something else. */
	static const struct {
		uint8_t id;
		size_t bytes;
		const char *name;
	} table[] = {
		{5, 2, "reallocated_sectors"},
		{187, 2, "reported_uncorrectable"},
		{197, 4, "pending_sectors"},
		{198, 4, "offline_uncorrectable"},
		{199, 4, "link_errors"},
	};
	size_t i, k;

	if (!ata_sums_to_zero(data))
		return;
	for (i = 0; i < ATTRIBUTES; i++) {
		const uint8_t *attribute = data + 2 + 12 * i;

		for (k = 0; k < ARRAY_SIZE(table); k++)
			if (attribute[0] == table[k].id)
				write_field(out, number, table[k].name,
					little_endian(attribute + 5, table[k].bytes));
	}
}

/* The limit of the attribute of that number; 0, which never fails, where there is none. */
static uint8_t ata_limit_of(const uint8_t *limits, uint8_t id)
{
	size_t i;

	for (i = 0; i < ATTRIBUTES; i++)
		if (limits[2 + 12 * i] == id)
			return limits[2 + 12 * i + 1];
	return 0;
}

/* Values are 1 to 253; a limit of 0 is always kept, 254 and 255 are none. */
void ata_write_prefail(const uint8_t *data, const uint8_t *limits, size_t number, struct str *out)
{
	uint64_t judged = 0, failed = 0;
	size_t i;

	if (!ata_sums_to_zero(data) || !ata_sums_to_zero(limits))
		return;
	for (i = 0; i < ATTRIBUTES; i++) {
		const uint8_t *attribute = data + 2 + 12 * i;
		uint8_t value = attribute[3], limit = ata_limit_of(limits, attribute[0]);

		if (!attribute[0] || !(attribute[1] & 1) || !value || value > 253 || !limit ||
			limit > 253)
			continue;
		judged++;
		failed += value <= limit;
	}
	if (judged)
		write_field(out, number, "prefail_attributes", failed);
}

void ata_write_endurance(const uint8_t *page, size_t number, struct str *out)
{
	bool is_page = little_endian(page, 2) == 1 && page[2] == 7;
	bool is_valid = (page[15] & 0xc0) == 0xc0;

	if (is_page && is_valid)
		write_field(out, number, "used_percent", page[8]);
}
