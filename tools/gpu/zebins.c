/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kernels do files of code for the GPU say to be where? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "base/escape.h"
#include "base/num.h"
#include "base/str.h"
#include "sys/zebin_elf.h"
#include "tools/gpu/kernels.h"
#include "tools/gpu/zebins.h"
#include "sources/gpu/eustall_read.h"

/* "FILE" or "FILE@ADDRESS". Returns whether it is one; the caller frees path. */
static bool zebins_split_word(const char *word, char **path, uint64_t *address)
{
	const char *at = strrchr(word, '@'), *end = word + strlen(word), *from;

	*address = 0;
	*path = mem_strndup(word, at ? (size_t)(at - word) : strlen(word));
	if (!at)
		return true;
	from = at + 1;
	if (str_starts(from, "0x"))
		from += 2;
	return !num_next_hex(&from, end, address) && from == end && *address;
}

/* Returns 0 or -errno. */
static int read_one(const char *word, struct zebin *zebin)
{
	uint64_t address;
	char *path;
	int err = zebins_split_word(word, &path, &address) ? zebin_read(zebin, path) : -EINVAL;

	free(path);
	if (err)
		return err;
	if (address && zebin->n != 1) {
		zebin_free(zebin);
		return -EMLINK;
	}
	if (address)
		zebin->kernels[0].address = address;
	return 0;
}

static const char *zebins_explain(int err)
{
	switch (-err) {
	case EINVAL:
		return "not FILE or FILE@ADDRESS, such as dump.elf or gemm.bin@0xffff0040";
	case ENOEXEC:
		return "not a zebin (an ELF file with code for an Intel GPU)";
	case EBADMSG:
		return "a damaged zebin";
	case EMLINK:
		return "it does not have exactly one kernel, so one address does not tell where "
		       "they are";
	case ENODATA:
		return "it does not say where on the GPU its kernels are: a dump for a debugger "
		       "does, or FILE@ADDRESS; nor has it source lines";
	default:
		return strerror(-err);
	}
}

int zebins_check(const struct gpu_options *asked, const char *program)
{
	for (size_t i = 0; i < asked->n_zebins; i++) {
		struct zebin zebin = {0};
		bool placed = false;
		int err = read_one(asked->zebins[i], &zebin);
		char *word;

		for (size_t k = 0; k < zebin.n; k++)
			placed |= zebin.kernels[k].address || zebin.kernels[k].n_lines;
		zebin_free(&zebin);
		if (!err && !placed)
			err = -ENODATA;
		if (!err)
			continue;
		word = escape_path(asked->zebins[i]);
		fprintf(stderr, "%s: --zebin %s: %s\n", program, word, zebins_explain(err));
		free(word);
		return -EINVAL;
	}
	return 0;
}

int zebins_tell(const struct gpu_options *asked, const struct eustallfile_reader *to)
{
	uint32_t id = ZEBINS_FIRST_ID;
	int err = 0;

	for (size_t i = 0; i < asked->n_zebins && !err; i++) {
		struct zebin zebin = {0};

		/* It was read before: what has become of it since is not worth the run. */
		if (read_one(asked->zebins[i], &zebin))
			continue;
		for (size_t k = 0; k < zebin.n && !err; k++) {
			const struct eustallfile_kernel kernel = {id++, zebin.kernels[k].address,
				zebin.kernels[k].size, zebin.kernels[k].name};

			if (kernel.address)
				err = to->on_kernel(to->arg, &kernel);
		}
		zebin_free(&zebin);
	}
	return err;
}

static void zebins_attach_one(const struct zebin *zebin, struct gpu_kernels *kernels)
{
	for (size_t i = 0; i < kernels->n; i++)
		for (size_t k = 0; k < zebin->n && !kernels->list[i].source; k++)
			if (zebin->kernels[k].n_lines &&
				!strcmp(zebin->kernels[k].name, kernels->list[i].name))
				kernels->list[i].source = &zebin->kernels[k];
}

void zebins_attach(
	struct zebins_kept *kept, const struct gpu_options *asked, struct gpu_kernels *kernels)
{
	kept->list = mem_zalloc((asked->n_zebins + 1) * sizeof(*kept->list));
	kept->n = 0;
	for (size_t i = 0; i < asked->n_zebins; i++)
		if (!read_one(asked->zebins[i], &kept->list[kept->n]))
			zebins_attach_one(&kept->list[kept->n++], kernels);
}

void zebins_release(struct zebins_kept *kept)
{
	for (size_t i = 0; i < kept->n; i++)
		zebin_free(&kept->list[i]);
	free(kept->list);
	*kept = (struct zebins_kept){0};
}
