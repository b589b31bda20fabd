/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What disks answer when they are asked how they are: bytes to lines of "NUMBER NAME VALUE\n",
 * NUMBER being that of the disk. Pure functions of any bytes; what is absurd is left out.
 */
#ifndef TUESDAY_SOURCES_COMMON_DISK_LOG_H
#define TUESDAY_SOURCES_COMMON_DISK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

#define DISKLOG_BYTES 512 /* of each of the answers below */
#define SENSE_BYTES 64
#define AMAZON_LOG_BYTES 4096

/* NVMe: log page 2, SMART and health. */
void nvme_write_health(const uint8_t *log, size_t number, struct str *out);

/* Log page 0xd0 of Amazon's volumes: for how long, in microseconds, more was asked for than a
 * volume
 * ("volume_iops_us", "volume_bytes_us") or the instance with all its volumes ("instance_iops_us",
 * "instance_bytes_us") is made for, and "queued", how many requests wait there. Nothing for a page
 * that is not theirs. */
void amazon_write_stats(const uint8_t *log, size_t number, struct str *out);

/* The registers of a SATA disk after a command, out of the sense data that say them. */
struct ata_registers {
	uint8_t error, status, count, lba_low, lba_middle, lba_high;
};

/* False where the sense data, of either format, have none. */
bool ata_parse_sense(const uint8_t *sense, struct ata_registers *out);

/* Whether a disk that was asked by CHECK POWER MODE turns, so that a question does not start it. */
bool ata_is_awake(const struct ata_registers *registers);

/* IDENTIFY DEVICE: whether SMART is switched on, and whether there are logs beyond it. */
bool ata_has_smart(const uint8_t *identity);
bool ata_has_logs(const uint8_t *identity);

/* SMART READ DATA: the raw values of attributes on whose meaning makers agree. */
void ata_write_attributes(const uint8_t *data, size_t number, struct str *out);

/* With SMART READ THRESHOLDS: how many of the attributes that announce a failure have come down to
 * their maker's limit. */
void ata_write_prefail(const uint8_t *data, const uint8_t *limits, size_t number, struct str *out);

/* Page 7 of the log of statistics: how much of an SSD's life is used. */
void ata_write_endurance(const uint8_t *page, size_t number, struct str *out);

#endif
