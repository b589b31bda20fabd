/* SPDX-License-Identifier: GPL-2.0-only */
/* What in each file of a recording could tell whose machine it was? */
#include "base/banned.h"

#include <ctype.h>
#include <linux/types.h>
#include <sys/random.h>

#include "bpf/iter/inotify.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "redact/addresses.h"
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
	WORDS,	    /* known words and numbers stay */
	OPTIONS,    /* the same, but for numbers that may be addresses */
	NAMES,	    /* numbers do not */
	SECRET,	    /* nor does any word */
	RESOLVER,   /* domains do not */
	KEEP,	    /* the kernel alone writes it, or we do: all but addresses stays */
	PUBLIC,	    /* all of it stays: what everybody can know */
	SOCKETS,    /* numbers, but for two addresses in each line */
	HEX,	    /* addresses in hexadecimal anywhere, in the order of the CPU */
	HEX_BYTES,  /* the same in network order */
	LOG,	    /* lines of the kernel's log */
	TRACE,	    /* our own format, with names in some lines */
	PLUGIN,	    /* its text goes, its numbers stay */
	INTERFACE,  /* lines that begin with the name of an interface or of a network namespace */
	NAMESPACES, /* NAME, tab, LABEL */
	OPEN,	    /* PID OPEN LIMIT NAME */
	OWNER,	    /* PID NAME */
	TRACED,	    /* lines of tracers, and of those who are traced */
	GPU,	    /* our own lines of numbers, of processes and of sentences */
	MOUNTS,	    /* of NFS: statistics behind "device" lines */
	TASKS,	    /* binary records with names of tasks */
	WATCHES
};

