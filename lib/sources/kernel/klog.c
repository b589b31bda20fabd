/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has the kernel complained of? Its log is read once a sample, from where the last sample
 * ended, and each line is counted in at most one field: klog_patterns.h says which.
 *
 * Fields are plain, for the machine (io_errors), and of instances (*.io_errors of sda). What names
 * no instance is counted for the instance "kernel", which is always there. FIELD_age_seconds says
 * how long ago the last one was, FIELD_in_DURATION how many were as long ago or less
 * (crashes_in_10min; at most 1024 an instance are known). At most 64 instances of a field are
 * known, those of the latest lines. Only what the kernel itself has written counts: anyone who may
 * write to the log can write the same words, and who runs a program can have the kernel quote them.
 *
 * errors             lines of level 3 (error) or worse, whatever they say
 * errors_age_seconds of the last of them or, without any, how far the log reaches back
 * records            lines that were ever written to the log, by whomever
 * overwritten        lines that were gone before the first was read: counts begin after them
 * lost               lines that were overwritten while we looked
 * oldest_age_seconds how long ago the oldest line was written that was there
 *
 * The blob has lines "now_us N" (the clock of the log), "overwritten N", "lost N", "records N" and
 * "oldest_us N", "cut 1" where there were more lines than are read at once, and then the lines of
 * /dev/kmsg that count, as they are there: those of this sample alone.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "sys/caps.h"
#include "base/num.h"
#include "sources/kernel/klog_fits.h"
#include "sources/kernel/klog_patterns.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sources/kernel/klog.h"
#include "sample/sink.h"
#include "sources/common/value_files.h"
#include "sample/source.h"

#define BLOB "klog"
#define NAMES_MAX 64
#define NAME_CHARS \
	15 /* of a program and of an interface: TASK_COMM_LEN and IFNAMSIZ, less the end */
#define RECORDS_MAX (1 << 20) /* a sample: the largest log that a kernel can have holds fewer */
#define LEVEL_ERROR 3
#define WHOLE "kernel" /* the instance of what names none */
#define TIMES_MAX 1024
#define WITHIN "_in_"

struct named {
	char name[64];
	double count;
	uint64_t last_us;
	uint64_t *times_us; /* of the last TIMES_MAX of them, in any order */
	size_t n_times, room_times, oldest_time;
};

/* What was counted of a field. */
struct field {
	double count;
	uint64_t last_us;
	struct named *names;
	size_t n, room;
};

struct klog {
	struct field fields[ARRAY_SIZE(klog_rows)]; /* by the first row of that name */
	double errors, records, overwritten, lost;
	uint64_t now_us, oldest_us, last_error_us, last_seq;
	bool now_known, oldest_known, records_known, any;
	bool is_cut; /* in the last sample */
};

/* A line of /dev/kmsg: "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT". */
struct record {
	uint64_t priority, seq, us;
	struct bytes text;
};

struct reader {
	int fd, error;
	struct klog *log;
	double overwritten, lost; /* told to the log as a part of the blob */
	uint64_t next_seq, oldest_us;
	bool began;
	bool is_cut; /* there are more lines, which the next sample reads */
};

/* Whether anything that the kernel writes behind names begins with that byte. */
static bool klog_may_follow_name(char byte)
{
	static bool known, follows[256];
	size_t i;

	for (i = 0; !known && i < ARRAY_SIZE(klog_behind_names); i++)
		follows[(unsigned char)*klog_behind_names[i]] = true;
	known = true;
	return follows[(unsigned char)byte];
}

static bool klog_follows_name(struct bytes text)
{
	struct bytes none;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(klog_behind_names); i++)
		if (klog_fits(text, klog_behind_names[i], &none))
			return true;
	return false;
}

/*
 * Whether the line begins with what a program or an interface calls itself, by what the kernel
 * writes behind such names. /dev/kmsg writes a byte of a name that is no printable one as "\x0a".
 */
