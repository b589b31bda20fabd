/* SPDX-License-Identifier: GPL-2.0-only */
/* Transaction groups of ZFS. */
#ifndef TUESDAY_SOURCES_BLOCK_ZFS_TXGS_H
#define TUESDAY_SOURCES_BLOCK_ZFS_TXGS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"

/* /proc/spl/kstat/zfs/POOL/txgs: adds up the groups that were finished since it was called first.
 */
struct txg_sum {
	double count;	 /* of groups */
	double sync_ns;	 /* that their writing took */
	uint64_t newest; /* the highest number that was seen */
	bool known;	 /* the file was understood once */
};

void parse_txgs(struct bytes text, struct txg_sum *sum);

#endif