static const struct {
	enum kind kind;
	const char *patterns; /* of the path; '*' matches slashes too */
} rows[] = {
	{WORDS, "*@link"},
	{NAMES, "/proc/*/comm /proc/*/cmdline /proc/*/environ"},
	{SECRET,
		"/proc/sys/kernel/hostname /proc/sys/kernel/domainname "
		"/proc/sys/kernel/random/boot_id /etc/hostname /etc/hosts /etc/machine-id "
		"/sys/*serial /sys/*wwid /sys/*uuid /sys/*nguid /sys/*eui /sys/*_guid "
		"/sys/*/address /sys/class/fc_*/*_name /sys/*_tag"},
	{RESOLVER, "/etc/resolv.conf"},
	{MOUNTS, "/proc/*/mountstats"},
	{OPTIONS, "/proc/*/mountinfo /proc/*mounts /proc/cmdline /etc/*"},
	{SOCKETS,
		"/proc/*net/tcp /proc/*net/tcp6 /proc/*net/udp /proc/*net/udp6 /proc/*net/raw "
		"/proc/*net/raw6 /proc/*net/udplite /proc/*net/udplite6 /proc/*net/icmp "
		"/proc/*net/icmp6 @netns/*/net/tcp @netns/*/net/tcp6 @netns/*/net/udp "
		"@netns/*/net/udp6"},
	{HEX, "/proc/*net/route /proc/*net/rt_cache /proc/*net/arp /proc/*net/igmp"},
	{HEX_BYTES,
		"/proc/*net/if_inet6 /proc/*net/ipv6_route /proc/*net/igmp6 /proc/*net/mcfilter6 "
		"/proc/*net/anycast6 /proc/fs/nfsfs/*"},
	{INTERFACE, "/proc/*net/dev @netns/*/net/dev @ethtool @qdisc-*"},
	{NAMESPACES, "@netns-list"},
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
	{KEEP,
		"@adjtimex @clock @audit @mount @dm @smart @unread "
		"@tcp-connections-cut"},
	{PUBLIC, "@package-*"},
	{LOG, "@klog"},
	{TRACE, "@trace @sentinels"},
	{PLUGIN, "@plugin-*"},
	{OPEN, "@openfiles"},
	{OWNER, "@socket-owner-* @dma_latency-holder"},
	{TRACED, "@traced"},
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

/* Whether a path begins as the first of some patterns does, up to its '*'. A recording has tens of
 * thousands of files, and nearly all patterns are of others. */
static bool pattern_begins(const char *path, const char *pattern)
{
	size_t n = strcspn(pattern, "* ");

	return !strncmp(path, pattern, n);
}

static bool row_matches(const char *path, const char *patterns)
{
	char one[128];

	while (*patterns) {
		size_t n = strcspn(patterns, " ");

		if (pattern_begins(path, patterns)) {
			snprintf(one, sizeof(one), "%.*s", (int)n, patterns);
			if (str_matches(path, one))
				return true;
		}
		patterns += n + strspn(patterns + n, " ");
	}
	return false;
}

static enum kind redact_kind_of(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (row_matches(path, rows[i].patterns))
			return rows[i].kind;
	return WORDS;
}

/* Below these every directory is named by whoever made it, be the name a number. */
static bool has_chosen_names(const char *path)
{
	return str_starts(path, "/sys/fs/cgroup/") ||
		(*path == '/' && !str_starts(path, "/proc/") && !str_starts(path, "/sys/"));
}

static bool path_stands_behind(const char *path, size_t at, const char *folder)
{
	size_t len = strlen(folder);

	return at >= len && !memcmp(path + at - len, folder, len);
}

/* And in these those right below. */
static bool is_chosen_folder(const char *path, size_t at)
{
	static const char *const folders[] = {"/sys/class/net/", "/sys/class/infiniband/",
		"/sys/class/power_supply/", "/sys/fs/btrfs/", "/sys/fs/bcache/",
		"/proc/spl/kstat/zfs/", "/sys/kernel/tracing/instances/", "/sys/kernel/livepatch/",
		"@netns/"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(folders); i++)
		if (at == strlen(folders[i]) && path_stands_behind(path, at, folders[i]))
			return true;
	return str_starts(path, "/proc/sys/") &&
		(path_stands_behind(path, at, "/conf/") || path_stands_behind(path, at, "/neigh/"));
}

/* A part of a path between slashes. */
static void redact_component(
	const struct redactor *redactor, const char *path, size_t at, size_t n, struct str *out)
{
	/* The names of sysctls are the kernel's, those of the interfaces that some are about are
	 * not. */
	if (has_chosen_names(path) || is_chosen_folder(path, at))
		redact_name(&redactor->words, path + at, n, out);
	else if (str_starts(path, "/proc/sys/"))
		redact_addresses(redactor->words.key, path + at, n, out);
	else
		redact_words(&redactor->words, path + at, n, NUMBERS_STAY, out);
}

/* Answers about one thing are named by it: "@ports-NAMESPACE" by a name, "@socket-owner-INODE" by a
 * number that is also in what is asked. */
static size_t redact_blob(
	const struct redactor *redactor, const char *name, size_t len, struct str *out)
{
	static const char *const named[] = {"@ports-", "@qdisc-"};
	size_t n = strcspn(name, "/"), head, i;

	n = n < len ? n : len;
	for (i = 0; i < ARRAY_SIZE(named); i++) {
		head = strlen(named[i]);
		if (n <= head || memcmp(name, named[i], head) != 0)
			continue;
		str_add(out, named[i]);
		redact_name(&redactor->words, name + head, n - head, out);
		return n;
	}
	for (head = n; head > 1 && isdigit((unsigned char)name[head - 1]);)
		head--;
	if (name[head - 1] != '-' || n - head > 10)
		head = n;
	str_addc(out, '@');
	redact_words(&redactor->words, name + 1, head - 1, NUMBERS_STAY, out);
	str_addn(out, name + head, n - head);
	return n;
}

void redact_path(const struct redactor *redactor, const char *path, struct str *out)
{
	static const char *const suffixes[] = {"@link", "@error", "@age"};
	size_t len = strlen(path), at = 0, n, i;
	const char *suffix = "";

	/* Named by us, or for a check or a package, which whoever replays it must have too. */
	if (str_matches(path, "@plugin-* @package-* @gpu-nvml")) {
		str_add(out, path);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (str_ends(path, suffixes[i]))
			suffix = suffixes[i];
	len -= strlen(suffix);
	if (len && *path == '@')
		at = redact_blob(redactor, path, len, out);
	while (at < len) {
		if (path[at] == '/') {
			str_addc(out, path[at++]);
			continue;
		}
		n = strcspn(path + at, "/");
		n = n < len - at ? n : len - at;
		redact_component(redactor, path, at, n, out);
		at += n;
	}
	str_add(out, suffix);
}

/* Appends a line, its end included. */
typedef void line_filter(
	const struct redactor *redactor, const char *line, size_t len, struct str *out);

static void each_line(const struct redactor *redactor, const char *data, size_t len,
	line_filter *each, struct str *out)
{
	while (len) {
		const char *newline = memchr(data, '\n', len);
		size_t n = newline ? (size_t)(newline - data) + 1 : len;

		each(redactor, data, n, out);
		data += n;
		len -= n;
	}
}

/* How far the first n blanks and what is before them reach. */
static size_t line_columns(const char *line, size_t len, size_t n)
{
	size_t at = 0, blanks = 0;

	while (at < len && blanks < n)
		blanks += line[at++] == ' ';
	return at;
}

/* Without the end of the line. */
static size_t line_text(const char *line, size_t len)
{
	return len && line[len - 1] == '\n' ? len - 1 : len;
}

/* The name that is the rest of a line, behind some columns of numbers. */
static void line_ends_in_name(const struct redactor *redactor, const char *line, size_t len,
	size_t columns, struct str *out)
{
	size_t end = line_text(line, len), at = line_columns(line, end, columns);

	redact_words(&redactor->words, line, at, NUMBERS_STAY, out);
	redact_name(&redactor->words, line + at, end - at, out);
	str_addn(out, line + end, len - end);
}

static bool line_starts(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len > n && !memcmp(line, word, n) && (line[n] == ' ' || line[n] == '\t');
}

/* "who INSTANCE ROLE =KIND TYPE =NAME =ID COUNT TOTAL …": a process may be called a number. */
static void trace_who(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	size_t name = line_columns(line, len, 5), id = line_columns(line, len, 6);

	redact_words(&redactor->words, line, name, NUMBERS_STAY, out);
	if (id > name + 2 && line[name] == '=') {
		str_addc(out, '=');
		redact_name(&redactor->words, line + name + 1, id - name - 2, out);
		str_addc(out, ' ');
		name = id;
	}
	redact_words(&redactor->words, line + name, len - name, NUMBERS_STAY, out);
}

/* See trace/codec.h: names are in these lines only, and those of checks are told apart by them. */
static void trace_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	if (line_starts(line, len, "who"))
		trace_who(redactor, line, len, out);
	else if (line_starts(line, len, "instance") || line_starts(line, len, "missing"))
		redact_words(&redactor->words, line, len, NUMBERS_STAY, out);
	else
		redact_addresses(redactor->words.key, line, len, out);
}

/*
 * "NAME KEY VALUE", and what has a word of its own before it: see sources/gpu/gpu_source.h.
 * Of devices, drivers, clocks, engines and memories the names are the kernel's; of processes and in
 * sentences they are not.
 */
static void gpu_line(const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	size_t end = line_text(line, len);
	bool is_name = line_starts(line, len, "comm");
	bool whole = line_starts(line, len, "gpu") || line_starts(line, len, "use") ||
		line_starts(line, len, "mem") || line_starts(line, len, "scan");
	size_t at = line_columns(line, end, line_starts(line, len, "missing") ? 1 : 2);

	redact_addresses(redactor->words.key, line, whole ? end : at, out);
	if (is_name)
		redact_name(&redactor->words, line + at, end - at, out);
	else if (!whole)
		redact_words(&redactor->words, line + at, end - at, NUMBERS_STAY, out);
	str_addn(out, line + end, len - end);
}

static void open_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	line_ends_in_name(redactor, line, len, 3, out);
}

