/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a check speak of this kernel, of what is installed here, and of this day? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "check/applies.h"
#include "check/check.h"
#include "expr/parse.h"
#include "base/num.h"
#include "capture/capture.h"
#include "base/str.h"
#include "capture/recording.h"
#include "capture/environment.h"

#define PARTS_MAX 4
#define DPKG "/var/lib/dpkg"
#define NOT_INSTALLED "-"
#define PART_SIZE 32768 /* more than any paragraph is long */

/* The numbers at the start of a release: 6.1.0-13-amd64 is 6, 1, 0. */
struct release {
	uint64_t part[PARTS_MAX];
	size_t n;
};

static bool parse_release(const char **at, const char *end, struct release *out)
{
	*out = (struct release){0};
	while (out->n < PARTS_MAX && *at < end && isdigit((unsigned char)**at)) {
		if (num_next(at, end, &out->part[out->n++]))
			return false;
		if (*at + 1 >= end || **at != '.' || !isdigit((unsigned char)(*at)[1]))
			break;
		(*at)++;
	}
	return out->n > 0;
}

/* Compares as many parts as the bound has, so that 5.3.18 is neither before nor after 5.3. */
static int compare_release(const struct release *release, const struct release *bound)
{
	size_t i;

	for (i = 0; i < bound->n; i++)
		if (release->part[i] != bound->part[i])
			return release->part[i] < bound->part[i] ? -1 : 1;
	return 0;
}

struct range {
	struct release from, to; /* n is 0 for an open end */
};

static bool parse_range(const char *word, const char *end, struct range *range)
{
	const char *at = word;
	bool from = parse_release(&at, end, &range->from);

	if (at == end) {
		range->to = range->from;
		return from;
	}
	if (end - at < 2 || at[0] != '.' || at[1] != '.')
		return false;
	at += 2;
	range->to = (struct release){0};
	if (at == end)
		return from;
	return parse_release(&at, end, &range->to) && at == end;
}

static bool is_within(const struct release *release, const struct range *range)
{
	return (!range->from.n || compare_release(release, &range->from) >= 0) &&
		(!range->to.n || compare_release(release, &range->to) <= 0);
}

/* The next word of text, or false at its end. */
static bool applies_next_word(const char **text, const char **word, const char **end)
{
	*word = *text + strspn(*text, " \t\n");
	*end = *word + strcspn(*word, " \t\n");
	*text = *end;
	return **word != 0;
}

int applies_check_kernel(const char *text, struct str *error)
{
	const char *word, *end;
	struct range range;

	while (applies_next_word(&text, &word, &end)) {
		if (parse_range(word, end, &range))
			continue;
		str_addf(error, "'%.*s' is no range of releases, like 5.4..5.17, ..5.3 or 6.5..",
			(int)(end - word), word);
		return -EINVAL;
	}
	return 0;
}

static bool kernel_matches(const char *ranges, const char *kernel)
{
	const char *at = kernel, *word, *end;
	struct release release;
	struct range range;

	if (!parse_release(&at, kernel + strlen(kernel), &release))
		return false;
	while (applies_next_word(&ranges, &word, &end))
		if (parse_range(word, end, &range) && is_within(&release, &range))
			return true;
	return false;
}

/* deb-version(7): letters before other characters, and a tilde before everything, even the end. */
static int version_char_order(char c)
{
	if (c == '~')
		return -1;
	if (!c || isdigit((unsigned char)c))
		return 0;
	return isalpha((unsigned char)c) ? (unsigned char)c : (unsigned char)c + 256;
}

static size_t version_digits(const char *text, size_t *zeros)
{
	*zeros = strspn(text, "0");
	return strspn(text + *zeros, "0123456789");
}

static int compare_part(const char *a, const char *b)
{
	while (*a || *b) {
		size_t a_zeros, b_zeros, a_digits, b_digits;
		int order;

		while ((*a && !isdigit((unsigned char)*a)) || (*b && !isdigit((unsigned char)*b))) {
			order = version_char_order(*a) - version_char_order(*b);
			if (order)
				return order;
			a++;
			b++;
		}
		a_digits = version_digits(a, &a_zeros);
		b_digits = version_digits(b, &b_zeros);
		if (a_digits != b_digits)
			return a_digits < b_digits ? -1 : 1;
		order = memcmp(a + a_zeros, b + b_zeros, a_digits);
		if (order)
			return order;
		a += a_zeros + a_digits;
		b += b_zeros + b_digits;
	}
	return 0;
}

struct version {
	uint64_t epoch;
	char *upstream, *revision;
};

static struct version split_version(const char *text)
{
	const char *colon = strchr(text, ':'), *at = text, *dash;
	struct version version = {0};

