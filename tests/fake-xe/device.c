/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the node of the GPU answer? Offsets and numbers are those of the documentation. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake.h"

#define VERSION 0xc0406400
#define DEVICE_QUERY 0xc0286440

/* A table of a structure: where a field is, and its bytes. */
enum { QUERY_BYTES = 40, VERSION_BYTES = 64, PARAM_BYTES = 32, PROPERTY_BYTES = 48 };

static uint64_t number_at(const uint8_t *bytes, size_t at, size_t n)
{
	uint64_t value = 0;

	memcpy(&value, bytes + at, n);
	return value;
}

static void set_number(uint8_t *bytes, size_t at, size_t n, uint64_t value)
{
	memcpy(bytes + at, &value, n);
}

static bool all_zero(const uint8_t *bytes, size_t from, size_t to)
{
	for (; from < to; from++)
		if (bytes[from])
			return false;
	return true;
}

static long answer_version(pid_t pid, uint64_t arg)
{
	uint8_t version[VERSION_BYTES];
	uint64_t room, len = strlen(scenario.driver);

	if (!peek(pid, arg, version, sizeof(version)))
		return -EFAULT;
	room = number_at(version, 16, 8);
	if (room && !poke(pid, number_at(version, 24, 8), scenario.driver, room < len ? room : len))
		return -EFAULT;
	set_number(version, 0, 4, 1);
	set_number(version, 16, 8, len);
	set_number(version, 32, 8, 0);
	set_number(version, 48, 8, 0);
	return poke(pid, arg, version, sizeof(version)) ? 0 : -EFAULT;
}

static size_t make_config(uint8_t *out)
{
	set_number(out, 0, 4, 1);
	set_number(out, 8, 8, (uint64_t)scenario.pci | 4 << 16);
	return 16;
}

static size_t make_gts(uint8_t *out)
{
	size_t n = (size_t)(scenario.gts + scenario.media), i;

	set_number(out, 0, 4, scenario.huge ? 0xffffffff : n);
	for (i = 0; i < n; i++) {
		uint8_t *gt = out + 8 + 96 * i;
		bool is_media = i >= (size_t)scenario.gts;

		set_number(gt, 0, 2, is_media);
		set_number(gt, 4, 2, i);
		set_number(gt, 12, 4, 19200000);
		set_number(gt, 32, 2, is_media ? 13 : (uint64_t)scenario.version);
	}
	return 8 + 96 * n;
}

static size_t add_mask(uint8_t *out, uint64_t gt, uint64_t type, long bits)
{
	set_number(out, 0, 2, gt);
	set_number(out, 2, 2, type);
	set_number(out, 4, 4, 8);
	set_number(out, 8, 8, bits >= 64 ? UINT64_MAX : (1ull << bits) - 1);
	return 16;
}

/* Of the XeCores all can do compute, and all but one geometry. */
static size_t make_topology(uint8_t *out)
{
	size_t at = 0;

	for (long gt = 0; gt < scenario.gts; gt++) {
		at += add_mask(out + at, (uint64_t)gt, 1, scenario.xecores - 1);
		at += add_mask(out + at, (uint64_t)gt, 2, scenario.xecores);
		at += add_mask(out + at, (uint64_t)gt, 3, 4);
		at += add_mask(out + at, (uint64_t)gt, 5, 8);
	}
	return at;
}

static size_t make_stall(uint8_t *out)
{
	set_number(out, 8, 8, 1);
	set_number(out, 16, 8, (uint64_t)scenario.record);
	set_number(out, 24, 8, (uint64_t)scenario.buffer);
	set_number(out, 72, 8, (uint64_t)scenario.rates);
	for (long i = 0; i < scenario.rates; i++)
		set_number(out, 80 + 8 * (size_t)i, 8, (uint64_t)(251 * (i + 1)));
	return 80 + 8 * (size_t)scenario.rates;
}

long device_query(pid_t pid, size_t gpu, uint64_t arg)
{
	uint8_t query[QUERY_BYTES], data[4096] = {0};
	uint64_t what, size;
	size_t n;

	(void)gpu;
	if (!peek(pid, arg, query, sizeof(query)))
		return -EFAULT;
	what = number_at(query, 8, 4);
	size = number_at(query, 12, 4);
	note("query %llu size %llu", (unsigned long long)what, (unsigned long long)size);
	if (number_at(query, 0, 8) || !all_zero(query, 24, 40))
		return -EINVAL;
	if (what == 10 && scenario.query_errno)
		return -scenario.query_errno;
	n = what == 2	     ? make_config(data)
		: what == 3  ? make_gts(data)
		: what == 5  ? make_topology(data)
		: what == 10 ? make_stall(data)
			     : 0;
	if (!n)
		return -EINVAL;
	if (what == 10 && scenario.size_zero)
		n = 0;
	if (!size) {
		set_number(query, 12, 4, n);
		return poke(pid, arg, query, sizeof(query)) ? 0 : -EFAULT;
	}
	if (what == 3 && scenario.size_changes > 0 && scenario.size_changes--)
		return -EINVAL;
	if (size != n)
		return -EINVAL;
	return poke(pid, number_at(query, 16, 8), data, n) ? 0 : -EFAULT;
}

