/* SPDX-License-Identifier: GPL-2.0-only */
/* May this recording be shown to strangers? A copy of it may, with all names in it replaced. */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/open_beneath.h"
#include "sys/place.h"
#include "base/command.h"
#include "base/escape.h"
#include "run/options.h"
#include "redact/filter.h"
#include "base/str.h"
#include "run/known_words.h"
#include "sys/read_write.h"

#define FILE_MAX ((size_t)64 << 20)
#define DEPTH_MAX 64

struct copying {
	const char *program;
	int from, to;
	struct redactor *redactor;
	const char *sample; /* the directory of the present sample, "0" */
	size_t files, left_out;
};

static int cmd_redact(int argc, char **argv);
COMMAND(redact_command) = {
	.name = "redact",
	.args = "DIR OUT",
	.what = "copy a recording with its names replaced",
	.group = COMMAND_RECORDS,
	.run = cmd_redact,
};

static int redact_complain(const struct copying *copying, const char *path, int err)
{
	struct str name = STR_INIT;

	escape_terminal(&name, path);
	fprintf(stderr, "%s: %s: %s\n", copying->program, str_text(&name), strerror(-err));
	str_free(&name);
	return err;
}

static int redact_read_file(int from, const char *path, struct str *out)
{
	int fd = beneath_open(from, path, O_RDONLY), err = 0;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		err = -EINVAL;
	else
		err = read_all(fd, FILE_MAX, out);
	close(fd);
	return err;
}

static int redact_write_file(int to, const char *path, const struct str *content)
{
	int fd, err;

	/* An empty file is only seen to be there, which a directory of that name says as well. */
	if (!content->len)
		return beneath_make_empty(to, path);
	fd = beneath_create(to, path);
	if (fd < 0)
		return fd;
	err = write_all(fd, content->text, content->len);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* path is as on the machine: "/proc/stat", "@task". The caller frees. */
static char *redact_place_of(const struct copying *copying, const char *path)
{
	struct str place = STR_INIT;

	str_addf(&place, "%s/", copying->sample);
	redact_path(copying->redactor, path, &place);
	return str_take(&place);
}

static int copy_file(struct copying *copying, const char *from, const char *path)
{
	struct str content = STR_INIT, redacted = STR_INIT;
	char *place = redact_place_of(copying, path);
	int err = redact_read_file(copying->from, from, &content);

	if (err)
		redact_complain(copying, from, err);
	else if (!redact_content(
			 copying->redactor, path, str_text(&content), content.len, &redacted))
		copying->left_out++;
	else
		err = redact_write_file(copying->to, place, &redacted);
	if (err)
		redact_complain(copying, place, err);
	copying->files++;
	free(place);
	str_free(&content);
	str_free(&redacted);
	return err;
}

/* The time of a sample is the one file in it that is not the machine's. */
static int copy_time(struct copying *copying, const char *from)
{
	struct str content = STR_INIT;
	int err = redact_read_file(copying->from, from, &content);

	if (strspn(str_text(&content), "0123456789\n") != content.len)
		err = -EINVAL;
	if (!err)
		err = redact_write_file(copying->to, from, &content);
	if (err)
		redact_complain(copying, from, err);
	str_free(&content);
	return err;
}

static int copy_directory(struct copying *copying, const char *from, const char *path, int depth);

static int copy_entry(struct copying *copying, const char *from, const char *path, int depth)
{
	int fd = beneath_open(copying->from, from, O_PATH), err = 0;
	struct stat st;
	char *place;

	if (fd < 0)
		return redact_complain(copying, from, fd);
	if (fstat(fd, &st))
		err = -errno;
	close(fd);
	if (err)
		return redact_complain(copying, from, err);
	if (S_ISREG(st.st_mode) && !strcmp(path, "/time"))
		return copy_time(copying, from);
	if (S_ISREG(st.st_mode))
		return copy_file(copying, from, path);
	/* There is nothing else in a recording. */
	if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX)
		return redact_complain(copying, from, -EINVAL);
	place = redact_place_of(copying, path);
	err = beneath_make_directory(copying->to, place);
	if (err)
		redact_complain(copying, place, err);
	free(place);
	return err ? err : copy_directory(copying, from, path, depth + 1);
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* from is where it is in the recording, path where it was on the machine. */
static int copy_directory(struct copying *copying, const char *from, const char *path, int depth)
{
	int fd = beneath_open(copying->from, from, O_RDONLY | O_DIRECTORY), err = 0;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!stream) {
		err = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return redact_complain(copying, from, err);
	}
	while (!err && (entry = readdir(stream))) {
		const char *slash = !*path && *entry->d_name == '@' ? "" : "/";
		char *below, *named;

		if (is_dots(entry->d_name))
			continue;
		below = mem_printf("%s/%s", from, entry->d_name);
		named = mem_printf("%s%s%s", path, slash, entry->d_name);
		err = copy_entry(copying, below, named, depth);
		free(below);
		free(named);
	}
	closedir(stream);
	return err;
}

