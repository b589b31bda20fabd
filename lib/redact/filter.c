/* SPDX-License-Identifier: GPL-2.0-only */
/* What in each file of a recording could tell whose machine it was? */
#include "base/banned.h"

#include <linux/types.h>
#include <sys/random.h>

#include "bpf/iter/inotify.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "redact/filter.h"
#include "redact/words.h"
#include "base/str.h"
#include "redact/vocabulary.h"
#include "capture/recording.h"

#define COMM_SIZE 16

struct redactor {
	struct words words;
	struct words log_words; /* for the kernel's log */
	struct vocabulary *vocabulary, *log;
};

/* How the content of a file is treated. What is in no row below is WORDS. */
enum kind {
	WORDS,	 /* known words and numbers stay */
	NAMES,	 /* numbers do not */
	KEEP,	 /* the kernel alone writes it, or we do */
	SOCKETS, /* numbers, but for two addresses in each line */
	HEX,	 /* addresses in hexadecimal anywhere */
	LOG,	 /* lines of the kernel's log */
	TRACE,	 /* our own format, with names in some lines */
	PLUGIN,	 /* its text goes, its numbers stay */
	OPEN,	 /* PID OPEN LIMIT NAME */
	GPU,	 /* our own lines of numbers, of processes and of sentences */
	MOUNTS,	 /* of NFS: statistics behind "device" lines */
	TASKS,	 /* binary records with names of tasks */
	WATCHES
};

static const struct {
	enum kind kind;
	const char *patterns; /* of the path; '*' matches slashes too */
} rows[] = {
	{NAMES, "/proc/*/comm /proc/*/cmdline /proc/*/environ"},
	{MOUNTS, "/proc/*/mountstats"},
	{SOCKETS,
		"/proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 /proc/net/raw "
		"/proc/net/raw6 /proc/net/udplite /proc/net/udplite6 @netns/*/net/tcp "
		"@netns/*/net/tcp6 @netns/*/net/udp @netns/*/net/udp6"},
	{HEX,
		"/proc/net/route /proc/net/arp /proc/net/if_inet6 /proc/net/ipv6_route "
		"/proc/net/igmp* /proc/fs/nfsfs/*"},
	{KEEP,
		"/proc/stat /proc/loadavg /proc/meminfo /proc/vmstat /proc/zoneinfo "
		"/proc/buddyinfo /proc/pagetypeinfo /proc/softirqs /proc/uptime /proc/schedstat "
		"/proc/pressure/* /proc/net/netstat /proc/net/snmp /proc/net/snmp6 "
		"/proc/net/sockstat /proc/net/sockstat6 /proc/net/softnet_stat "
		"/proc/net/protocols /proc/net/stat/* /proc/sysvipc/* /proc/key-users "
		"/proc/spl/kstat/zfs/arcstats /proc/spl/kstat/zfs/dmu_tx /proc/spl/kstat/zfs/zil "
		"/proc/spl/kstat/zfs/abdstats /proc/spl/kstat/zfs/dbufstats "
		"/proc/spl/kstat/zfs/dnodestats /proc/spl/kstat/zfs/zfetchstats "
		"/proc/fs/jbd2/*/info /proc/*/wchan /proc/*/schedstat"},
	{KEEP,
		"@netns/*/net/netstat @netns/*/net/snmp @netns/*/net/snmp6 "
		"@netns/*/net/sockstat @netns/*/net/sockstat6 @netns/*/net/stat/*"},
	{WORDS, "/sys/devices/system/edac/*"},
	{KEEP,
		"/sys/devices/system/* /sys/kernel/mm/* /sys/kernel/warn_count "
		"/sys/kernel/oops_count /sys/kernel/softlockup_count "
		"/sys/kernel/hardlockup_count /sys/kernel/rcu_stall_count "
		"/sys/kernel/tracing/current_tracer /sys/kernel/security/lockdown "
		"/sys/kernel/debug/zswap/* /sys/fs/btrfs/*/error_stats "
		"/sys/fs/btrfs/*/commit_stats /sys/fs/xfs/*/stats/stats "
		"/sys/bus/pci/devices/*/aer_dev_*"},
	{KEEP,
		"/sys/fs/cgroup/*/cpu.* /sys/fs/cgroup/*/cpuacct.* /sys/fs/cgroup/*/memory.* "
		"/sys/fs/cgroup/*/io.* /sys/fs/cgroup/*/blkio.* /sys/fs/cgroup/*/pids.* "
		"/sys/fs/cgroup/*/cpuset.* /sys/fs/cgroup/*/hugetlb.* "
		"/sys/fs/cgroup/*/cgroup.stat /sys/fs/cgroup/*/cgroup.events"},
	{KEEP,
		"/sys/fs/cgroup/cpu.* /sys/fs/cgroup/memory.* /sys/fs/cgroup/io.* "
		"/sys/fs/cgroup/pids.* /sys/fs/cgroup/cpuset.* /sys/fs/cgroup/cgroup.stat"},
	{KEEP, "@package-* @adjtimex @clock @audit @mount @dm @smart @unread"},
	{LOG, "@klog"},
	{TRACE, "@trace @sentinels"},
	{PLUGIN, "@plugin-*"},
	{OPEN, "@openfiles"},
	{TASKS, "@task"},
	{WATCHES, "@inotify"},
	{GPU, "@gpu @gpu-nvml @eustall"},
};