long node_ioctl(pid_t pid, size_t gpu, unsigned long request, uint64_t arg)
{
	if (scenario.wedged)
		return -ECANCELED;
	if (gpus[gpu].is_gone)
		return -ENODEV;
	switch (request) {
	case VERSION:
		return answer_version(pid, arg);
	case DEVICE_QUERY:
		return device_query(pid, gpu, arg);
	}
	violation("ioctl 0x%lx of the node", request);
	return -ENOTTY;
}

bool may(pid_t pid, uint64_t capabilities)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, pid};
	struct __user_cap_data_struct data[2] = {{0}};

	if (syscall(SYS_capget, &header, data))
		return false;
	return ((uint64_t)data[1].effective << 32 | data[0].effective) & capabilities;
}

struct asked {
	long gt, rate, reports;
};

static long take_property(pid_t pid, uint64_t *at, struct asked *asked)
{
	uint8_t property[PROPERTY_BYTES];
	uint64_t value;

	if (!peek(pid, *at, property, sizeof(property)))
		return -EFAULT;
	if (number_at(property, 8, 4) || number_at(property, 12, 4) || number_at(property, 20, 4) ||
		!all_zero(property, 32, 48))
		return -EINVAL;
	value = number_at(property, 24, 8);
	*at = number_at(property, 0, 8);
	switch (number_at(property, 16, 4)) {
	case 0:
		violation("property 0 is fatal to many kernels");
		return -EINVAL;
	case 1:
		asked->gt = value < (uint64_t)scenario.gts ? (long)value : -1;
		return asked->gt < 0 ? -EINVAL : 0;
	case 2:
		asked->rate = (long)(value / 251);
		if (value % 251)
			violation("rate %llu is rounded", (unsigned long long)value);
		return asked->rate < 1 || asked->rate > 7 ? -EINVAL : 0;
	case 3:
		asked->reports = (long)value;
		return value < 1 || value > (uint64_t)(scenario.buffer * scenario.xecores / 64)
			? -EINVAL
			: 0;
	}
	return -EINVAL;
}

long stream_check(pid_t pid, size_t gpu, uint64_t arg)
{
	struct asked asked = {-1, 4, 1};
	uint8_t param[PARAM_BYTES];
	uint64_t at;
	int links = 0;
	long err = 0;

	if (scenario.wedged)
		return -ECANCELED;
	if (!peek(pid, arg, param, sizeof(param)))
		return -EFAULT;
	if (number_at(param, 0, 8) || number_at(param, 8, 8) != 1 || number_at(param, 16, 8))
		return -EINVAL;
	if (scenario.paranoid && !may(pid, 1ull << 38 | 1ull << 21))
		return -EACCES;
	for (at = number_at(param, 24, 8); at && !err; links++)
		err = links == 5 ? -E2BIG : take_property(pid, &at, &asked);
	if (err)
		return err;
	if (asked.gt < 0)
		return -EINVAL;
	note("observe gt %ld rate %ld reports %ld", asked.gt, asked.rate, asked.reports);
	if (scenario.open_errno)
		return -scenario.open_errno;
	return gpus[gpu].streams[asked.gt].is_open ? -EBUSY : asked.gt;
}

void print_abi(void)
{
	static const struct {
		const char *name;
		unsigned long value;
	} table[] = {
		{"ioctl.version", VERSION},
		{"ioctl.device_query", DEVICE_QUERY},
		{"ioctl.observation", 0x4020644b},
		{"ioctl.enable", 0x6900},
		{"ioctl.disable", 0x6901},
		{"version.bytes", VERSION_BYTES},
		{"version.name_len", 16},
		{"version.name", 24},
		{"query.bytes", QUERY_BYTES},
		{"query.query", 8},
		{"query.size", 12},
		{"query.data", 16},
		{"query.reserved", 24},
		{"query.id.config", 2},
		{"query.id.gt_list", 3},
		{"query.id.topology", 5},
		{"query.id.eu_stall", 10},
		{"config.info", 8},
		{"gt_list.bytes", 8},
		{"gt.bytes", 96},
		{"gt.type", 0},
		{"gt.gt_id", 4},
		{"gt.reference_clock", 12},
		{"gt.ip_ver_major", 32},
		{"gt.type.main", 0},
		{"gt.type.media", 1},
		{"topology.bytes", 8},
		{"topology.type", 2},
		{"topology.num_bytes", 4},
		{"topology.geometry", 1},
		{"topology.compute", 2},
		{"topology.eu", 4},
		{"topology.simd16_eu", 5},
		{"stall.bytes", 80},
		{"stall.capabilities", 8},
		{"stall.record_size", 16},
		{"stall.per_xecore_buf_size", 24},
		{"stall.num_sampling_rates", 72},
		{"stall.sampling_rates", 80},
		{"param.bytes", PARAM_BYTES},
		{"param.type", 8},
		{"param.op", 16},
		{"param.param", 24},
		{"param.type.eu_stall", 1},
		{"param.op.open", 0},
		{"property.bytes", PROPERTY_BYTES},
		{"property.name", 8},
		{"property.base_pad", 12},
		{"property.property", 16},
		{"property.pad", 20},
		{"property.value", 24},
		{"property.reserved", 32},
		{"property.id.gt", 1},
		{"property.id.rate", 2},
		{"property.id.reports", 3},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		printf("%s %lu\n", table[i].name, table[i].value);
}
