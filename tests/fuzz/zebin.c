/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a file of code for a GPU break us? */
#include "base/banned.h"

#include <string.h>

#include "sys/zebin_elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zebin zebin;

	if (zebin_parse(&zebin, data, size)) {
		if (zebin.n || zebin.kernels)
			abort();
		return 0;
	}
	for (size_t i = 0; i < zebin.n; i++)
		if (!*zebin.kernels[i].name || zebin.kernels[i].offset > size ||
			zebin.kernels[i].size > size - zebin.kernels[i].offset)
			abort();
	zebin_free(&zebin);
	return 0;
}