static void owner_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	line_ends_in_name(redactor, line, len, 1, out);
}

/* "tracer PID SWITCHES NAME", "traced PID SWITCHES TRACER HELD NAME". */
static void traced_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	line_ends_in_name(redactor, line, len, line_starts(line, len, "tracer") ? 3 : 5, out);
}

/* "  eth0: 1 2", "eth0/mq 0 0": an interface may be called a number. */
static void interface_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	size_t at, end;

	for (at = 0; at < len && line[at] == ' ';)
		at++;
	for (end = at; end < len && !strchr(" :/(\t\n", line[end]);)
		end++;
	str_addn(out, line, at);
	redact_name(&redactor->words, line + at, end - at, out);
	redact_words(&redactor->words, line + end, len - end, NUMBERS_STAY, out);
}

static void namespace_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	size_t end = line_text(line, len);
	const char *tab = memchr(line, '\t', end);
	size_t name = tab ? (size_t)(tab - line) : end;

	redact_name(&redactor->words, line, name, out);
	str_addn(out, line + name, tab ? 1 : 0);
	name += tab ? 1 : 0;
	redact_name(&redactor->words, line + name, end - name, out);
	str_addn(out, line + end, len - end);
}

/* "search corp.example": a domain may be a word that everybody knows. */
static void resolver_line(
	const struct redactor *redactor, const char *line, size_t len, struct str *out)
{
	if (line_starts(line, len, "search") || line_starts(line, len, "domain")) {
		str_addn(out, line, 6);
		redact_all_words(&redactor->words, line + 6, len - 6, out);
	} else {
		redact_words(&redactor->words, line, len, NUMBERS_MAY_BE_ADDRESSES, out);
	}
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
			redact_addresses(redactor->words.key, line + at, n, out);
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
		redact_words(&redactor->words, line, len, NUMBERS_MAY_BE_ADDRESSES, out);
		return;
	}
	redact_addresses(redactor->words.key, line, len, out);
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

