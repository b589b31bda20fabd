/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a file of spans opened that a person has named? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/ini.h"
#include "base/progress.h"
#include "base/str.h"
#include "spans/join.h"
#include "spans/read.h"
#include "spans/spans.h"
#include "spans/stages.h"
#include "sys/opener.h"
#include "sys/raised_limit.h"
#include "sys/read_write.h"
#include "sys/sandbox.h"
#include "tools/span/files.h"

#define FILES_OF_OURS 64 /* that are open beside those of spans */

int span_files_confine(const char *program)
{
	const int err = sandbox_enter(SANDBOX_READS | SANDBOX_WORKS);

	if (err)
		fprintf(stderr, "%s: cannot give up capabilities: %s\n", program, strerror(-err));
	return err;
}

static void span_files_refuse(const char *program, const char *path, const char *why)
{
	char *shown = escape_path(path);

	fprintf(stderr, "%s: %s: %s\n", program, shown, why);
	free(shown);
}

static bool span_files_progress(void *arg, double share)
{
	(void)arg;
	progress_show("reading spans:", share);
	return !progress_interrupted();
}

static const char *span_files_explain(int err)
{
	switch (-err) {
	case ENOEXEC:
		return "no spans: neither lines of JSON with name, start and duration, nor OTLP, "
		       "Jaeger or Chrome JSON, nor a log of ninja";
	case ENODATA:
		return "it is empty";
	case ECANCELED:
		return "interrupted";
	case E2BIG:
		return "more than 65535 files";
	default:
		return strerror(-err);
	}
}

static int span_files_read_one(struct span_table *table, const char *program, const char *path)
{
	const bool is_input = !strcmp(path, "-");
	int err,
		fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			      : opener_open(AT_FDCWD, path, O_RDONLY | O_NOCTTY);

	if (is_input && fd < 0)
		fd = -errno;
	err = fd < 0 ? fd : spans_read(table, path, fd, span_files_progress, NULL);
	progress_end();
	if (err)
		span_files_refuse(
			program, is_input ? "standard input" : path, span_files_explain(err));
	return err;
}

int span_files_read(struct span_table *table, const char *program, char *const *paths, size_t n)
{
	size_t i;
	int err = 0;

	/* Each stays open, as the fields of its spans are read again. */
	raised_limit_set(RLIMIT_NOFILE, n + FILES_OF_OURS, false);
	for (i = 0; i < n && !err; i++)
		err = span_files_read_one(table, program, paths[i]);
	if (!err)
		span_join(table);
	return err;
}

/* At most as much as an INI file may have. */
static int span_files_take(int fd, struct str *text)
{
	char buffer[4096];
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0 && text->len <= INIFILE_MAX_BYTES)
		str_addn(text, buffer, (size_t)got);
	return got < 0 ? -errno : 0;
}

int span_files_stages(struct span_stages *stages, const char *program, const char *path)
{
	struct str text = STR_INIT, out = STR_INIT;
	struct complaints complaints = {.out = &out};
	int fd, err;

	if (!path) {
		span_stages_default(stages);
		return 0;
	}
	fd = opener_open(AT_FDCWD, path, O_RDONLY | O_NOCTTY);
	err = fd < 0 ? fd : span_files_take(fd, &text);
	if (fd >= 0)
		close(fd);
	if (err)
		span_files_refuse(program, path, strerror(-err));
	else
		err = span_stages_read(stages, path, str_text(&text), text.len, &complaints);
	fputs(str_text(&out), stderr);
	str_free(&text);
	str_free(&out);
	return err;
}
