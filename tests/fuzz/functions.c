/* SPDX-License-Identifier: GPL-2.0-only */
/* Can the symbol table of a file that some program has mapped break us? */
#include "base/banned.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/gpu/functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct functions functions = {0};
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	functions_read(&functions, fd, 4096);
	for (size_t i = 0; i < functions.n; i++)
		if (!*functions.list[i].name ||
			(i && functions.list[i].offset <= functions.list[i - 1].offset))
			abort();
	if (functions.bytes > 4096)
		abort();
	functions_at(&functions, 0);
	functions_at(&functions, UINT64_MAX);
	functions_free(&functions);
	close(fd);
	return 0;
}