	if (colon && !num_next(&at, colon, &version.epoch) && at == colon)
		text = colon + 1;
	dash = strrchr(text, '-');
	version.upstream = dash ? mem_strndup(text, (size_t)(dash - text)) : mem_strdup(text);
	version.revision = mem_strdup(dash ? dash + 1 : "");
	return version;
}

int applies_compare_versions(const char *a, const char *b)
{
	struct version left = split_version(a), right = split_version(b);
	int order = (left.epoch > right.epoch) - (left.epoch < right.epoch);

	if (!order)
		order = compare_part(left.upstream, right.upstream);
	if (!order)
		order = compare_part(left.revision, right.revision);
	free(left.upstream);
	free(left.revision);
	free(right.upstream);
	free(right.revision);
	return order;
}

/* One "NAME", or "NAME OP VERSION". */
struct wanted {
	char *name;
	bool any; /* of any version */
	enum op op;
	char *version;
};

static void wanted_free(struct wanted *wanted)
{
	free(wanted->name);
	free(wanted->version);
}

/* Whether text is of the letters of names and versions and nothing else. */
static bool is_package_word(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("+-.:~_", text[i]))
			return false;
	return i > 0 && i < 128 && *text != '.';
}

/* Takes the next condition of the list off text. Returns false at the end; a name of NULL is wrong.
 */
static bool next_wanted(const char **text, struct wanted *out)
{
	size_t len = strcspn(*text, ","), taken;
	char *part = mem_strndup(*text, len);
	const char *at = part, *word, *end;

	*out = (struct wanted){0};
	if (!**text) {
		free(part);
		return false;
	}
	*text += len + ((*text)[len] == ',');
	if (applies_next_word(&at, &word, &end))
		out->name = mem_strndup(word, (size_t)(end - word));
	taken = op_parse(at, &out->op);
	at += taken;
	out->any = !taken;
	if (applies_next_word(&at, &word, &end))
		out->version = mem_strndup(word, (size_t)(end - word));
	if (!out->name || !is_package_word(out->name) || (taken > 0) != (out->version != NULL) ||
		(out->version && !is_package_word(out->version)) ||
		applies_next_word(&at, &word, &end)) {
		wanted_free(out);
		*out = (struct wanted){0};
	}
	free(part);
	return true;
}

int applies_check_package(const char *text, struct str *error)
{
	struct wanted wanted;

	while (next_wanted(&text, &wanted)) {
		bool right = wanted.name != NULL;

		wanted_free(&wanted);
		if (right)
			continue;
		str_add(error, "a package is 'NAME' or 'NAME < VERSION', several joined by commas");
		return -EINVAL;
	}
	return 0;
}

/* The value of a field in a paragraph of dpkg's list. The caller frees. */
static char *dpkg_field_of(const char *at, const char *end, const char *name)
{
	size_t len = strlen(name);

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		if ((size_t)(stop - at) > len && !memcmp(at, name, len) && at[len] == ':') {
			at += len + 1;
			while (at < stop && *at == ' ')
				at++;
			return mem_strndup(at, (size_t)(stop - at));
		}
		at = newline ? newline + 1 : end;
	}
	return NULL;
}

/* The version in the paragraph of an installed package, or NULL. */
static char *version_in(const char *paragraph, const char *end)
{
	char *status = dpkg_field_of(paragraph, end, "Status"), *version = NULL;

	if (status && str_ends(status, " installed"))
		version = dpkg_field_of(paragraph, end, "Version");
	free(status);
	return version;
}

/* A part of dpkg's list, which is too long to be kept. */
struct part {
	char text[2 * PART_SIZE];
	size_t len;
	bool last;
};

/* Takes the bytes before from away, and reads on. */
static void dpkg_read_on(struct part *part, int fd, const char *from)
{
	ssize_t n;

	part->len = (size_t)(part->text + part->len - from);
	memmove(part->text, from, part->len);
	n = read(fd, part->text + part->len, sizeof(part->text) - part->len);
	part->len += n > 0 ? (size_t)n : 0;
	part->last = n <= 0;
}

/* The version of an installed package in dpkg's list, or NULL. */
static char *dpkg_find_version(int fd, const char *name)
{
	char *first = mem_printf("\nPackage: %s\n", name), *version = NULL;
	struct part *part = mem_zalloc(sizeof(*part));
	size_t len = strlen(first);

	/* The paragraph that stands first has no newline in front of it. */
	part->text[part->len++] = '\n';
	dpkg_read_on(part, fd, part->text);
	for (;;) {
		const char *end = part->text + part->len;
		const char *at = memmem(part->text, part->len, first, len);
		const char *stop = at ? memmem(at + 1, (size_t)(end - at - 1), "\n\n", 2) : NULL;

		if (at && (stop || part->last || at == part->text)) {
			version = version_in(at + 1, stop ? stop : end);
			break;
		}
		if (part->last)
			break;
		dpkg_read_on(part, fd, at ? at : part->len > len ? end - len : part->text);
	}
	free(part);
	free(first);
	return version;
}

