/* SPDX-License-Identifier: GPL-2.0-only */
/* How is what a run leaves for the next one written down, so that no name can forge a line? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "report/report.h"
#include "history/run_state.h"
#include "sys/statefile.h"
#include "base/str.h"
#include "base/quoteword.h"

#define HEADER "tuesday-saved 1"
#define WORDS_MAX 6

void run_state_add_counter(struct run_state *saved, const char *source, const char *key,
	const char *instance, double value)
{
	if (saved->n_counters >= RUN_STATE_MAX_COUNTERS || !isfinite(value))
		return;
	ARRAY_GROW(saved->counters, saved->n_counters, saved->room_counters);
	saved->counters[saved->n_counters++] = (struct run_state_counter){
		.source = mem_strdup(source),
		.key = mem_strdup(key),
		.instance = mem_strdup(instance),
		.value = value,
	};
}

struct run_state_check *run_state_check(struct run_state *saved, const char *check)
{
	size_t i;

	for (i = 0; i < saved->n_lights; i++)
		if (!strcmp(saved->lights[i].check, check))
			return &saved->lights[i];
	ARRAY_GROW(saved->lights, saved->n_lights, saved->room_lights);
	saved->lights[saved->n_lights] =
		(struct run_state_check){.check = mem_strdup(check), .recent = UINT32_MAX};
	return &saved->lights[saved->n_lights++];
}

void run_state_format(struct str *out, const struct run_state *saved)
{
	size_t i, lines = 0, at = out->len;

	str_addf(out, HEADER "\nversion");
	quoteword_add(out, saved->version ? saved->version : "");
	str_add(out, "\nboot");
	quoteword_add(out, saved->boot_id ? saved->boot_id : "");
	str_addf(out,
		"\ntime %" PRIu64 "\nmonotonic %" PRIu64 "\nboottime %" PRIu64 "\ndigest %" PRIu64
		"\n",
		(uint64_t)saved->time, saved->monotonic_ns, saved->boottime_ns,
		(uint64_t)saved->digest);
	for (i = 0; i < saved->n_counters; i++) {
		str_add(out, "counter");
		quoteword_add(out, saved->counters[i].source);
		quoteword_add(out, saved->counters[i].key);
		quoteword_add(out, saved->counters[i].instance);
		str_addf(out, " %.17g\n", saved->counters[i].value);
	}
	for (i = 0; i < saved->n_lights; i++) {
		const struct run_state_check *light = &saved->lights[i];

		str_add(out, "light");
		quoteword_add(out, light->check);
		str_addf(out, " %u %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", light->announced,
			light->recent, (uint64_t)light->since, (uint64_t)light->said);
	}
	for (; at < out->len; at++)
		lines += out->text[at] == '\n';
	str_addf(out, "end %zu\n", lines);
}

static int run_state_take_number(const char *word, double *value)
{
	char *end;

	/* strtod takes blanks, hexadecimal, infinities and NaN, of which we write none. */
	if (!strchr("-0123456789", *word) || strpbrk(word, "xXnN"))
		return -EINVAL;
	errno = 0;
	*value = strtod(word, &end);
	return *end || !isfinite(*value) ? -EINVAL : 0;
}

static int run_state_take_time(const char *word, time_t *out)
{
	uint64_t n;

	if (num_u64(word, 0, (uint64_t)1 << 40, &n))
		return -EINVAL;
	*out = (time_t)n;
	return 0;
}

static int take_counter(struct run_state *saved, char **words)
{
	double value;

	if (saved->n_counters >= RUN_STATE_MAX_COUNTERS || !quoteword_undo(words[1]) ||
		!quoteword_undo(words[2]) || !quoteword_undo(words[3]) ||
		run_state_take_number(words[4], &value))
		return -EINVAL;
	run_state_add_counter(saved, words[1], words[2], words[3], value);
	return 0;
}