struct redactor *redactor_new_with_key(const struct word_source *words, const uint8_t key[16])
{
	struct redactor *redactor = mem_zalloc(sizeof(*redactor));

	redactor->vocabulary = vocabulary_new(words);
	redactor->log = vocabulary_of_log(words);
	memcpy(redactor->words.key, key, sizeof(redactor->words.key));
	redactor->words.vocabulary = redactor->vocabulary;
	redactor->log_words = redactor->words;
	redactor->log_words.more = redactor->log;
	return redactor;
}

struct redactor *redactor_new(const struct word_source *words)
{
	uint8_t key[16];

	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		return NULL;
	return redactor_new_with_key(words, key);
}

void redactor_free(struct redactor *redactor)
{
	if (!redactor)
		return;
	vocabulary_free(redactor->vocabulary);
	vocabulary_free(redactor->log);
	explicit_bzero(redactor, sizeof(*redactor));
	free(redactor);
}

static enum kind redact_kind_of(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_matches(path, rows[i].patterns))
			return rows[i].kind;
	return WORDS;
}

/* Below these every directory is named by whoever made it, be the name a number. */
static bool has_chosen_names(const char *path)
{
	return str_starts(path, "/sys/fs/cgroup/") ||
		(*path == '/' && !str_starts(path, "/proc/") && !str_starts(path, "/sys/"));
}

/* The names of sysctls are the kernel's, those of the interfaces that some are about are not. */
static bool is_sysctl(const char *path, size_t at)
{
	static const char *const chosen[] = {"/conf/", "/neigh/"};
	size_t i;

	if (!str_starts(path, "/proc/sys/"))
		return false;
	for (i = 0; i < ARRAY_SIZE(chosen); i++)
		if (at >= strlen(chosen[i]) &&
			!memcmp(path + at - strlen(chosen[i]), chosen[i], strlen(chosen[i])))
			return false;
	return true;
}

void redact_path(const struct redactor *redactor, const char *path, struct str *out)
{
	static const char *const suffixes[] = {"@link", "@error", "@age"};
	bool chosen = has_chosen_names(path);
	size_t len = strlen(path), at = 0, n, i;
	const char *suffix = "";

	/* Named by us, or for a check or a package, which whoever replays it must have too. */
	if (str_matches(path, "@plugin-* @package-* @gpu-nvml*")) {
		str_add(out, path);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (str_ends(path, suffixes[i]))
			suffix = suffixes[i];
	len -= strlen(suffix);
	while (at < len) {
		n = 0;
		if (path[at] == '/' || path[at] == '@') {
			str_addc(out, path[at++]);
			continue;
		}
		while (at + n < len && path[at + n] != '/')
			n++;
		if (is_sysctl(path, at))
			str_addn(out, path + at, n);
		else if (chosen)
			redact_name(&redactor->words, path + at, n, out);
		else
			redact_words(&redactor->words, path + at, n, NUMBERS_STAY, out);
		at += n;
	}
	str_add(out, suffix);
}

/* Calls each for every line, its end included. */
static void each_line(const struct redactor *redactor, const char *data, size_t len,
	void (*each)(
		const struct redactor *redactor, const char *line, size_t len, struct str *out),
	struct str *out)
{
	while (len) {
		const char *newline = memchr(data, '\n', len);
		size_t n = newline ? (size_t)(newline - data) + 1 : len;

		each(redactor, data, n, out);
		data += n;
		len -= n;
	}
}

static bool line_starts(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len > n && !memcmp(line, word, n) && line[n] == ' ';
}

/* See trace/codec.h: names are in these lines only, and those of checks are told apart by them. */
static void trace_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	if (line_starts(line, len, "instance") || line_starts(line, len, "who") ||
		line_starts(line, len, "missing"))
		redact_words(&redactor->words, line, len, NUMBERS_STAY, out);
	else
		str_addn(out, line, len);
}

