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
#include "sys/place.h"
#include "sys/read_write.h"
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
		fprintf(stderr, "%s: not written; the file would have these errors:\n%s", program,
			str_text(&errors));
	check_free(check);
	str_free(&errors);
	return right;
}

static int write_new(const char *file, const struct str *text, struct str *why)
{
	const char *name;
	int dir = place_open_parent(file, &name, why), fd, err;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	err = fd < 0 ? -errno : write_all(fd, str_text(text), text->len);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err && fd >= 0)
		unlinkat(dir, name, 0);
	if (err)
		str_add(why, strerror(-err));
	close(dir);
	return err;
}

int ini_write(const char *program, const char *file, const struct str *text, bool force)
{
	struct str why = STR_INIT;
	char *shown;
	int err;

	if (!strcmp(file, "-")) {
		fputs(str_text(text), stdout);
		return 0;
	}
	err = force ? write_file_atomically(file, FILE_FOR_ALL, str_text(text), text->len, &why)
		    : write_new(file, text, &why);
	shown = escape_path(file);
	if (err)
		fprintf(stderr, "%s: %s: %s%s\n", program, shown, str_text(&why),
			err == -EEXIST ? "; --force overwrites it" : "");
	free(shown);
	str_free(&why);
	return err;
}
