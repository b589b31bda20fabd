/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs here, or is installed here, and of which version? */
#include "base/banned.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/number_map.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "capture/list.h"
#include "capture/recording.h"
#include "check/installed.h"
#include "check/package_list.h"
#include "sources/common/parse_text.h"
#include "sources/common/program_line.h"
#include "sys/privileged_call.h"

#define SHARED "program lines"
#define LINE_BYTES 256 /* of a command line: its first words */
#define LINES_MAX 65536
#define PF_KTHREAD 0x00200000
#define FIELDS_BEFORE_FLAGS 6 /* of /proc/PID/stat, behind the name */
#define MAPS_BYTES (1024 * 1024)

/* The beginning of a process's command line. */
struct program_line {
	uint32_t pid;
	size_t at, len; /* in text */
};

/* Those of all processes, read once in a run for all that ask. */
struct program_lines {
	struct capture *fs;
	int proc; /* while they are read: /proc */
	struct program_line *list;
	size_t n, room;
	struct str text;
	struct number_map kernel; /* threads of the kernel, which have none */
};

/* Three system calls for each process: there may be thousands, and hardly any of them matters. */
static int lines_add(void *arg, const char *name)
{
	struct program_lines *lines = arg;
	char path[32], line[LINE_BYTES];
	uint64_t pid;
	ssize_t len;
	int fd;

	if (num_u64(name, 1, INT32_MAX, &pid) || number_map_get(&lines->kernel, pid, &(size_t){0}))
		return 0;
	snprintf(path, sizeof(path), "%s/cmdline", name);
	fd = privileged_openat(lines->proc, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, line, sizeof(line));
	close(fd);
	if (len <= 0)
		return 0;
	ARRAY_GROW(lines->list, lines->n, lines->room);
	lines->list[lines->n++] =
		(struct program_line){(uint32_t)pid, lines->text.len, (size_t)len};
	str_addn(&lines->text, line, (size_t)len);
	return lines->n == LINES_MAX;
}

/* In a process namespace of its own 2 is anybody. */
static bool lines_second_is_kernel(struct capture *fs)
{
	struct bytes text, word;
	const char *end;
	double flags = 0;
	size_t i;

	if (capture_read_once(fs, "/proc/2/stat", &text) ||
		!(end = memrchr(text.data, ')', text.len)))
		return false;
	text = (struct bytes){end + 1, text.len - (size_t)(end + 1 - text.data)};
	for (i = 0; i < FIELDS_BEFORE_FLAGS; i++)
		text_word(&text, &word);
	return text_next_number(&text, &flags) && ((unsigned long)flags & PF_KTHREAD);
}

/* Half of what there is on many machines need not be opened one by one. */
static void lines_know_kernel(struct program_lines *lines)
{
	struct bytes text, word;
	uint64_t pid;

	if (!lines_second_is_kernel(lines->fs) ||
		capture_read_once(lines->fs, "/proc/2/task/2/children", &text))
		return;
	while (text_word(&text, &word)) {
		const char *at = word.data;

		if (!num_next(&at, word.data + word.len, &pid))
			number_map_add(&lines->kernel, pid, 0);
	}
}

static void lines_release(void *object)
{
	struct program_lines *lines = object;

	free(lines->list);
	number_map_free(&lines->kernel);
	str_free(&lines->text);
	free(lines);
}

static const struct program_lines *lines_get(struct capture *fs)
{
	struct program_lines *lines = capture_attached(fs, SHARED);

	if (lines)
		return lines;
	lines = mem_zalloc(sizeof(*lines));
	lines->fs = fs;
	lines_know_kernel(lines);
	lines->proc = capture_open_directory(fs, "/proc");
	if (lines->proc >= 0) {
		capture_list_directories(fs, "/proc", lines_add, lines);
		close(lines->proc);
	}
	capture_attach(fs, SHARED, lines, lines_release);
	return lines;
}

/* The version in the path of a file that a process has mapped, among the first of them. */
static bool mapped_version(
	struct capture *fs, uint32_t pid, const char *name, char version[PROGRAM_VERSION_BYTES])
{
	char path[64], *line = NULL;
	size_t room = 0, total = 0;
	bool found = false;
	FILE *maps;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	fd = capture_open_part(fs, path);
	maps = fd >= 0 ? fdopen(fd, "re") : NULL;
	if (fd >= 0 && !maps)
		close(fd);
	while (maps && !found && total < MAPS_BYTES && (n = getline(&line, &room, maps)) > 0) {
		const char *file = memchr(line, '/', (size_t)n);

		total += (size_t)n;
		found = file &&
			programline_path_version(file, (size_t)(line + n - file), name, version);
	}
	if (maps)
		fclose(maps);
	free(line);
	return found;
}

