/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a check file written so that it is read as it was meant? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/check.h"
#include "check/lint.h"
#include "base/escape.h"
#include "check/scaffold.h"
#include "base/str.h"
#include "sys/atomic_file.h"
#include "check/layers.h"

#define COLUMNS 96

void ini_add_key(struct str *out, const char *key, const char *value)
{
	size_t column = 11;

	str_addf(out, "%-8s =", key);
	while (*value) {
		size_t len = strcspn(value, " ");

		/* At the beginning of a line these would begin a comment. */
		if (column > 11 && column + len > COLUMNS && !strchr(";#", *value)) {
			str_addf(out, "\n%10s", "");
			column = 11;
		}
		str_addf(out, " %.*s", (int)len, value);
		column += len + 1;
		value += len;
		value += strspn(value, " ");
	}
	str_addc(out, '\n');
}

void ini_add_comment(struct str *out, const char *text)
{
	str_addf(out, "; %s\n", text);
}

bool ini_is_check(const char *program, const char *name, const struct str *text)
{
	struct str errors = STR_INIT;
	struct check *check = check_parse(name, str_text(text), text->len, &errors);
	bool right;

	if (check)
		check_lint(check, &errors);
	right = check && !errors.len;
	if (!right)
		fprintf(stderr, "%s: this would not be right, so it is not written:\n%s", program,
			str_text(&errors));
	check_free(check);
	str_free(&errors);
	return right;
}

static int write_new(const char *file, const struct str *text)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t at = 0;
	int err = fd < 0 ? -errno : 0;

	while (!err && at < text->len) {
		ssize_t n = write(fd, text->text + at, text->len - at);

		if (n < 0 && errno != EINTR)
			err = -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err && fd >= 0)
		unlink(file);
	return err;
}

int ini_write(const char *program, const char *file, const struct str *text, bool force)
{
	char *shown;
	int err;

	if (!strcmp(file, "-")) {
		fputs(str_text(text), stdout);
		return 0;
	}
	err = force ? write_file_atomically(file, str_text(text), text->len)
		    : write_new(file, text);
	shown = escape_path(file);
	if (err)
		fprintf(stderr, "%s: %s: %s%s\n", program, shown, strerror(-err),
			err == -EEXIST ? "; --force overwrites it" : "");
	free(shown);
	return err;
}
