/* SPDX-License-Identifier: GPL-2.0-only */
/* How is an EU-stall stream kept in a file? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sources/gpu/eustall_write.h"
#include "sources/gpu/eustall_format.h"
#include "base/str.h"
#include "sys/atomic_file.h"

struct eustallfile {
	FILE *to;
	int dir;
	char *name, *unfinished;
	int err;
};

static int eustallfile_put(struct eustallfile *file, const void *bytes, size_t n)
{
	if (!file->err && n && fwrite(bytes, n, 1, file->to) != 1)
		file->err = errno ? -errno : -EIO;
	return file->err;
}

static int put_head(struct eustallfile *file, enum chunk_kind kind, uint32_t id, uint64_t bytes)
{
	uint8_t head[EUSTALLFILE_HEAD_BYTES];

	put_u32(head, kind);
	put_u32(head + 4, id);
	put_u64(head + 8, bytes);
	return eustallfile_put(file, head, sizeof(head));
}

static int put_header(struct eustallfile *file, const struct eustallfile_header *header)
{
	uint8_t bytes[EUSTALLFILE_HEADER_BYTES] = EUSTALLFILE_MAGIC;

	put_u32(bytes + AT_VERSION, EUSTALLFILE_VERSION);
	put_u32(bytes + AT_HEADER_BYTES, EUSTALLFILE_HEADER_BYTES);
	put_u32(bytes + AT_PCI_ID, header->pci_id);
	put_u16(bytes + AT_IP_VERSION, header->version);
	put_u16(bytes + AT_GTS, header->gts);
	put_u32(bytes + AT_LAYOUT, header->layout);
	put_u32(bytes + AT_XECORES, header->xecores);
	put_u32(bytes + AT_ENGINES, header->engines);
	put_u32(bytes + AT_WINDOWS, header->windows);
	put_u64(bytes + AT_RATE, header->rate);
	put_u64(bytes + AT_CLOCK, header->clock_hz);
	put_u64(bytes + AT_STARTED, header->started_ns);
	return eustallfile_put(file, bytes, sizeof(bytes));
}

static void free_file(struct eustallfile *file)
{
	close(file->dir);
	free(file->name);
	free(file->unfinished);
	free(file);
}

int eustallfile_create(struct eustallfile **file, const char *path,
	const struct eustallfile_header *header, struct str *why)
{
	struct eustallfile *made;
	const char *name;
	int dir = atomic_file_open_place(path, &name, why), fd, err;

	if (dir < 0)
		return dir;
	made = mem_zalloc(sizeof(*made));
	made->dir = dir;
	made->name = mem_strdup(name);
	made->unfinished = atomic_file_temporary(name, getpid());
	fd = openat(
		dir, made->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	err = fd < 0 ? -errno : 0;
	made->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!made->to) {
		err = err ? err : -ENOMEM;
		if (fd >= 0) {
			close(fd);
			unlinkat(dir, made->unfinished, 0);
		}
		free_file(made);
	} else {
		err = put_header(made, header);
		if (err)
			eustallfile_abandon(made);
	}
	if (err)
		str_add(why, strerror(-err));
	else
		*file = made;
	return err;
}

int eustallfile_put_bytes(
	struct eustallfile *file, unsigned int gt, const void *bytes, size_t n_bytes)
{
	put_head(file, CHUNK_BYTES, gt, n_bytes);
	return eustallfile_put(file, bytes, n_bytes);
}

int eustallfile_put_drop(struct eustallfile *file, unsigned int gt)
{
	return put_head(file, CHUNK_DROP, gt, 0);
}

int eustallfile_put_window(struct eustallfile *file, const struct xe_window *window)
{
	uint8_t bytes[EUSTALLFILE_WINDOW_BYTES];

	put_u64(bytes + AT_START, window->start_ns);
	put_u64(bytes + AT_ENABLED, window->enabled_ns);
	put_u64(bytes + AT_CPU, window->cpu_ns);
	put_u64(bytes + AT_BYTES, window->bytes);
	put_u64(bytes + AT_READS, window->reads);
	put_u64(bytes + AT_DROPS, window->drops);
	put_u64(bytes + AT_RESETS, window->resets);
	put_u64(bytes + AT_CUT, window->is_cut);
	put_head(file, CHUNK_WINDOW, window->number, sizeof(bytes));
	return eustallfile_put(file, bytes, sizeof(bytes));
}

static size_t text_bytes(const char *text)
{
	return strnlen(text, EUSTALLFILE_TEXT_MAX);
}

int eustallfile_put_kernel(struct eustallfile *file, const struct eustallfile_kernel *kernel)
{
	uint8_t bytes[EUSTALLFILE_KERNEL_BYTES];
	const size_t n = text_bytes(kernel->name);

	put_u64(bytes, kernel->address);
	put_u64(bytes + 8, kernel->size);
	put_head(file, CHUNK_KERNEL, kernel->id, sizeof(bytes) + n);
	eustallfile_put(file, bytes, sizeof(bytes));
	return eustallfile_put(file, kernel->name, n);
}

int eustallfile_put_launch(struct eustallfile *file, const struct eustallfile_launch *launch)
{
	uint8_t bytes[EUSTALLFILE_LAUNCH_BYTES];
	const size_t n = text_bytes(launch->stack);

	put_u64(bytes, launch->count);
	put_head(file, CHUNK_LAUNCH, launch->kernel, sizeof(bytes) + n);
	eustallfile_put(file, bytes, sizeof(bytes));
	return eustallfile_put(file, launch->stack, n);
}

int eustallfile_finish(struct eustallfile *file)
{
	int err;

	put_head(file, CHUNK_END, 0, 0);
	if (!file->err && (fflush(file->to) || fsync(fileno(file->to))))
		file->err = -errno;
	if (!file->err && renameat(file->dir, file->unfinished, file->dir, file->name))
		file->err = -errno;
	err = file->err;
	if (err) {
		eustallfile_abandon(file);
		return err;
	}
	fclose(file->to);
	free_file(file);
	return 0;
}

void eustallfile_abandon(struct eustallfile *file)
{
	if (!file)
		return;
	fclose(file->to);
	unlinkat(file->dir, file->unfinished, 0);
	free_file(file);
}
