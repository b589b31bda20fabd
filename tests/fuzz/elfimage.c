/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a file that some program has mapped break who reads its functions? And can the answer of the
 * child that read it break who takes that? */
#include "base/banned.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "symbols/elf_apart.h"

enum { MOST = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_image(const struct elf_image *image)
{
	uint64_t address;

	for (size_t i = 0; i < image->n; i++)
		if (image->functions[i].name >= image->names_len ||
			(i && image->functions[i].address <= image->functions[i - 1].address))
			abort();
	if (elf_image_bytes(image) > MOST || image->facts.with_frame_pointer > image->facts.looked)
		abort();
	elf_image_at(image, 0);
	elf_image_at(image, UINT64_MAX);
	elf_image_address(image, 4096, &address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_image image, again;
	struct str bytes = STR_INIT;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (!elf_image_read(&image, fd, ELF_IMAGE_FUNCTIONS | ELF_IMAGE_COVERAGE, MOST)) {
		check_image(&image);
		elf_image_write(&bytes, &image);
		if (elf_image_take(&again, str_text(&bytes), bytes.len, MOST) || again.n != image.n)
			abort();
		elf_image_free(&again);
	}
	elf_image_free(&image);
	if (!elf_image_take(&image, (const char *)data, size, MOST))
		check_image(&image);
	elf_image_free(&image);
	str_free(&bytes);
	close(fd);
	return 0;
}