static int run_state_take_check(struct run_state *saved, char **words)
{
	struct run_state_check light = {0};
	uint64_t announced, recent;
	size_t before = saved->n_lights;
	struct run_state_check *to;

	if (!quoteword_undo(words[1]) || num_u64(words[2], 0, VERDICT_SKIP, &announced) ||
		num_u64(words[3], 0, UINT32_MAX, &recent) ||
		run_state_take_time(words[4], &light.since) ||
		run_state_take_time(words[5], &light.said) || before >= RUN_STATE_MAX_COUNTERS)
		return -EINVAL;
	to = run_state_check(saved, words[1]);
	if (saved->n_lights == before)
		return -EINVAL; /* twice */
	to->announced = (unsigned int)announced;
	to->recent = (uint32_t)recent;
	to->since = light.since;
	to->said = light.said;
	return 0;
}

static int run_state_take_text(char **to, char *word)
{
	if (*to || !quoteword_undo(word))
		return -EINVAL;
	*to = mem_strdup(word);
	return 0;
}

static int take_words(struct run_state *saved, char **words, size_t n)
{
	if (n == 5 && !strcmp(words[0], "counter"))
		return take_counter(saved, words);
	if (n == 6 && !strcmp(words[0], "light"))
		return run_state_take_check(saved, words);
	if (n != 2)
		return -EINVAL;
	if (!strcmp(words[0], "version"))
		return run_state_take_text(&saved->version, words[1]);
	if (!strcmp(words[0], "boot"))
		return run_state_take_text(&saved->boot_id, words[1]);
	if (!strcmp(words[0], "time"))
		return run_state_take_time(words[1], &saved->time);
	if (!strcmp(words[0], "digest"))
		return run_state_take_time(words[1], &saved->digest);
	if (!strcmp(words[0], "monotonic"))
		return num_u64(words[1], 0, UINT64_MAX, &saved->monotonic_ns);
	if (!strcmp(words[0], "boottime"))
		return num_u64(words[1], 0, UINT64_MAX, &saved->boottime_ns);
	return -EINVAL;
}

static int run_state_take_line(struct run_state *saved, char *line)
{
	char *words[WORDS_MAX + 1];
	size_t n = quoteword_split(line, words, WORDS_MAX);

	return n > WORDS_MAX ? -EINVAL : take_words(saved, words, n);
}

/* The lines between the header and "end N", which must be the last one and say how many. */
static int run_state_take_lines(struct run_state *saved, char *at)
{
	size_t lines = 0;
	char *expected;
	int err = -EINVAL;

	for (;;) {
		char *end = strchr(at, '\n');

		if (!end)
			return -EINVAL;
		if (str_starts(at, "end "))
			break;
		*end = 0;
		if (lines ? run_state_take_line(saved, at) : strcmp(at, HEADER) != 0)
			return -EINVAL;
		lines++;
		at = end + 1;
	}
	expected = mem_printf("end %zu\n", lines);
	if (lines && !strcmp(at, expected) && saved->version && saved->boot_id)
		err = 0;
	free(expected);
	return err;
}

int run_state_parse(struct run_state *out, const char *text, size_t len)
{
	char *copy;
	int err;

	*out = (struct run_state){0};
	if (len > RUN_STATE_MAX_BYTES || memchr(text, 0, len))
		return -EINVAL;
	copy = mem_strndup(text, len);
	err = run_state_take_lines(out, copy);
	free(copy);
	if (err)
		run_state_free(out);
	return err;
}

void run_state_free(struct run_state *saved)
{
	size_t i;

	for (i = 0; i < saved->n_counters; i++) {
		free(saved->counters[i].source);
		free(saved->counters[i].key);
		free(saved->counters[i].instance);
	}
	for (i = 0; i < saved->n_lights; i++)
		free(saved->lights[i].check);
	free(saved->counters);
	free(saved->lights);
	free(saved->version);
	free(saved->boot_id);
	*saved = (struct run_state){0};
}

int run_state_load(struct run_state *out, const char *dir, const char *consumer)
{
	char *name = mem_printf("since-%s", consumer);
	struct str text = STR_INIT;
	int err = statefile_read(dir, name, &text);

	*out = (struct run_state){0};
	if (!err)
		err = run_state_parse(out, str_text(&text), text.len);
	str_free(&text);
	free(name);
	return err;
}

int run_state_store(const struct run_state *saved, const char *dir, const char *consumer)
{
	char *name = mem_printf("since-%s", consumer);
	struct str text = STR_INIT;
	int err;

	run_state_format(&text, saved);
	err = statefile_write(dir, name, &text);
	str_free(&text);
	free(name);
	return err;
}
