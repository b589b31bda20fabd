/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a disk answer, by the commands of NVMe and of SATA? */
#include "base/banned.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>

#include "sys/caps.h"
#include "sources/block/disk_ioctl.h"
#include "sources/common/disk_log.h"
#include "base/str.h"

/* As long as the kernel itself waits: what times out is reset, with all that it is doing. */
#define COMMAND_TIMEOUT_MS 30000
#define ATA_STATUS_FAILED 0x21 /* device fault, or error */

/* The rights of root are for the call alone: what a disk answers is taken apart without them. More
 * than 0 is a status of the disk. */
static int privileged_ioctl(int fd, unsigned long request, void *arg)
{
	int result;

	caps_raise(CAPS_NAMESPACE | CAPS_RAWIO);
	result = ioctl(fd, request, arg);
	if (result)
		result = result < 0 ? -errno : -EIO;
	caps_lower(CAPS_NAMESPACE | CAPS_RAWIO);
	return result;
}

static int ask_nvme(int fd, uint8_t *log)
{
	struct nvme_admin_cmd command = {.opcode = 0x02, /* get log page */
		.nsid = UINT32_MAX,
		.addr = (uintptr_t)log,
		.data_len = DISKLOG_BYTES,
		.cdw10 = 0x02 | (DISKLOG_BYTES / 4 - 1) << 16};

	return privileged_ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);
}

/* The command SMART with the two registers that show that it is meant. */
#define SMART 0xb0, .lba_middle = 0x4f, .lba_high = 0xc2

/* Of the registers of a command those that differ. */
struct ata_command {
	uint8_t command, feature, lba_low, lba_middle, lba_high;
	bool wide; /* of the 48 bit kind */
};

/* One block into data, or with NULL the registers. Returns 0 or -errno. */
static int ask_ata(
	int fd, const struct ata_command *command, uint8_t *data, struct ata_registers *registers)
{
	uint8_t sense[SENSE_BYTES] = {0};
	uint8_t cdb[16] = {0x85, (uint8_t)((data ? 4 : 3) << 1 | command->wide), data ? 0x0e : 0x20,
		0, command->feature, 0, data ? 1 : 0, 0, command->lba_low, 0, command->lba_middle,
		0, command->lba_high, 0, command->command, 0};
	struct sg_io_hdr request = {.interface_id = 'S',
		.dxfer_direction = data ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
		.cmd_len = sizeof(cdb),
		.mx_sb_len = sizeof(sense),
		.dxfer_len = data ? DISKLOG_BYTES : 0,
		.dxferp = data,
		.cmdp = cdb,
		.sbp = sense,
		.timeout = COMMAND_TIMEOUT_MS};
	int err;

	err = privileged_ioctl(fd, SG_IO, &request);
	if (err)
		return err;
	if (request.host_status)
		return -EIO;
	if (data)
		return request.status ? -EIO : 0;
	if (!ata_parse_sense(sense, registers))
		return -EOPNOTSUPP;
	return registers->status & ATA_STATUS_FAILED ? -EIO : 0;
}

int disk_ask_nvme(int fd, size_t number, struct str *out)
{
	uint8_t log[DISKLOG_BYTES] = {0};
	int err = ask_nvme(fd, log);

	if (!err)
		nvme_write_health(log, number, out);
	return err;
}

int disk_ask_amazon(int fd, size_t number, struct str *out)
{
	static uint8_t log[AMAZON_LOG_BYTES];
	struct nvme_admin_cmd command = {.opcode = 0x02, /* get log page */
		.nsid = 1,
		.addr = (uintptr_t)log,
		.data_len = sizeof(log),
		.cdw10 = 0xd0 | (sizeof(log) / 4 - 1) << 16};
	int err = privileged_ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);

	if (!err)
		amazon_write_stats(log, number, out);
	return err;
}

/* "failing 0" or 1, the disk's own verdict. */
static void write_verdict(const struct ata_registers *registers, size_t number, struct str *out)
{
	bool well = registers->lba_middle == 0x4f && registers->lba_high == 0xc2;
	bool failing = registers->lba_middle == 0xf4 && registers->lba_high == 0x2c;

	if (well || failing)
		str_addf(out, "%zu failing %d\n", number, failing);
}

static void write_smart(int fd, size_t number, struct str *out)
{
	static const struct ata_command verdict = {SMART, .feature = 0xda},
					attributes = {SMART, .feature = 0xd0},
					thresholds = {SMART, .feature = 0xd1};
	uint8_t values[DISKLOG_BYTES] = {0}, limits[DISKLOG_BYTES] = {0};
	struct ata_registers registers;

	if (!ask_ata(fd, &verdict, NULL, &registers))
		write_verdict(&registers, number, out);
	if (ask_ata(fd, &attributes, values, NULL))
		return;
	ata_write_attributes(values, number, out);
	if (!ask_ata(fd, &thresholds, limits, NULL))
		ata_write_prefail(values, limits, number, out);
}

/* Nothing is asked of a disk that does not say first that it is awake. */
int disk_ask_ata(int fd, bool rotates, size_t number, struct str *out)
{
	static const struct ata_command power = {.command = 0xe5}, identify = {.command = 0xec},
					endurance = {
						0x2f, .lba_low = 4, .lba_middle = 7, .wide = true};
	uint8_t identity[DISKLOG_BYTES] = {0}, data[DISKLOG_BYTES] = {0};
	struct ata_registers registers;
	int err = ask_ata(fd, &power, NULL, &registers);

	if (err)
		return err;
	if (!ata_is_awake(&registers)) {
		str_addf(out, "%zu asleep 1\n", number);
		return 0;
	}
	err = ask_ata(fd, &identify, identity, NULL);
	if (err)
		return err;
	if (!ata_has_smart(identity))
		return -EOPNOTSUPP;
	write_smart(fd, number, out);
	if (!rotates && ata_has_logs(identity) && !ask_ata(fd, &endurance, data, NULL))
		ata_write_endurance(data, number, out);
	return 0;
}