static bool klog_begins_with_name(struct bytes text)
{
	size_t chars;

	for (chars = 0; chars <= NAME_CHARS && text.len; chars++) {
		size_t n = text.len >= 4 && !memcmp(text.data, "\\x", 2) ? 4 : 1;

		if ((!chars || klog_may_follow_name(*text.data)) && klog_follows_name(text))
			return true;
		text.data += n;
		text.len -= n;
	}
	return false;
}

/*
 * The rows that a line may belong to, told by its first letter: most lines are of none. Each list
 * is made when the first line with that letter comes. Rows that begin with a wildcard are in every
 * list: of these, what a line must have says at once that it is not.
 */
struct letter {
	bool known;
	unsigned char n, rows[ARRAY_SIZE(klog_rows)];
};
static struct klog_pairs row_pairs[ARRAY_SIZE(klog_rows)]; /* of rows that are in a list */
_Static_assert(ARRAY_SIZE(klog_rows) < 256, "the number of a row fits into a byte");

static const struct letter *letter_of(struct bytes text)
{
	static struct letter letters[256];
	unsigned char first = text.len ? (unsigned char)*text.data : 0;
	struct letter *letter = &letters[first];
	size_t i;

	for (i = 0; !letter->known && i < ARRAY_SIZE(klog_rows); i++) {
		if (!strchr("%~@*", *klog_rows[i].pattern) &&
			(unsigned char)*klog_rows[i].pattern != first)
			continue;
		row_pairs[i] = klog_pairs_of_pattern(klog_rows[i].pattern);
		letter->rows[letter->n++] = (unsigned char)i;
	}
	letter->known = true;
	return letter;
}

/* The row that a line of this level belongs to, or NULL. */
static const struct klog_row *klog_row_of(struct bytes text, uint64_t level, struct bytes *instance)
{
	const struct letter *letter = letter_of(text);
	const struct klog_pairs pairs = klog_pairs_of_line(text);
	size_t i;

	*instance = (struct bytes){NULL, 0};
	for (i = 0; i < letter->n; i++) {
		const struct klog_row *row = &klog_rows[letter->rows[i]];

		if ((uint64_t)row->level < level ||
			!klog_pairs_may_fit(&pairs, &row_pairs[letter->rows[i]]) ||
			!klog_fits(text, row->pattern, instance))
			continue;
		/* A row about a program knows which name it begins with. */
		if (!row->field || (!strchr(row->pattern, '@') && klog_begins_with_name(text)))
			return NULL;
		return row;
	}
	return NULL;
}

const char *klog_line_field(struct bytes line, uint64_t level, struct bytes *instance)
{
	const struct klog_row *row = klog_row_of(line, level, instance);

	return row ? row->field : NULL;
}

/* The first row of a row's field, by which it is counted. There are too many rows to look it up
 * each time: in every sample each field is put. */
static size_t klog_field_of(const struct klog_row *row)
{
	static bool known;
	static unsigned char first[ARRAY_SIZE(klog_rows)];
	size_t i, k;

	for (i = 0; !known && i < ARRAY_SIZE(klog_rows); i++) {
		for (k = 0; k < i; k++)
			if (klog_rows[i].field && klog_rows[k].field &&
				!strcmp(klog_rows[i].field, klog_rows[k].field))
				break;
		first[i] = (unsigned char)k;
	}
	known = true;
	return first[row - klog_rows];
}

static bool take_record(struct bytes line, struct record *out)
{
	struct bytes head;
	const char *at, *end;

	if (!text_until(&line, ';', &head))
		return false;
	at = head.data;
	end = head.data + head.len;
	if (num_next(&at, end, &out->priority) || at == end || *at++ != ',')
		return false;
	if (num_next(&at, end, &out->seq) || at == end || *at++ != ',')
		return false;
	if (num_next(&at, end, &out->us) || (at != end && *at != ','))
		return false;
	out->text = line;
	return true;
}

/* Facility 0, which what a program writes to /dev/kmsg never gets. */
static bool is_of_kernel(const struct record *record)
{
	return record->priority < 8;
}

static void klog_keep_time(struct named *named, uint64_t us)
{
	if (named->n_times == TIMES_MAX) {
		named->times_us[named->oldest_time] = us;
		named->oldest_time = (named->oldest_time + 1) % TIMES_MAX;
		return;
	}
	ARRAY_GROW(named->times_us, named->n_times, named->room_times);
	named->times_us[named->n_times++] = us;
}

