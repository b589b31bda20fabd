/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a check speak of this kernel, of what is installed here, and of this day? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "check/applies.h"
#include "check/check.h"
#include "check/installed.h"
#include "check/package_list.h"
#include "expr/parse.h"
#include "base/num.h"
#include "capture/capture.h"
#include "base/str.h"
#include "capture/environment.h"

#define PARTS_MAX 4

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
	if (!out->name || !package_is_word(out->name) || (taken > 0) != (out->version != NULL) ||
		(out->version && !package_is_word(out->version)) ||
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

/* What there is of one package, and which of it the conditions hold for. */
struct package_look {
	const char *name;
	char *versions;		   /* as installed_versions; NULL: nobody can tell */
	bool holds;		   /* for one of the versions all of them do */
	char *failed;		   /* the first condition that does not, "< 7" */
	unsigned long unknown_pid; /* a process whose version nobody can tell, 0 for none */
	bool unreadable;
};

/* Whether all conditions of a list that are of this package hold for a version. */
static bool version_holds(const char *text, struct package_look *look, const char *version)
{
	struct wanted wanted;
	bool holds = true;

	while (next_wanted(&text, &wanted)) {
		bool fails = wanted.name && !strcmp(wanted.name, look->name) && !wanted.any &&
			!op_holds(wanted.op, applies_compare_versions(version, wanted.version), 0);

		if (fails && !look->failed)
			look->failed = mem_printf("%s %s", op_text(wanted.op), wanted.version);
		holds &= !fails;
		wanted_free(&wanted);
	}
	return holds;
}

static void package_weigh(const char *text, struct package_look *look)
{
	const char *at = look->versions ? look->versions : "?", *word, *end;

	while (applies_next_word(&at, &word, &end)) {
		char *version = mem_strndup(word, (size_t)(end - word));

		if (*version == INSTALLED_UNKNOWN && version[1])
			look->unknown_pid = strtoul(version + 1, NULL, 10);
		else if (*version == INSTALLED_UNKNOWN)
			look->unreadable = true;
		else if (strcmp(version, INSTALLED_NONE) != 0)
			look->holds |= version_holds(text, look, version);
		free(version);
	}
}

/* "5.6.5 7.1.0" as "5.6.5, 7.1.0", those alone that are known. */
static void applies_add_versions(struct str *out, const char *versions)
{
	const char *word, *end;
	size_t before = out->len;

	while (applies_next_word(&versions, &word, &end)) {
		if (*word == INSTALLED_UNKNOWN)
			continue;
		str_add(out, out->len > before ? ", " : "");
		str_addn(out, word, (size_t)(end - word));
	}
}

/* Why the conditions hold for nothing of a package. */
static char *package_say(const struct package_look *look, const char *program)
{
	struct str why = STR_INIT;

	if (look->unknown_pid)
		str_addf(&why, "%s runs (pid %lu), and which version it is cannot be told",
			program ? program : look->name, look->unknown_pid);
	else if (look->unreadable)
		str_add(&why, "which packages are installed cannot be read here");
	else if (!strcmp(look->versions, INSTALLED_NONE))
		str_addf(&why, "%s is not installed%s", look->name,
			program ? " as a package, and none runs" : "");
	else {
		str_addf(&why, "%s is of version%s ", look->name,
			strpbrk(look->versions, " ") ? "s" : "");
		applies_add_versions(&why, look->versions);
		str_addf(&why, ", not %s", look->failed ? look->failed : "one of these");
	}
	return str_take(&why);
}

/* One version of each package must be such that all that is said of that package holds. */
static char *package_not(const struct check *check, struct capture *fs, bool *unknown)
{
	const char *text = check->package;
	struct wanted wanted;
	char *why = NULL;

	while (!why && next_wanted(&text, &wanted)) {
		struct package_look look = {.name = wanted.name};

		if (wanted.name) {
			look.versions = installed_versions(fs, wanted.name, check->program);
			package_weigh(check->package, &look);
		}
		if (wanted.name && !look.holds) {
			why = package_say(&look, check->program);
			*unknown = look.unknown_pid != 0;
		}
		free(look.versions);
		free(look.failed);
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
	str_addf(error, "'%s' is not a date: YYYY-MM-DD", text);
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

/* Of which release nobody knows the kernel, it may be. */
static char *kernel_not(const struct check *check, struct capture *fs, bool *unknown)
{
	char *kernel = capture_environment(fs, "kernel"), *why = NULL;

	if (!kernel) {
		*unknown = true;
		why = mem_strdup("which Linux this is cannot be told");
	} else if (!kernel_matches(check->kernel, kernel)) {
		why = mem_printf("Linux %s is not within %s", kernel, check->kernel);
	}
	free(kernel);
	return why;
}

char *applies_not(const struct check *check, struct capture *fs, bool *unknown)
{
	char *why = NULL;

	*unknown = false;
	if (check->expires && had_expired(check->expires, fs))
		return mem_printf("it expired on %s: is the issue still there?", check->expires);
	if (check->kernel)
		why = kernel_not(check, fs, unknown);
	if (!why && check->package)
		why = package_not(check, fs, unknown);
	return why;
}
