/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a replayed stream the recorded one, and is a file that is wrong said to be? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sources/gpu/eustall_write.h"
#include "base/str.h"
#include "tap.h"
#include "sources/gpu/eustall_read.h"

static const struct eustallfile_header header = {
	.pci_id = 0xe20b,
	.version = 20,
	.gts = 1,
	.layout = EUSTALL_XE2,
	.xecores = 20,
	.engines = 8,
	.windows = 10,
	.rate = 1757,
	.clock_hz = 2850000000,
	.started_ns = 1700000000123456789,
};

static const struct xe_window window = {.number = 3,
	.start_ns = 1,
	.enabled_ns = 20000000,
	.cpu_ns = 4,
	.bytes = 128,
	.reads = 2,
	.drops = 1,
	.resets = 1,
	.is_cut = true};

/* All callbacks in one text, to be compared. */
static int note_bytes(void *arg, unsigned int gt, const void *bytes, size_t n_bytes)
{
	str_addf(arg, "bytes %u %zu %u\n", gt, n_bytes, *(const uint8_t *)bytes);
	return 0;
}

static void note_drop(void *arg, unsigned int gt)
{
	str_addf(arg, "drop %u\n", gt);
}

static int note_window(void *arg, const struct xe_window *w)
{
	str_addf(arg, "window %u %llu %llu %llu %llu %llu %llu %u %d\n", w->number,
		(unsigned long long)w->start_ns, (unsigned long long)w->enabled_ns,
		(unsigned long long)w->cpu_ns, (unsigned long long)w->bytes,
		(unsigned long long)w->reads, (unsigned long long)w->drops, w->resets, w->is_cut);
	return 0;
}

static int note_kernel(void *arg, const struct eustallfile_kernel *kernel)
{
	str_addf(arg, "kernel %u %llx %llu %s\n", kernel->id, (unsigned long long)kernel->address,
		(unsigned long long)kernel->size, kernel->name);
	return 0;
}

static int note_launch(void *arg, const struct eustallfile_launch *launch)
{
	str_addf(arg, "launch %u %llu %s\n", launch->kernel, (unsigned long long)launch->count,
		launch->stack);
	return 0;
}

static const char wanted[] = "bytes 1 128 7\ndrop 1\n"
			     "window 3 1 20000000 4 128 2 1 1 1\n"
			     "kernel 9 fffff000 4096 gemm\nlaunch 9 23 main;run\n";

static int replay(FILE *from, struct str *notes, bool *cut)
{
	const struct eustallfile_reader reader = {
		.stream = {notes, note_bytes, note_drop, note_window},
		.on_kernel = note_kernel,
		.on_launch = note_launch,
		.arg = notes,
	};
	struct eustallfile_header read;
	int err = eustallfile_read_header(from, &read);

	*cut = false;
	return err ? err : eustallfile_replay(from, &reader, cut);
}

static int begin_file(struct eustallfile **file, const char *path)
{
	struct str why = STR_INIT;
	int err = eustallfile_create(file, path, &header, &why);

	str_free(&why);
	return err;
}

static int write_one(const char *path)
{
	static const uint8_t records[2 * EUSTALL_RECORD] = {7};
	struct eustallfile *file = NULL;
	int err = begin_file(&file, path);

	if (err)
		return err;
	eustallfile_put_bytes(file, 1, records, sizeof(records));
	eustallfile_put_drop(file, 1);
	eustallfile_put_window(file, &window);
	eustallfile_put_kernel(file, &(struct eustallfile_kernel){9, 0xfffff000, 4096, "gemm"});
	eustallfile_put_launch(file, &(struct eustallfile_launch){9, 23, "main;run"});
	return eustallfile_finish(file);
}

static void test_round_trip(const char *path, uint8_t *bytes, size_t *n)
{
	struct str notes = STR_INIT;
	struct eustallfile_header read;
	FILE *from;
	bool cut = true;

	ok(!write_one(path) && access(path, F_OK) == 0, "a recording is written");
	from = fopen(path, "r");
	*n = fread(bytes, 1, 4096, from);
	rewind(from);
	ok(!eustallfile_read_header(from, &read) && read.pci_id == header.pci_id &&
			read.version == 20 && read.gts == 1 && read.layout == EUSTALL_XE2 &&
			read.xecores == 20 && read.engines == 8 && read.windows == 10 &&
			read.rate == 1757 && read.clock_hz == header.clock_hz &&
			read.started_ns == header.started_ns,
		"its header is read as it was written");
	rewind(from);
	ok(!replay(from, &notes, &cut) && !cut && !strcmp(str_text(&notes), wanted),
		"all that was put in comes out, in order");
	fclose(from);
	str_free(&notes);
}