static size_t klog_find_name(const struct field *field, const char *name)
{
	size_t i = 0;

	while (i < field->n && !str_same(field->names[i].name, name))
		i++;
	return i;
}

static void count_name(struct field *field, struct bytes instance, uint64_t us)
{
	char name[sizeof(field->names->name)];
	size_t i;

	if (instance.len >= sizeof(name))
		instance.len = sizeof(name) - 1;
	if (!text_copy(instance, name, sizeof(name)))
		snprintf(name, sizeof(name), WHOLE);
	i = klog_find_name(field, name);
	/* The last place is that of all for whom there is none. */
	if (i == field->n && i >= NAMES_MAX - 1) {
		snprintf(name, sizeof(name), WHOLE);
		i = klog_find_name(field, name);
	}
	if (i == field->n) {
		ARRAY_GROW(field->names, field->n, field->room);
		memset(&field->names[field->n], 0, sizeof(*field->names));
		memcpy(field->names[field->n++].name, name, sizeof(name));
	}
	field->names[i].count++;
	field->names[i].last_us = us;
	klog_keep_time(&field->names[i], us);
}

static void add_record(struct klog *log, struct bytes line)
{
	const struct klog_row *row;
	struct record record;
	struct bytes instance;
	struct field *field;

	if (!take_record(line, &record) || !is_of_kernel(&record) ||
		(log->any && record.seq <= log->last_seq))
		return;
	log->any = true;
	log->last_seq = record.seq;
	if (record.priority <= LEVEL_ERROR) {
		log->errors++;
		log->last_error_us = record.us;
	}
	row = klog_row_of(record.text, record.priority, &instance);
	if (!row)
		return;
	field = &log->fields[klog_field_of(row)];
	field->count++;
	field->last_us = record.us;
	count_name(field, instance, record.us);
}

static bool klog_take_time(struct bytes line, uint64_t *out)
{
	const char *at = line.data, *end = line.data + line.len;

	return !num_next(&at, end, out) && at == end;
}

static void klog_add_header(struct klog *log, struct bytes line)
{
	struct bytes name;

	if (!text_word(&line, &name))
		return;
	if (text_is(name, "now_us"))
		log->now_known = klog_take_time(line, &log->now_us);
	else if (text_is(name, "oldest_us"))
		log->oldest_known = klog_take_time(line, &log->oldest_us);
	else if (text_is(name, "overwritten"))
		text_next_number(&line, &log->overwritten);
	else if (text_is(name, "records"))
		log->records_known = text_next_number(&line, &log->records);
	else if (text_is(name, "lost"))
		text_next_number(&line, &log->lost);
	else if (text_is(name, "cut"))
		log->is_cut = true;
}

void klog_add(struct klog *log, struct bytes text)
{
	struct bytes line;

	log->is_cut = false;
	while (text_line(&text, &line)) {
		if (line.len && *line.data >= '0' && *line.data <= '9')
			add_record(log, line);
		else
			klog_add_header(log, line);
	}
}

static void put_age(const struct klog *log, struct sink *sink, const char *instance,
	const char *field, uint64_t last_us)
{
	char name[64];

	if (!log->now_known)
		return;
	snprintf(name, sizeof(name), "%s_age_seconds", field);
	sink_put(sink, instance, name,
		log->now_us > last_us ? (double)(log->now_us - last_us) / 1e6 : 0);
}

static void klog_put_field(
	const struct klog *log, struct sink *sink, const char *name, const struct field *field)
{
	size_t i;

	sink_put(sink, "", name, field->count);
	sink_put(sink, WHOLE, name, 0);
	if (log->oldest_known)
		put_age(log, sink, WHOLE, name, log->oldest_us);
	if (field->count > 0)
		put_age(log, sink, "", name, field->last_us);
	for (i = 0; i < field->n; i++) {
		sink_put(sink, field->names[i].name, name, field->names[i].count);
		put_age(log, sink, field->names[i].name, name, field->names[i].last_us);
	}
}

