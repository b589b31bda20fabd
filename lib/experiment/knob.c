/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a file of the kernel hold, and how does it get its old value back? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/escape.h"
#include "experiment/undo_log.h"
#include "experiment/knob.h"
#include "base/str.h"

/* linux/magic.h */
#define PROC_MAGIC 0x9fa0
#define SYSFS_MAGIC 0x62656572
#define CGROUP_MAGIC 0x27e0eb
#define CGROUP2_MAGIC 0x63677270

/* One file may only take its value after another one has, so a second round is worth it. */
#define ROUNDS 3
#define SHOWN_COLUMNS 200

static bool knob_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The one word in brackets, or NULL. */
static char *chosen_word(const char *text)
{
	const char *found = NULL, *at = text;
	size_t found_len = 0;

	while (*at) {
		size_t len = strcspn(at, " \t");

		if (len > 2 && *at == '[' && at[len - 1] == ']') {
			if (found)
				return NULL;
			found = at + 1;
			found_len = len - 2;
		}
		at += len;
		at += strspn(at, " \t");
	}
	return found ? mem_strndup(found, found_len) : NULL;
}

bool knob_value(const char *text, size_t len, char **value)
{
	char *copy;

	*value = NULL;
	while (len && knob_is_blank(text[len - 1]))
		len--;
	if (memchr(text, 0, len) || memchr(text, '\n', len) || len > KNOB_VALUE_MAX)
		return false;
	copy = mem_strndup(text, len);
	*value = chosen_word(copy);
	if (*value)
		free(copy);
	else
		*value = copy;
	return true;
}

static bool is_kernel_file(int fd)
{
	static const long magic[] = {PROC_MAGIC, SYSFS_MAGIC, CGROUP_MAGIC, CGROUP2_MAGIC};
	struct statfs fs;
	struct stat st;
	size_t i;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatfs(fd, &fs))
		return false;
	for (i = 0; i < ARRAY_SIZE(magic); i++)
		if ((long)fs.f_type == magic[i])
			return true;
	return false;
}

static int open_kernel_file(const char *path, int flags)
{
	int fd;

	if (!undo_log_path_is_sound(path))
		return -EMEDIUMTYPE;
	fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (is_kernel_file(fd))
		return fd;
	close(fd);
	return -EMEDIUMTYPE;
}

