/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording of a GPU that is not there: "eustallrecording FILE STALL HOT DROPS" writes ten
 * windows of a stream with that share of samples in stall, of those that share at one instruction,
 * and that many reads of a hundred that told of a loss; two kernels, of which one is launched by
 * two programs with hostile names. No capture of any hardware.
 */
#include "base/banned.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "sources/gpu/eustall_write.h"
#include "tests/unit/eustallmodel.h"

enum { WINDOWS = 11, CODE = 0x80010000, GEMM_BYTES = 0x1000, HOT = CODE + 0xa30 };

static const struct eustallfile_header header = {
	.pci_id = 0xe20b,
	.version = 20,
	.gts = 1,
	.layout = EUSTALL_XE2,
	.xecores = 20,
	.engines = 8,
	.windows = WINDOWS,
	.rate = 1757,
};

static struct model model = {
	.layout = EUSTALL_XE2,
	.noise = 0.02,
	.reasons = {[EUSTALL_SBID] = 0.75, [EUSTALL_SEND] = 0.2, [EUSTALL_SYNC] = 0.05},
	.hot_ip = HOT / 8,
	.first_ip = CODE / 8,
	.instructions = 300, /* beyond the end of both kernels */
	.xecores = 20,
	.records = 50,
};

static void write_windows(struct eustallfile *file, uint64_t drops)
{
	static uint8_t bytes[20 * 50 * EUSTALL_RECORD];
	struct stats_random random;

	stats_random_seed(&random, 23);
	for (unsigned int i = 0; i < WINDOWS; i++) {
		const size_t n = model_window(&model, &random, bytes);
		const struct xe_window window = {.number = i,
			.enabled_ns = 20000000,
			.bytes = n,
			.reads = 100,
			.drops = drops};

		if (drops)
			eustallfile_put_drop(file, 0);
		eustallfile_put_bytes(file, 0, bytes, n);
		eustallfile_put_window(file, &window);
	}
}

int main(int argc, char **argv)
{
	struct eustallfile *file = NULL;
	struct str why = STR_INIT;
	int err;

	if (argc != 5) {
		fprintf(stderr, "usage: eustallrecording FILE STALL HOT DROPS\n");
		return 64;
	}
	model.stall = strtod(argv[2], NULL);
	model.hot = strtod(argv[3], NULL);
	err = eustallfile_create(&file, argv[1], &header, &why);
	if (!err) {
		write_windows(file, strtoull(argv[4], NULL, 10));
		eustallfile_put_kernel(
			file, &(struct eustallfile_kernel){1, CODE, GEMM_BYTES, "gemm<float>"});
		eustallfile_put_kernel(file,
			&(struct eustallfile_kernel){
				2, CODE + GEMM_BYTES, 64, "bad;name 1\n<b>\33[31m"});
		eustallfile_put_launch(
			file, &(struct eustallfile_launch){1, 20, "python;main_[u];infer_[u]"});
		eustallfile_put_launch(
			file, &(struct eustallfile_launch){1, 10, "ev\nil\33[31m 7;main_[u]"});
		err = eustallfile_finish(file);
	}
	if (err)
		fprintf(stderr, "eustallrecording: %s\n", strerror(-err));
	return err != 0;
}