/* dpkg keeps a list of the files of each package, NAME.list, or NAME:ARCHITECTURE.list for
 * libraries: to look for it costs a thousandth of reading the whole of its status. */
static bool has_files(struct capture *fs, const char *name)
{
	static const char *const suffixes[] = {"", ":amd64", ":arm64", ":i386", ":armhf",
		":ppc64el", ":s390x", ":riscv64", ":mips64el"};
	bool found = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes) && !found; i++) {
		char *path = mem_printf(DPKG "/info/%s%s.list", name, suffixes[i]);

		found = capture_exists(fs, path);
		free(path);
	}
	return found;
}

/* Of the live machine. "" where it is not installed, NULL where nobody can tell. */
static char *look_up_version(struct capture *fs, const char *name)
{
	char *version;
	int fd;

	if (!capture_exists(fs, DPKG "/status"))
		return NULL;
	if (!has_files(fs, name))
		return mem_strdup("");
	fd = capture_open_part(fs, DPKG "/status");
	if (fd < 0)
		return NULL;
	version = dpkg_find_version(fd, name);
	close(fd);
	return version ? version : mem_strdup("");
}

/* The same, asked once in a run. A recording has it among what is known of its machine. */
static char *installed_version(struct capture *fs, const char *name)
{
	char *key = mem_printf("package-%s", name);
	char *version = capture_environment(fs, key);

	if (!version && !capture_is_replay(fs)) {
		bool paused = capture_pause_recording(fs, true);

		version = look_up_version(fs, name);
		capture_pause_recording(fs, paused);
		if (version)
			capture_set_environment(fs, key, *version ? version : NOT_INSTALLED);
	} else if (version && !strcmp(version, NOT_INSTALLED)) {
		*version = 0;
	}
	free(key);
	return version;
}

static char *package_not(const char *text, struct capture *fs)
{
	struct wanted wanted;
	char *why = NULL;

	while (!why && next_wanted(&text, &wanted)) {
		char *version = wanted.name ? installed_version(fs, wanted.name) : NULL;

		if (!version)
			why = mem_printf("which packages are installed cannot be read here");
		else if (!*version)
			why = mem_printf("%s is not installed", wanted.name);
		else if (!wanted.any &&
			!op_holds(wanted.op, applies_compare_versions(version, wanted.version), 0))
			why = mem_printf("%s is of version %s, not %s %s", wanted.name, version,
				op_text(wanted.op), wanted.version);
		free(version);
		wanted_free(&wanted);
	}
	return why;
}

/* Days since 1970-01-01 of YYYY-MM-DD, or -1. */
static long days_of(const char *text)
{
	struct tm day = {0};
	const char *rest = strptime(text, "%Y-%m-%d", &day);
	time_t seconds = rest && !*rest ? timegm(&day) : -1;

	return seconds < 0 ? -1 : (long)(seconds / 86400);
}

int applies_check_expires(const char *text, struct str *error)
{
	if (strlen(text) == 10 && days_of(text) >= 0)
		return 0;
	str_addf(error, "'%s' is no day: YYYY-MM-DD", text);
	return -EINVAL;
}

static bool has_come(const char *day, uint64_t now_seconds)
{
	return (long)(now_seconds / 86400) >= days_of(day);
}

bool applies_has_expired(const struct check *check)
{
	return check->expires && has_come(check->expires, (uint64_t)time(NULL));
}

/* In a replay the day of the recording counts. */
static bool had_expired(const char *expires, struct capture *fs)
{
	char *now = capture_environment(fs, "time");
	uint64_t seconds = 0;
	bool known = now && !num_u64(now, 0, UINT32_MAX, &seconds);

	free(now);
	return known && has_come(expires, seconds);
}

char *applies_not(const struct check *check, struct capture *fs)
{
	char *kernel, *why = NULL;

	if (check->expires && had_expired(check->expires, fs))
		return mem_printf("it expired on %s: is the issue still there?", check->expires);
	if (check->kernel) {
		kernel = capture_environment(fs, "kernel");
		if (!kernel || !kernel_matches(check->kernel, kernel))
			why = mem_printf("Linux %s is not within %s", kernel ? kernel : "(unknown)",
				check->kernel);
		free(kernel);
	}
	if (!why && check->package)
		why = package_not(check->package, fs);
	return why;
}