/* What is installed where a process has its root, and below the directory that it works in. */
static void look_where_it_runs(
	struct capture *fs, uint32_t pid, const char *name, struct package_versions *out)
{
	static const char *const directories[] = {"root", "cwd"};
	char path[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(directories); i++) {
		int fd;

		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, directories[i]);
		fd = capture_open_directory(fs, path);
		if (fd < 0)
			continue;
		if (!i)
			package_list_look(fd, name, out);
		package_list_look_for_gem(fd, name, out);
		close(fd);
	}
}

/* Adds the one version that a process can be of. Returns whether that is known. */
static bool add_version_of_process(struct capture *fs, uint32_t pid, const char *name,
	const char *title, struct package_versions *out)
{
	struct package_versions here = {0};
	char version[PROGRAM_VERSION_BYTES];
	bool known;

	if (title || mapped_version(fs, pid, name, version)) {
		package_versions_add(out, title ? title : version);
		return true;
	}
	look_where_it_runs(fs, pid, name, &here);
	known = here.n == 1;
	if (known)
		package_versions_add(out, here.list[0]);
	package_versions_free(&here);
	return known;
}

/* What runs of one program. */
struct running {
	const char *name, *program;
	struct package_versions *versions;
	uint32_t unversioned; /* a process of which nobody can tell; 0: none */
	size_t n;
};

static void running_add(
	struct capture *fs, const struct program_line *line, const char *text, struct running *of)
{
	char version[PROGRAM_VERSION_BYTES];
	bool titled = programline_version(text, line->len, of->program, version);

	of->n++;
	if (!add_version_of_process(fs, line->pid, of->name, titled ? version : NULL, of->versions))
		of->unversioned = line->pid;
}

static void running_look(struct capture *fs, struct running *of, bool workers)
{
	const struct program_lines *lines = lines_get(fs);
	size_t i;

	for (i = 0; i < lines->n; i++) {
		const struct program_line *line = &lines->list[i];
		const char *text = lines->text.text + line->at;

		if (programline_is(text, line->len, of->program) &&
			programline_is_worker(text, line->len, of->program) == workers)
			running_add(fs, line, text, of);
	}
}

/* A gem that nobody runs is no server. */
static void add_installed(struct capture *fs, const char *name, struct package_versions *out)
{
	int root = capture_open_directory(fs, "/");

	if (root < 0)
		return;
	package_list_look(root, name, out);
	if (out->closed && capture_is_live(fs))
		package_list_ask_rpm(name, out);
	close(root);
}

static char *versions_text(const struct package_versions *versions, uint32_t unknown)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < versions->n; i++)
		str_addf(&text, "%s%s", i ? " " : "", versions->list[i]);
	if (unknown)
		str_addf(&text, "%s%c%" PRIu32, text.len ? " " : "", INSTALLED_UNKNOWN, unknown);
	else if (versions->more || (!versions->n && !versions->listed))
		str_addf(&text, "%s%c", text.len ? " " : "", INSTALLED_UNKNOWN);
	else if (!versions->n)
		str_add(&text, INSTALLED_NONE);
	return str_take(&text);
}

/* A worker's title has no version: its parent, of which it is, says which it is. */
static char *look_up_versions(struct capture *fs, const char *name, const char *program)
{
	struct package_versions versions = {0};
	struct running running = {.name = name, .program = program, .versions = &versions};
	char *text;

	if (program)
		running_look(fs, &running, false);
	if (program && !running.n)
		running_look(fs, &running, true);
	if (!running.n)
		add_installed(fs, name, &versions);
	text = versions_text(&versions, running.unversioned);
	package_versions_free(&versions);
	return text;
}

char *installed_versions(struct capture *fs, const char *name, const char *program)
{
	char *key = mem_printf("package-%s", name);
	char *text = capture_environment(fs, key);

	if (!text && !capture_is_replay(fs)) {
		bool paused = capture_pause_recording(fs, true);

		text = look_up_versions(fs, name, program);
		capture_pause_recording(fs, paused);
		capture_set_environment(fs, key, text);
	}
	free(key);
	return text;
}