static double klog_count_since(const struct named *named, uint64_t since_us)
{
	double count = 0;
	size_t i;

	for (i = 0; i < named->n_times; i++)
		count += named->times_us[i] >= since_us;
	return count;
}

static void klog_put_since(
	const struct field *field, struct sink *sink, const char *name, uint64_t since_us)
{
	double sum = 0;
	size_t i;

	sink_put(sink, WHOLE, name, 0);
	for (i = 0; i < field->n; i++) {
		double count = klog_count_since(&field->names[i], since_us);

		sum += count;
		sink_put(sink, field->names[i].name, name, count);
	}
	sink_put(sink, "", name, sum);
}

struct put {
	const struct klog *log;
	struct sink *sink;
};

/* wanted is "FIELD_in_DURATION", or that with an instance before it; most are something else. */
static void klog_put_wanted(void *arg, const char *wanted)
{
	const struct put *put = arg;
	const char *dot = strrchr(wanted, '.'), *name = dot ? dot + 1 : wanted;
	const char *within = strstr(name, WITHIN), *duration;
	double seconds, now_us = (double)put->log->now_us;
	size_t i;
	int len;

	if (!within || !put->log->now_known)
		return;
	duration = within + strlen(WITHIN);
	len = num_with_unit(duration, &seconds);
	if (len < 0 || duration[len])
		return;
	for (i = 0; i < ARRAY_SIZE(klog_rows); i++)
		if (klog_rows[i].field && strlen(klog_rows[i].field) == (size_t)(within - name) &&
			!strncmp(klog_rows[i].field, name, (size_t)(within - name)))
			break;
	if (i < ARRAY_SIZE(klog_rows))
		klog_put_since(&put->log->fields[i], put->sink, name,
			now_us > seconds * 1e6 ? (uint64_t)(now_us - seconds * 1e6) : 0);
}

void klog_put(const struct klog *log, struct sink *sink)
{
	struct put put = {log, sink};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(klog_rows); i++)
		if (klog_rows[i].field && klog_field_of(&klog_rows[i]) == i)
			klog_put_field(log, sink, klog_rows[i].field, &log->fields[i]);
	sink_each_wanted(sink, klog_put_wanted, &put);
	sink_put(sink, "", "errors", log->errors);
	if (log->errors > 0 || log->oldest_known)
		put_age(log, sink, "", "errors",
			log->errors > 0 ? log->last_error_us : log->oldest_us);
	if (log->records_known)
		sink_put(sink, "", "records", log->records);
	sink_put(sink, "", "overwritten", log->overwritten);
	sink_put(sink, "", "lost", log->lost);
	if (log->oldest_known)
		put_age(log, sink, "", "oldest", log->oldest_us);
}

struct klog *klog_new(void)
{
	return mem_zalloc(sizeof(struct klog));
}

static void klog_free_field(struct field *field)
{
	size_t i;

	for (i = 0; i < field->n; i++)
		free(field->names[i].times_us);
	free(field->names);
}

void klog_free(struct klog *log)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(log->fields); i++)
		klog_free_field(&log->fields[i]);
	free(log);
}

/* What is lost is told by the numbers of the lines: the first has 0 when the machine starts. */
static void note_gap(struct reader *reader, const struct record *record)
{
	if (!reader->began) {
		reader->overwritten = (double)record->seq;
		reader->oldest_us = record->us;
	} else if (record->seq > reader->next_seq) {
		reader->lost += (double)(record->seq - reader->next_seq);
	}
	reader->began = true;
	reader->next_seq = record->seq + 1;
}

/* Keeps what counts: errors, and what the table knows. */
static void keep_line(struct reader *reader, struct bytes text, struct str *out)
{
	struct bytes line, instance;
	struct record record;

	if (!text_line(&text, &line) || !take_record(line, &record))
		return;
	note_gap(reader, &record);
	if (!is_of_kernel(&record) ||
		(record.priority > LEVEL_ERROR &&
			!klog_row_of(record.text, record.priority, &instance)))
		return;
	str_addn(out, line.data, line.len);
	str_addc(out, '\n');
}

