/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a check file on disk say, and is it obeyed? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "check/compile.h"
#include "base/ini.h"
#include "base/str.h"
#include "check/read_file.h"
#include "check/settings.h"
#include "sys/file_trust.h"
#include "sys/privileged_call.h"

/* A file that says no more than "not this check". */
static struct settings mask(const char *file)
{
	struct setting list[] = {{"check", "", "", file, 1}, {"check", "enabled", "no", file, 1}};
	const struct settings both = {.list = list, .n = ARRAY_SIZE(list)};
	struct settings settings = {0};

	settings_merge(&settings, &both);
	return settings;
}

bool settings_parse(struct settings *settings, const char *file, const char *text, size_t len,
	struct complaints *complaints)
{
	struct inifile *ini = inifile_parse(file, text, len, complaints);

	if (!ini)
		return false;
	settings_from(settings, ini, file);
	inifile_free(ini);
	return true;
}

static bool is_dev_null(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* Opening what is no regular file could hang or do something. */
static bool accept_stat(const struct stat *st, const char *path, struct complaints *complaints)
{
	if (!S_ISREG(st->st_mode))
		complain(complaints, path, 0, "not a regular file");
	else if (st->st_size > INIFILE_MAX_BYTES)
		complain(complaints, path, 0, "larger than 1 MiB");
	else
		return true;
	return false;
}

static int check_read_all(int fd, struct str *text)
{
	char buf[16384];
	ssize_t n;

	while (text->len <= INIFILE_MAX_BYTES) {
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		str_addn(text, buf, (size_t)n);
	}
	return 0;
}

static bool read_regular(const char *path, struct str *text, struct complaints *complaints)
{
	/* With sudo, a check file of the user's own may be closed to plain root. */
	int fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st) < 0) {
		complain(complaints, path, 0, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	/* Once more: the name may mean another file by now. */
	if (!accept_stat(&st, path, complaints)) {
		close(fd);
		return false;
	}
	err = check_read_all(fd, text);
	close(fd);
	if (err)
		complain(complaints, path, 0, "%s", strerror(-err));
	return !err;
}

bool settings_read(struct settings *settings, const char *path, struct complaints *complaints)
{
	struct str text = STR_INIT;
	struct stat st;
	bool done = false;

	if (privileged_fstatat(AT_FDCWD, path, &st, 0) < 0)
		complain(complaints, path, 0, "%s", strerror(errno));
	else if (is_dev_null(&st))
		done = true;
	else if (accept_stat(&st, path, complaints))
		done = read_regular(path, &text, complaints);
	if (done && !text.len)
		*settings = mask(path);
	else if (done)
		done = settings_parse(settings, path, text.text, text.len, complaints);
	str_free(&text);
	return done;
}

bool settings_obey(struct settings *settings, const char *path, struct complaints *complaints)
{
	struct str why = STR_INIT;
	bool obeyed = obeyed_file(path, &why);

	if (!obeyed)
		complain(complaints, path, 0, "not obeyed: %s", str_text(&why));
	str_free(&why);
	return obeyed && settings_read(settings, path, complaints);
}

static bool is_check_name(const char *name)
{
	const char *p;

	if (!*name || *name == '-')
		return false;
	for (p = name; *p; p++)
		if (!(*p >= 'a' && *p <= 'z') && !(*p >= '0' && *p <= '9') && *p != '-')
			return false;
	return true;
}

char *check_name_from(const char *path, struct complaints *complaints)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base);
	char *name = mem_strndup(base, str_ends(base, ".ini") ? len - strlen(".ini") : len);

	if (is_check_name(name))
		return name;
	complain(complaints, path, 0, "the name of a check is of a-z, 0-9 and '-'");
	free(name);
	return NULL;
}
