/* SPDX-License-Identifier: GPL-2.0-only */
/* Which formats are there, how is a number said, and how does a report replace an older one? */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "output/writer.h"

extern const struct writer *const __start_tuesday_writers[] __attribute__((weak));
extern const struct writer *const __stop_tuesday_writers[] __attribute__((weak));

void writer_each(void (*each)(void *arg, const struct writer *writer), void *arg)
{
	const struct writer *const *at;

	for (at = __start_tuesday_writers; at < __stop_tuesday_writers; at++)
		each(arg, *at);
}

const struct writer *writer_find(const char *name)
{
	const struct writer *const *at;

	for (at = __start_tuesday_writers; at < __stop_tuesday_writers; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

int writer_exit_status(const char *name, enum verdict verdict)
{
	const struct writer *writer = writer_find(name);

	return writer && writer->exit_status ? writer->exit_status(verdict)
					     : verdict_exit_status(verdict);
}

bool limits_op(const struct limits *limits, enum op *op)
{
	if (!limits->plain.set && !limits->n)
		return false;
	*op = limits->plain.set ? limits->plain.op : limits->by_class[0].op;
	return true;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A device or a pipe: there is nothing to replace. Opened without waiting, so that a pipe that
 * nobody reads is an error and no hang. */
static int write_directly(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode))
		err = -ELOOP; /* became a file meanwhile */
	else if (fcntl(fd, F_SETFL, 0) < 0)
		err = -errno;
	else
		err = write_all(fd, text, len);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int create_new(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0644);

	if (fd < 0 && errno == EEXIST) {
		/* Left by a process of the same number that was killed while it wrote. */
		unlink(path);
		fd = open(path, flags, 0644);
	}
	return fd < 0 ? -errno : fd;
}

/* Fills the new file. Each step can be the one that says that the disk is full. */
static int fill(int fd, const char *text, size_t len)
{
	int err = write_all(fd, text, len);

	if (!err && fchmod(fd, 0644))
		err = -errno;
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int replace(const char *path, const char *text, size_t len)
{
	char *temporary = mem_printf("%s.tmp.%ld", path, (long)getpid());
	int fd = create_new(temporary), err;

	if (fd < 0) {
		free(temporary);
		return fd;
	}
	err = fill(fd, text, len);
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	free(temporary);
	return err;
}

int write_file_atomically(const char *path, const char *text, size_t len)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : write_directly(path, text, len);
	if (!lstat(path, &st) && S_ISLNK(st.st_mode))
		return -ELOOP;
	return replace(path, text, len);
}

/* A step of a unit: used for values below "below", which is counted in this step. */
struct step {
	double size;
	double below;
	const char *text;
};

#define NEXT 999.5 /* from here on three digits would not do */
#define IN_FULL 99999.5

static const struct step ratio_steps[] = {{0.01, INFINITY, " %"}};
static const struct step second_steps[] = {
	{1e-9, NEXT, " ns"},
	{1e-6, NEXT, " us"},
	{1e-3, NEXT, " ms"},
	{1, 120, " s"},
	{60, 120, " min"},
	{3600, 48, " h"},
	{86400, INFINITY, " days"},
};
static const struct step count_steps[] = {
	{1, IN_FULL, ""},
	{1e3, NEXT, " k"},
	{1e6, NEXT, " M"},
	{1e9, NEXT, " G"},
	{1e12, NEXT, " T"},
	{1e15, INFINITY, " P"},
};
static const struct step rate_steps[] = {
	{1, IN_FULL, "/s"},
	{1e3, NEXT, "k/s"},
	{1e6, NEXT, "M/s"},
	{1e9, INFINITY, "G/s"},
};
static const struct step byte_steps[] = {
	{1, NEXT, " B"},
	{0x1p10, NEXT, " KiB"},
	{0x1p20, NEXT, " MiB"},
	{0x1p30, NEXT, " GiB"},
	{0x1p40, NEXT, " TiB"},
	{0x1p50, INFINITY, " PiB"},
};
static const struct step byte_rate_steps[] = {
	{1, NEXT, " B/s"},
	{0x1p10, NEXT, " KiB/s"},
	{0x1p20, NEXT, " MiB/s"},
	{0x1p30, INFINITY, " GiB/s"},
};
static const struct step *const steps[] = {
	[UNIT_RATIO] = ratio_steps,
	[UNIT_SECONDS] = second_steps,
	[UNIT_BYTES] = byte_steps,
	[UNIT_COUNT] = count_steps,
	[UNIT_PER_SECOND] = rate_steps,
	[UNIT_BYTES_PER_SECOND] = byte_rate_steps,
};

/* A number that is not negative, with as many decimals as make three digits, zeros at the end gone.
 */
static void add_number(struct str *out, double number)
{
	char text[64];
	size_t len;

	if (number > 0 && number < 0.0005) {
		str_add(out, "<0.001");
		return;
	}
	if (number >= IN_FULL) {
		str_addf(out, "%.3g", number);
		return;
	}
	snprintf(text, sizeof(text), "%.*f",
		number >= 99.95		   ? 0
			: number >= 9.995  ? 1
			: number >= 0.9995 ? 2
					   : 3,
		number);
	len = strlen(text);
	if (strchr(text, '.')) {
		while (text[len - 1] == '0')
			len--;
		len -= text[len - 1] == '.';
	}
	str_addn(out, text, len);
}

void value_for_people(struct str *out, double value, enum unit unit)
{
	const struct step *step = steps[unit];
	double size = fabs(value), pick = size > 0 ? size : 1; /* 0 is "0 s", not "0 ns" */

	if (!isfinite(value)) {
		str_add(out, "no value");
		return;
	}
	while (pick / step->size >= step->below)
		step++;
	if (value < 0)
		str_addc(out, '-');
	add_number(out, size / step->size);
	str_add(out, step->text);
}

const char *metric_label(const struct check_result *check, const struct metric_result *metric)
{
	bool is_other = check->check->foreign && metric->label && *metric->label;

	return is_other ? metric->label : metric->metric->name;
}
