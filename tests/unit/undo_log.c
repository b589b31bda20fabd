/* SPDX-License-Identifier: GPL-2.0-only */
/* Is an entry of the journal read as it was written, and refused if it is not whole or not sound?
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/undo_log.h"
#include "base/str.h"
#include "tests/unit/tap.h"
#include "experiment/undo_log_file.h"

#define HEAD "tuesday-undo 1\nboot b\ncheck disk\nexperiment readahead\nkind files\nseconds 9\n"

static struct undo_log_file two_files[] = {
	{.path = "/proc/sys/vm/dirty_bytes", .to = "1 2\t3", .old = "", .ours = "a\\b\n\x01\xff"},
	{.path = "/sys/block/a b/queue/x", .undo = "-1", .old = "[4]"}};

static struct undo_log_entry sample(void)
{
	static char check[] = "disk", experiment[] = "readahead", boot[] = "b";

	return (struct undo_log_entry){.check = check,
		.experiment = experiment,
		.boot = boot,
		.turned = true,
		.netns = 4026531840,
		.seconds = 90.5,
		.files = two_files,
		.n_files = 2};
}

static int parse(const char *text, struct undo_log_entry *entry)
{
	struct str why = STR_INIT;
	int err = undo_log_parse(entry, text, strlen(text), &why);

	ok(!err == !why.len, "  an error has a phrase, success has none (%s)", str_text(&why));
	str_free(&why);
	return err;
}

static void test_round_trip(void)
{
	struct undo_log_entry entry = sample(), again;
	struct str text = STR_INIT, second = STR_INIT;

	undo_log_format(&entry, &text);
	if (!ok(!parse(text.text, &again), "what is written is read"))
		return;
	undo_log_format(&again, &second);
	ok(!strcmp(text.text, second.text), "and written again as it was");
	ok(again.n_files == 2 && !strcmp(again.files[0].ours, two_files[0].ours) &&
			!again.files[1].to && !*again.files[0].old && !again.files[1].ours,
		"odd bytes, the empty text and what is not there are told apart");
	ok(again.turned && !again.survives && again.netns == 4026531840 && again.seconds > 90.4,
		"numbers are what they were");
	undo_log_entry_free(&again);
	str_free(&second);
	str_free(&text);
}

static void test_cut(void)
{
	struct undo_log_entry entry = sample(), read;
	struct str text = STR_INIT, why = STR_INIT;
	size_t len, taken = 0;

	undo_log_format(&entry, &text);
	for (len = 0; len < text.len; len++) {
		taken += !undo_log_parse(&read, text.text, len, &why);
		undo_log_entry_free(&read);
	}
	ok(!taken, "no entry that was cut, at any of %zu places, is read", text.len);
	str_free(&why);
	str_free(&text);
}

static void test_refused(void)
{
	static const char *const wrong[] = {"", "\n", "tuesday-undo 2\nend 1\n", HEAD "end 6\n",
		HEAD "file /sys/a\nend 8\n", HEAD "file /sys/a\nend 7\nfile /sys/b\n",
		HEAD "file /sys/../etc/passwd\nend 7\n", HEAD "file sys/a\nend 7\n",
		HEAD "file /sys//a\nend 7\n", HEAD "file /sys/a\\x0ab\nend 7\n",
		HEAD "file /sys/a\nold 1\nold 2\nend 9\n", HEAD "old 1\nfile /sys/a\nend 8\n",
		HEAD "file /sys/a\nto \\x00\nend 8\n", HEAD "file /sys/a\nto \\q\nend 8\n",
		HEAD "file /sys/a\nto \\x4\nend 8\n", HEAD "file /sys/a\nwhat 1\nend 8\n",
		HEAD "file /sys/a\nsave x\nend 8\n", HEAD "file /sys/a\ndevice /dev/x\nend 8\n",
		HEAD "kind files\nfile /sys/a\nend 8\n", HEAD "turned 2\nfile /sys/a\nend 8\n",
		HEAD "seconds 1\nfile /sys/a\nend 8\n", HEAD "netns -1\nfile /sys/a\nend 8\n",
		"tuesday-undo 1\nboot b\ncheck ../x\nexperiment y\nkind files\nseconds 9\n"
		"file /sys/a\nend 7\n",
		"tuesday-undo 1\nboot b\ncheck x\nexperiment y\nkind files\nseconds 1e99\n"
		"file /sys/a\nend 7\n",
		"tuesday-undo 1\nboot b\ncheck x\nexperiment y\nkind commands\nseconds 9\nsave a\n"
		"apply b\nend 8\n",
		"tuesday-undo 1\nboot b\ncheck x\nexperiment y\nkind held\nseconds 9\n"
		"device /etc/x\nend 7\n",
		"tuesday-undo 1\ncheck x\nexperiment y\nkind files\nseconds 9\nfile /sys/a\nend "
		"6\n"};
	struct undo_log_entry entry;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		ok(parse(wrong[i], &entry) == -EBADMSG, "what is wrong is refused, %zu", i);
		undo_log_entry_free(&entry);
	}
	ok(!parse(HEAD "file /sys/a\nend 7\n", &entry), "and nothing else");
	undo_log_entry_free(&entry);
}

static void test_names(void)
{
	ok(undo_log_path_is_sound("/sys/block/nvme0n1/queue/..x"), "a name may begin with dots");
	ok(!undo_log_path_is_sound("/") && !undo_log_path_is_sound("") &&
			!undo_log_path_is_sound("/a/") && !undo_log_path_is_sound("/a/./b") &&
			!undo_log_path_is_sound("/a/.."),
		"what leads elsewhere is no path");
	ok(undo_log_name_is_sound("a-b_C.9") && !undo_log_name_is_sound("") &&
			!undo_log_name_is_sound(".a") && !undo_log_name_is_sound("a/b") &&
			!undo_log_name_is_sound("-a") && !undo_log_name_is_sound("a b"),
		"names are plain words");
}

static void test_on_disk(const char *dir)
{
	struct undo_log_entry entry = sample(), read;
	char *folder, *file = mem_printf("%s/run/undo/disk.readahead.undo", dir);
	struct str why = STR_INIT;

	ok(undo_log_read(&read, UNDO_LOG_RUN, "disk.readahead", &why) == -ENOENT,
		"where nothing was written there is nothing");
	ok(!undo_log_write(&entry), "an entry is written, its folders are made");
	ok(!undo_log_read(&read, UNDO_LOG_RUN, "disk.readahead", &why), "and read");
	undo_log_entry_free(&read);
	chmod(file, 0666);
	ok(undo_log_read(&read, UNDO_LOG_RUN, "disk.readahead", &why) == -EPERM,
		"not if others could have written it");
	unlink(file);
	ok(!symlink("/etc/passwd", file) &&
			undo_log_read(&read, UNDO_LOG_RUN, "disk.readahead", &why) == -ELOOP,
		"nor a link");
	ok(!undo_log_write(&entry) && !undo_log_read(&read, UNDO_LOG_RUN, "disk.readahead", &why),
		"which a new one replaces");
	undo_log_entry_free(&read);
	folder = undo_log_folder(UNDO_LOG_RUN);
	chmod(folder, 0777);
	ok(undo_log_read(&read, UNDO_LOG_RUN, "disk.readahead", &why) == -EPERM,
		"nor in a folder that others can write to");
	chmod(folder, 0700);
	free(folder);
	ok(!undo_log_write(&entry) && !undo_log_remove(UNDO_LOG_RUN, "disk.readahead") &&
			access(file, F_OK),
		"it is removed");
	free(file);
	str_free(&why);
}

int main(void)
{
	char dir[] = "/tmp/tuesday-journal.XXXXXX", *run, *clean;

	test_round_trip();
	test_cut();
	test_refused();
	test_names();
	if (!mkdtemp(dir))
		return 1;
	run = mem_printf("%s/run", dir);
	setenv("TUESDAY_RUN_DIR", run, 1);
	test_on_disk(dir);
	clean = mem_printf("%s/undo", run);
	rmdir(clean);
	rmdir(run);
	ok(!rmdir(dir), "no temporary file is left");
	free(clean);
	free(run);
	return tap_done();
}