int knob_read(const char *path, char **value)
{
	char buf[KNOB_VALUE_MAX + 2];
	int fd = open_kernel_file(path, O_RDONLY), err = 0;
	size_t len = 0;
	ssize_t n = 1;

	*value = NULL;
	if (fd < 0)
		return fd;
	while (n > 0 && len < sizeof(buf)) {
		n = read(fd, buf + len, sizeof(buf) - len);
		len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		err = -errno;
	close(fd);
	if (!err && !knob_value(buf, len, value))
		err = -EMSGSIZE;
	return err;
}

int knob_write(const char *path, const char *value)
{
	char *line = mem_printf("%s\n", value);
	int fd = open_kernel_file(path, O_WRONLY), err = 0;
	size_t len = strlen(line);
	ssize_t n;

	if (fd < 0) {
		free(line);
		return fd;
	}
	/* What the kernel takes in two parts, it takes for two values. */
	n = write(fd, line, len);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = -EIO;
	close(fd);
	free(line);
	return err;
}

int knob_may_write(const char *path)
{
	int fd = open_kernel_file(path, O_WRONLY);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

const char *knob_error(int err)
{
	if (err == -EMEDIUMTYPE)
		return "not a file of the kernel";
	if (err == -EMSGSIZE)
		return "more than one value";
	return strerror(-err);
}

void knob_note(struct str *notes, const char *format, ...)
{
	struct str text = STR_INIT, shown = STR_INIT;
	va_list args;
	size_t i;

	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	/* Lists of numbers have them; nothing is gained by showing them as \x09. */
	for (i = 0; i < text.len; i++)
		if (text.text[i] == '\t')
			text.text[i] = ' ';
	escape_terminal_cut(&shown, str_text(&text), SHOWN_COLUMNS);
	if (!strstr(str_text(notes), str_text(&shown))) {
		str_add(notes, notes->len ? "; " : "");
		str_add(notes, str_text(&shown));
	}
	str_free(&shown);
	str_free(&text);
}

/* What became of a file. */
enum state { STATE_OLD, STATE_OURS, STATE_GONE, STATE_THEIRS, STATE_UNKNOWN };

static bool is_gone(int err)
{
	return err == -ENOENT || err == -ENODEV || err == -ENXIO || err == -ESRCH;
}

static enum state knob_look_at(const struct undo_log_file *file, struct str *notes)
{
	enum state state = STATE_OURS;
	char *now;
	int err = knob_read(file->path, &now);

	if (is_gone(err)) {
		knob_note(notes, "%s is gone, and needs nothing", file->path);
		return STATE_GONE;
	}
	if (err) {
		knob_note(notes, "%s cannot be read: %s", file->path, knob_error(err));
		return STATE_UNKNOWN;
	}
	if (!strcmp(now, file->old)) {
		state = STATE_OLD;
	} else if (file->ours && strcmp(now, file->ours) != 0) {
		state = STATE_THEIRS;
		knob_note(notes, "%s was changed to %s by somebody else; left as it is (it was %s)",
			file->path, now, file->old);
	}
	free(now);
	return state;
}

/* The texts that may bring the old value back. Some files print a hexadecimal number without 0x,
 * and take what begins with 0 for octal (/proc/PID/coredump_filter). The caller frees. */
static char *way_back(const struct undo_log_file *file, int round)
{
	if (round == 0 && file->undo)
		return mem_strdup(file->undo);
	if (round == ROUNDS - 1 && strlen(file->old) > 1 && *file->old == '0' &&
		strspn(file->old, "0123456789abcdefABCDEF") == strlen(file->old))
		return mem_printf("0x%s", file->old);
	return mem_strdup(file->old);
}

/* Or gone, which comes to the same. */
static bool knob_is_old(const struct undo_log_file *file)
{
	char *now;
	int err = knob_read(file->path, &now);
	bool same = err ? is_gone(err) : !strcmp(now, file->old);

	free(now);
	return same;
}

/* One round over all that is ours and not as it was. Returns how many files are still not. */
static size_t knob_put_back(
	const struct undo_log_entry *entry, const enum state *states, int round, int *errors)
{
	size_t i, left = 0;

	for (i = 0; i < entry->n_files; i++) {
		char *text;

		if (states[i] != STATE_OURS || knob_is_old(&entry->files[i]))
			continue;
		text = way_back(&entry->files[i], round);
		errors[i] = knob_write(entry->files[i].path, text);
		free(text);
	}
	for (i = 0; i < entry->n_files; i++)
		left += states[i] == STATE_OURS && !knob_is_old(&entry->files[i]);
	return left;
}

static void knob_note_refused(const struct undo_log_file *file, int err, struct str *notes)
{
	char *now;
	int read_err = knob_read(file->path, &now);

	if (err)
		knob_note(notes, "%s does not take %s back: %s", file->path, file->old,
			knob_error(err));
	else
		knob_note(notes, "%s does not take %s back: it says %s", file->path, file->old,
			read_err ? knob_error(read_err) : now);
	free(now);
}

int knob_restore(const struct undo_log_entry *entry, struct str *notes)
{
	enum state *states = mem_zalloc(entry->n_files * sizeof(*states));
	int *errors = mem_zalloc(entry->n_files * sizeof(*errors)), round, result = 0;
	size_t i;

	for (i = 0; i < entry->n_files; i++)
		states[i] = knob_look_at(&entry->files[i], notes);
	for (round = 0; round < ROUNDS; round++)
		if (!knob_put_back(entry, states, round, errors))
			break;
	for (i = 0; i < entry->n_files; i++) {
		if (states[i] == STATE_THEIRS && !result)
			result = -ESTALE;
		if (states[i] == STATE_UNKNOWN)
			result = -ENOTRECOVERABLE;
		if (states[i] != STATE_OURS || knob_is_old(&entry->files[i]))
			continue;
		knob_note_refused(&entry->files[i], errors[i], notes);
		result = -ENOTRECOVERABLE;
	}
	free(states);
	free(errors);
	return result;
}
