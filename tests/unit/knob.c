/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the value of a kernel file understood, and does it get its old one back, and only if it is
 * ours to give? The knobs are this process's own. */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "experiment/undo_log.h"
#include "experiment/knob.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "tests/unit/tap.h"
#include "experiment/watchdog.h"

#define COMM "/proc/self/comm"
#define FILTER "/proc/self/coredump_filter"

static void test_values(void)
{
	static const struct {
		const char *text, *value;
	} good[] = {{"128\n", "128"}, {"[mq-deadline] none\n", "mq-deadline"},
		{"always [madvise] never", "madvise"}, {"max 100000\n", "max 100000"},
		{"[none]\n", "none"}, {"[a] [b]\n", "[a] [b]"}, {"", ""}, {"\n", ""},
		{"32768\t60999\n", "32768\t60999"}, {"[] x", "[] x"}, {"a[b]c", "a[b]c"}};
	char *value, *large = mem_zalloc(KNOB_VALUE_MAX + 2);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ok(knob_value(good[i].text, strlen(good[i].text), &value) &&
				!strcmp(value, good[i].value),
			"the value is '%s'", good[i].value);
		free(value);
	}
	ok(!knob_value("a\nb\n", 4, &value) && !value, "two lines are no value");
	ok(!knob_value("a\0b", 3, &value), "nor is a byte 0");
	memset(large, 'x', KNOB_VALUE_MAX + 1);
	ok(!knob_value(large, KNOB_VALUE_MAX + 1, &value), "nor what is too long");
	free(large);
}

static void test_files(void)
{
	char *value = NULL;

	ok(!knob_write(COMM, "one") && !knob_read(COMM, &value) && !strcmp(value, "one"),
		"a file of the kernel is written and read");
	free(value);
	ok(knob_read("/etc/passwd", &value) == -EMEDIUMTYPE && !value, "no other file is read");
	ok(knob_write("/etc/../proc/self/comm", "x") == -EMEDIUMTYPE, "nor one by a detour");
	ok(knob_read("/proc/self/nothing", &value) == -ENOENT, "what is not there is an error");
	ok(knob_read("/proc/self/status", &value) == -EMSGSIZE, "a table is no value");
}

/* With the value now, what it was, and what we made of it: the result, and the value after. */
static void restores(const char *path, const char *now, const char *old, const char *ours,
	int wanted, const char *after)
{
	struct undo_log_file file = {.path = mem_strdup(path),
		.old = mem_strdup(old),
		.ours = ours ? mem_strdup(ours) : NULL};
	struct undo_log_entry entry = {.files = &file, .n_files = 1};
	struct str notes = STR_INIT;
	char *value = NULL;
	int result;

	knob_write(path, now);
	result = knob_restore(&entry, &notes);
	knob_read(path, &value);
	ok(result == wanted && value && !strcmp(value, after),
		"%s, was %s, ours %s: gives %d and %s", now, old, ours ? ours : "not known", result,
		value ? value : "nothing");
	ok(!wanted == !notes.len, "  with a note where it is not well: %s", str_text(&notes));
	free(value);
	free(file.path);
	free(file.old);
	free(file.ours);
	str_free(&notes);
}

static void test_restore(void)
{
	restores(COMM, "new", "old", "new", 0, "old");
	restores(COMM, "old", "old", "new", 0, "old");
	restores(COMM, "theirs", "old", "new", -ESTALE, "theirs");
	restores(COMM, "cut", "old", NULL, 0, "old");
	restores(COMM, "new", "a name of more than fifteen", "new", -ENOTRECOVERABLE,
		"a name of more");
	restores(FILTER, "0x23", "00000033", "00000023", 0, "00000033");
	knob_write(FILTER, "0x33");
}

static void test_restore_gone(void)
{
	static char path[] = "/proc/self/nothing", old[] = "1";
	struct undo_log_file file = {.path = path, .old = old};
	struct undo_log_entry entry = {.files = &file, .n_files = 1};
	struct str notes = STR_INIT;

	ok(!knob_restore(&entry, &notes) && strstr(str_text(&notes), "is gone"),
		"a knob that is gone with its device needs nothing");
	str_free(&notes);
}

static void test_notes(void)
{
	struct str notes = STR_INIT;

	knob_note(&notes, "%s", "\x1b[31mred\n");
	knob_note(&notes, "two");
	knob_note(&notes, "two");
	ok(!strcmp(str_text(&notes), "\\x1b[31mred\\x0a; two"), "notes are harmless, none twice");
	str_free(&notes);
}

static void test_alarm(void)
{
	int fd = boottime_alarm(boottime_ns() + 3600000000000u), past = boottime_alarm(1);

	ok(fd >= 0 && !is_readable(fd), "a deadline in an hour has not come");
	ok(past >= 0 && is_readable(past), "one that is over has");
	close(fd);
	close(past);
}

int main(void)
{
	test_values();
	test_files();
	test_restore();
	test_restore_gone();
	test_notes();
	test_alarm();
	return tap_done();
}