/* The files that are lines. Returns NULL for others. */
static line_filter *redact_lines_of(enum kind kind)
{
	static const struct {
		enum kind kind;
		line_filter *each;
	} lines[] = {{SOCKETS, socket_line}, {TRACE, trace_line}, {INTERFACE, interface_line},
		{NAMESPACES, namespace_line}, {OPEN, open_line}, {OWNER, owner_line},
		{TRACED, traced_line}, {GPU, gpu_line}, {MOUNTS, mounts_line},
		{RESOLVER, resolver_line}};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		if (lines[i].kind == kind)
			return lines[i].each;
	return NULL;
}

/* The files that are words from their beginning to their end. */
static void redact_text(const struct redactor *redactor, enum kind kind, const char *data,
	size_t len, struct str *out)
{
	const struct words *words = &redactor->words;

	if (kind == KEEP)
		redact_addresses(words->key, data, len, out);
	else if (kind == SECRET)
		redact_all_words(words, data, len, out);
	else if (kind == HEX || kind == HEX_BYTES)
		redact_hex_words(words, data, len, kind == HEX, out);
	else if (kind == LOG)
		redact_words(&redactor->log_words, data, len, NUMBERS_STAY, out);
	else
		redact_words(words, data, len,
			kind == NAMES		  ? NUMBERS_ARE_NAMES
				: kind == OPTIONS ? NUMBERS_MAY_BE_ADDRESSES
						  : NUMBERS_STAY,
			out);
}

/* "PATH@error" is a number. */
static bool is_error_number(const char *path, const char *data, size_t len)
{
	size_t i;

	if (!str_ends(path, "@error"))
		return false;
	for (i = 0; i < len; i++)
		if (!isdigit((unsigned char)data[i]) && data[i] != '-' && data[i] != '\n')
			return false;
	return true;
}

bool redact_content(const struct redactor *redactor, const char *path, const void *data, size_t len,
	struct str *out)
{
	enum kind kind = redact_kind_of(path);
	line_filter *each = redact_lines_of(kind);

	if (kind == PUBLIC || is_error_number(path, data, len)) {
		str_addn(out, data, len);
		return true;
	}
	if (kind == TASKS)
		return redact_records(
			redactor, data, len, 16, offsetof(struct task_record, comm), out);
	if (kind == WATCHES)
		return redact_records(
			redactor, data, len, 8, offsetof(struct inotify_record, comm), out);
	if (kind == WORDS && *path == '@' && !is_text(data, len))
		return false;
	if (kind == PLUGIN)
		redact_plugin(redactor, data, len, out);
	else if (each)
		each_line(redactor, data, len, each, out);
	else
		redact_text(redactor, kind, data, len, out);
	return true;
}

/* "0x2b000461": of a processor, which says so in public. */
static bool is_hex_number(const char *text)
{
	return str_starts(text, "0x") && strspn(text + 2, "0123456789abcdef") == strlen(text + 2);
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
	} else if (!strcmp(key, "time") && strspn(value, "0123456789") == strlen(value)) {
		str_add(out, value); /* by its size it might be an address */
	} else if (!strcmp(key, "machine-microcode") && is_hex_number(value)) {
		str_add(out, value);
	} else if (str_starts(key, "machine-")) {
		redact_words(words, value, strlen(value), NUMBERS_STAY, out);
	} else {
		redact_words(words, value, strlen(value), NUMBERS_MAY_BE_ADDRESSES, out);
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