/*
 * "NAME KEY VALUE", and what has a word of its own before it: see sources/gpu/gpu_source.h.
 * Of devices, drivers, clocks, engines and memories the names are the kernel's; of processes and in
 * sentences they are not.
 */
static void gpu_line(const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	size_t end = len && line[len - 1] == '\n' ? len - 1 : len, at = 0, blanks = 0;
	bool is_name = line_starts(line, len, "comm");
	bool whole = line_starts(line, len, "gpu") || line_starts(line, len, "use") ||
		line_starts(line, len, "mem") || line_starts(line, len, "scan");
	size_t keep = line_starts(line, len, "missing") ? 1 : 2;

	while (at < end && blanks < keep)
		blanks += line[at++] == ' ';
	str_addn(out, line, whole ? end : at);
	if (is_name)
		redact_name(&redactor->words, line + at, end - at, out);
	else if (!whole)
		redact_words(&redactor->words, line + at, end - at, NUMBERS_STAY, out);
	str_addn(out, line + end, len - end);
}

/* Numbers stay up to the third word; the rest is a name. */
static void open_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	size_t at = 0, blanks = 0, end = len && line[len - 1] == '\n' ? len - 1 : len;

	while (at < end && blanks < 3)
		blanks += line[at++] == ' ';
	redact_words(&redactor->words, line, at, NUMBERS_STAY, out);
	redact_name(&redactor->words, line + at, end - at, out);
	str_addn(out, line + end, len - end);
}

/* " 0: 0100007F:1F90 00000000:0000 0A …": the second and the third word are addresses. */
static void socket_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	size_t at = 0, word, n;

	for (word = 0; at < len; word++) {
		for (n = 0; at + n < len && strchr(" \t\n", line[at + n]); n++)
			;
		str_addn(out, line + at, n);
		at += n;
		for (n = 0; at + n < len && !strchr(" \t\n", line[at + n]); n++)
			;
		if (word == 1 || word == 2)
			redact_hex_words(&redactor->words, line + at, n, true, out);
		else
			str_addn(out, line + at, n);
		at += n;
	}
}

/* The statistics of NFS's operations, whose names are capitals. */
static void mounts_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	static const char *const ours[] = {
		"device", "\topts:", "\timpl_id:", "\tnfsv4:", "\tfsc:", "no device"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ours); i++) {
		if (len < strlen(ours[i]) || memcmp(line, ours[i], strlen(ours[i])) != 0)
			continue;
		redact_words(&redactor->words, line, len, NUMBERS_STAY, out);
		return;
	}
	str_addn(out, line, len);
}

/* See perfdata.h: what the verdict and the metrics need, and no text. */
static void redact_plugin(
	const struct redactor *redactor, const char *data, size_t len, struct str *out)
{
	size_t at = 0;
	int lines;
	const char *bar;

	/* The report's own two lines. */
	for (lines = 0; lines < 2 && at < len; at++)
		lines += data[at] == '\n';
	redact_words(&redactor->words, data, at, NUMBERS_STAY, out);
	bar = at < len ? memchr(data + at, '|', len - at) : NULL;
	str_add(out, "(its text was left out)");
	if (bar)
		redact_words(&redactor->words, bar, (size_t)(data + len - bar), NUMBERS_STAY, out);
}

/* A name in a field of 16 bytes, cut as the kernel cuts them. */
static void redact_comm(const struct redactor *redactor, char *comm)
{
	struct str name = STR_INIT;

	redact_name(&redactor->words, comm, strnlen(comm, COMM_SIZE), &name);
	memset(comm, 0, COMM_SIZE);
	memcpy(comm, str_text(&name), name.len < COMM_SIZE ? name.len : COMM_SIZE - 1);
	str_free(&name);
}