static int copy_environment(struct copying *copying)
{
	struct str content = STR_INIT, redacted = STR_INIT;
	int err = redact_read_file(copying->from, "environment", &content);
	char *at = content.text, *line;

	while (!err && at && (line = strsep(&at, "\n"))) {
		char *blank = strchr(line, ' ');

		if (!blank)
			continue;
		*blank = 0;
		str_addf(&redacted, "%s ", line);
		redact_environment(copying->redactor, line, blank + 1, &redacted);
		str_addc(&redacted, '\n');
	}
	if (!err)
		err = redact_write_file(copying->to, "environment", &redacted);
	if (err)
		redact_complain(copying, "environment", err);
	str_free(&content);
	str_free(&redacted);
	return err;
}

static int copy_recording(struct copying *copying)
{
	int err = copy_environment(copying), sample;
	char name[16];

	for (sample = 0; !err; sample++) {
		int fd;

		snprintf(name, sizeof(name), "%d", sample);
		fd = beneath_open(copying->from, name, O_PATH | O_DIRECTORY);
		if (fd == -ENOENT)
			break;
		if (fd < 0)
			return redact_complain(copying, name, fd);
		close(fd);
		copying->sample = name;
		err = copy_directory(copying, name, "", 0);
	}
	if (!err && !sample)
		err = redact_complain(copying, "0", -ENOENT);
	return err;
}

/* Nothing is mixed with what is there already. */
static int redact_open_new(const struct copying *copying, const char *dir)
{
	struct str why = STR_INIT;
	int fd = place_open_private(dir, true, &why);
	char *shown = escape_path(dir);

	if (fd < 0)
		fprintf(stderr, "%s: %s: %s\n", copying->program, shown, str_text(&why));
	free(shown);
	str_free(&why);
	return fd;
}

static int redact_to(struct copying *copying, const char *from, const char *to)
{
	int err;

	copying->from = open(from, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (copying->from < 0)
		return redact_complain(copying, from, -errno);
	copying->to = redact_open_new(copying, to);
	if (copying->to < 0) {
		close(copying->from);
		return copying->to;
	}
	copying->redactor = redactor_new(&known_words);
	err = copying->redactor ? copy_recording(copying) : redact_complain(copying, to, -EAGAIN);
	redactor_free(copying->redactor);
	close(copying->from);
	close(copying->to);
	return err;
}

static int cmd_redact(int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday redact DIR OUT",
		.what = "Copies a recording to the new directory OUT with the names of hosts, "
			"processes, "
			"cgroups,\ninterfaces, mount points and labels, and all addresses "
			"replaced. The "
			"verdicts stay the same.\nSee docs/recording.md.",
		.status = "0 done, 3 not done",
	};
	struct copying copying = {.program = argv[0]};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 2) {
		fprintf(stderr, "%s: name a recording and a new directory; see --help\n", argv[0]);
	} else if (!err) {
		status = redact_to(&copying, options.names[0], options.names[1]) ? 3 : 0;
		if (!status)
			printf("%zu files, %zu left out\n", copying.files, copying.left_out);
	}
	options_free(&options);
	return status;
}