static int replay_bytes(uint8_t *bytes, size_t n, struct str *notes, bool *cut)
{
	FILE *from = fmemopen(bytes, n, "r");
	int err = replay(from, notes, cut);

	fclose(from);
	return err;
}

static void test_cut(uint8_t *bytes, size_t n)
{
	bool right = true;

	for (size_t len = 1; len < n; len++) {
		struct str notes = STR_INIT;
		bool cut = false;
		const int err = replay_bytes(bytes, len, &notes, &cut);

		right = right && (len < 64 ? err == -ENOEXEC : !err && cut);
		/* Half of the records may be there, but nothing that comes later. */
		right = right && (!notes.len || !strncmp(wanted, str_text(&notes), 8));
		str_free(&notes);
	}
	ok(right, "a recording that is cut anywhere is read as far as it goes, and said to be cut");
}

static int with_change(const uint8_t *bytes, size_t n, size_t at, const void *change, size_t len)
{
	uint8_t changed[4096];
	struct str notes = STR_INIT;
	bool cut;
	int err;

	memcpy(changed, bytes, n);
	memcpy(changed + at, change, len);
	err = replay_bytes(changed, n, &notes, &cut);
	str_free(&notes);
	return err ? err : cut;
}

static void test_wrong(const uint8_t *bytes, size_t n)
{
	static const uint8_t huge[8] = {0xc0, 255, 255, 255, 255, 255, 255, 127};

	ok(with_change(bytes, n, 0, "X", 1) == -ENOEXEC, "what is no recording is refused");
	ok(with_change(bytes, n, 8, "\2", 1) == -EPROTO, "so is one of a later format");
	ok(with_change(bytes, n, 24, "\0", 1) == -EBADMSG &&
			with_change(bytes, n, 24, "\2", 1) == -EBADMSG &&
			with_change(bytes, n, 24, "\377", 1) == -EBADMSG,
		"so is a layout that is not that of the graphics version");
	ok(with_change(bytes, n, 20, "\14", 1) == -EBADMSG, "so is a version without a layout");
	ok(with_change(bytes, n, 64 + 8, "\1", 1) == -EBADMSG, "so is a part of a record");
	ok(with_change(bytes, n, 64 + 8, huge, 8) == 1,
		"a length that no file has is a file that was cut");
	ok(with_change(bytes, n, 64, "\143", 1) == 0, "a chunk of an unknown kind is passed over");
	ok(with_change(bytes, n, 64, "\3", 1) == -EBADMSG &&
			with_change(bytes, n, 64, "\2", 1) == -EBADMSG,
		"a chunk of another length than its kind's is refused");
}

static void test_files(const char *dir)
{
	char *path = mem_printf("%s/link", dir), *old = mem_printf("%s/old", dir);
	struct eustallfile *file = NULL;
	struct stat st;

	ok(!symlink("old", path) && begin_file(&file, path) == -ELOOP, "a link is not followed");
	ok(begin_file(&file, dir) == -EISDIR, "a directory is no place for one");
	ok(begin_file(&file, "/nowhere/at/all") == -ENOENT,
		"nor is a directory that does not exist");
	ok(!write_one(old) && !begin_file(&file, old), "one may be replaced");
	eustallfile_abandon(file);
	eustallfile_abandon(NULL);
	ok(!stat(old, &st) && st.st_size > 64, "an abandoned one leaves the old one as it was");
	unlink(path);
	unlink(old);
	ok(!rmdir(dir), "and nothing beside it");
	free(path);
	free(old);
}

int main(void)
{
	char dir[] = "/tmp/eustallfile.XXXXXX";
	uint8_t bytes[4096];
	size_t n = 0;
	char *path;

	if (!mkdtemp(dir))
		return 1;
	path = mem_printf("%s/one", dir);
	test_round_trip(path, bytes, &n);
	unlink(path);
	free(path);
	test_cut(bytes, n);
	test_wrong(bytes, n);
	test_files(dir);
	return tap_done();
}