/*
 * Records of one size behind a header of another, each with a name at the same place: the header
 * says the size of a record in its 7th and 8th byte. What is not as long as a record is not copied.
 */
static bool redact_records(const struct redactor *redactor, const char *data, size_t len,
	size_t header, size_t comm_at, struct str *out)
{
	uint16_t record;
	size_t at;

	if (len < header)
		return false;
	memcpy(&record, data + 6, sizeof(record));
	if (record < comm_at + COMM_SIZE)
		return false;
	str_addn(out, data, header);
	for (at = header; at + record <= len; at += record) {
		str_addn(out, data + at, record);
		redact_comm(redactor, out->text + out->len - record + comm_at);
	}
	return true;
}

static bool is_text(const char *data, size_t len)
{
	return !len || !memchr(data, 0, len);
}

bool redact_content(const struct redactor *redactor, const char *path, const void *data, size_t len,
	struct str *out)
{
	if (str_ends(path, "@error")) {
		str_addn(out, data, len);
		return true;
	}
	switch (redact_kind_of(path)) {
	case KEEP:
		str_addn(out, data, len);
		return true;
	case WORDS:
		if (*path == '@' && !is_text(data, len))
			return false;
		redact_words(&redactor->words, data, len, NUMBERS_STAY, out);
		return true;
	case NAMES:
		redact_words(&redactor->words, data, len, NUMBERS_ARE_NAMES, out);
		return true;
	case SOCKETS:
		each_line(redactor, data, len, socket_line, out);
		return true;
	case HEX:
		redact_hex_words(&redactor->words, data, len, true, out);
		return true;
	case LOG:
		redact_words(&redactor->log_words, data, len, NUMBERS_STAY, out);
		return true;
	case TRACE:
		each_line(redactor, data, len, trace_line, out);
		return true;
	case OPEN:
		each_line(redactor, data, len, open_line, out);
		return true;
	case GPU:
		each_line(redactor, data, len, gpu_line, out);
		return true;
	case MOUNTS:
		each_line(redactor, data, len, mounts_line, out);
		return true;
	case PLUGIN:
		redact_plugin(redactor, data, len, out);
		return true;
	case TASKS:
		return redact_records(
			redactor, data, len, 16, offsetof(struct task_record, comm), out);
	case WATCHES:
		return redact_records(
			redactor, data, len, 8, offsetof(struct inotify_record, comm), out);
	}
	return false;
}

void redact_environment(
	const struct redactor *redactor, const char *key, const char *value, struct str *out)
{
	const struct words *words = &redactor->words;
	size_t version = strspn(value, "0123456789.");

	if (str_starts(key, "package-")) {
		str_add(out, value); /* a version of what is public */
	} else if (!strcmp(key, "kernel")) {
		str_addn(out, value, version);
		redact_words(words, value + version, strlen(value + version), NUMBERS_STAY, out);
	} else if (!strcmp(key, "id") && strspn(value, "0123456789abcdef") == 32 && !value[32]) {
		str_add(out, value); /* made of chance */
	} else if (!strcmp(key, "host")) {
		redact_always(words, value, strlen(value), out);
	} else if (!strcmp(key, "command")) {
		redact_words(words, value, strlen(value), NUMBERS_ARE_NAMES, out);
	} else {
		redact_words(words, value, strlen(value), NUMBERS_STAY, out);
	}
}

static void filter_path(const void *arg, const char *path, struct str *out)
{
	redact_path(arg, path, out);
}

static bool filter_content(
	const void *arg, const char *path, const void *data, size_t len, struct str *out)
{
	return redact_content(arg, path, data, len, out);
}

static void filter_environment(const void *arg, const char *key, const char *value, struct str *out)
{
	redact_environment(arg, key, value, out);
}

static void filter_free(void *arg)
{
	redactor_free(arg);
}

void redactor_attach(struct redactor *redactor, struct capture *fs)
{
	static const struct recording_filter filter = {
		.path = filter_path,
		.content = filter_content,
		.environment = filter_environment,
		.free = filter_free,
	};

	capture_filter(fs, &filter, redactor);
}