/* One read gives one line. A line that was overwritten is told once, with EPIPE. */
static int read_lines(struct reader *reader, struct str *out)
{
	char buf[8192];
	size_t i;

	for (i = 0; i < RECORDS_MAX; i++) {
		ssize_t n = read(reader->fd, buf, sizeof(buf));

		if (n > 0)
			keep_line(reader, (struct bytes){buf, (size_t)n}, out);
		else if (!n || errno == EAGAIN)
			break;
		else if (errno != EPIPE && errno != EINVAL && errno != EINTR)
			return -errno;
	}
	reader->is_cut = i == RECORDS_MAX;
	return 0;
}

/* The clock that stamps the log counts as this one does, within the drift of some weeks. */
static unsigned long long now_us(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
}

static int klog_take_lines(struct capture *fs, struct reader *reader)
{
	struct str lines = STR_INIT, blob = STR_INIT;
	int err = read_lines(reader, &lines);

	if (!err) {
		str_addf(&blob, "now_us %llu\noverwritten %.0f\nlost %.0f\n", now_us(),
			reader->overwritten, reader->lost);
		if (reader->began)
			str_addf(&blob, "records %llu\noldest_us %llu\n",
				(unsigned long long)reader->next_seq,
				(unsigned long long)reader->oldest_us);
		if (reader->is_cut)
			str_add(&blob, "cut 1\n");
		str_addn(&blob, str_text(&lines), lines.len);
		err = capture_put_blob(fs, BLOB, str_text(&blob), blob.len);
	}
	str_free(&lines);
	str_free(&blob);
	return err;
}

static int open_klog(struct capture *fs, void **state)
{
	struct reader *reader = mem_zalloc(sizeof(*reader));

	reader->fd = -1;
	reader->log = klog_new();
	*state = reader;
	if (!capture_is_live(fs))
		return 0;
	caps_raise(CAPS_LOG);
	reader->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	reader->error = reader->fd < 0 ? -errno : 0;
	caps_lower(CAPS_LOG);
	return 0;
}

/* What cannot be read is recorded too, so that a replay says the same. */
static int klog_take_blob(struct capture *fs, struct reader *reader, struct bytes *blob)
{
	char text[32];
	int err = reader->error;
	double number;

	if (capture_is_live(fs)) {
		if (!err)
			err = klog_take_lines(fs, reader);
		snprintf(text, sizeof(text), "error %d\n", -err);
		if (err && capture_put_blob(fs, BLOB, text, strlen(text)))
			return err;
	} else if (!capture_is_replay(fs)) {
		return -EOPNOTSUPP;
	}
	err = capture_get_blob(fs, BLOB, blob);
	if (!err && text_starts(*blob, "error ") && parse_named_value(*blob, "error", &number))
		err = number > 0 && number < 4096 ? -(int)number : -EBADMSG;
	return err;
}

static int read_klog(struct capture *fs, void *state, struct sink *sink)
{
	struct reader *reader = state;
	struct bytes blob;
	int err = klog_take_blob(fs, reader, &blob);

	if (err) {
		sink_missing(sink, "the kernel's log: %s",
			err == -EPERM ? "only root may read it (kernel.dmesg_restrict)"
				      : capture_why_untold(fs, err));
		return err;
	}
	klog_add(reader->log, blob);
	klog_put(reader->log, sink);
	if (reader->log->is_cut)
		sink_missing(sink, "the kernel's log has more lines than are read at once, %d",
			RECORDS_MAX);
	return 0;
}

static void close_klog(void *state)
{
	struct reader *reader = state;

	if (reader->fd >= 0)
		close(reader->fd);
	klog_free(reader->log);
	free(reader);
}

SOURCE(klog) = {
	.name = "klog",
	.what = "the kernel's log, what it complains of and how long ago",
	.open = open_klog,
	.read = read_klog,
	.close = close_klog,
};

void klog_each_pattern(void (*each)(void *arg, const char *pattern), void *arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(klog_rows); i++)
		each(arg, klog_rows[i].pattern);
	for (i = 0; i < ARRAY_SIZE(klog_behind_names); i++)
		each(arg, klog_behind_names[i]);
}
