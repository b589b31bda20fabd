/* SPDX-License-Identifier: GPL-2.0-only */
/* Who was at work when, and where in the code, as perf script tells it? */
#include "base/banned.h"

#include <string.h>

#include "base/num.h"
#include "heatmap/number.h"
#include "heatmap/perf_script.h"

/* "12.345678:" at a word: its time, and the text behind it. */
static const char *perf_script_time(const char *word, uint64_t *at_ns)
{
	const char *at = word;

	if (*word < '0' || *word > '9' || heatmap_number(&at, 1000000000, at_ns) || *at != ':' ||
		!memchr(word, '.', (size_t)(at - word)))
		return NULL;
	return at + 1;
}

/* "12/34" or "34": the number of the thread. */
static bool perf_script_tid(const char *word, size_t len, uint64_t *tid)
{
	const char *at = word, *end = word + len;

	if (len && *at >= '0' && *at <= '9' && !num_next(&at, end, tid) && at < end && *at == '/') {
		at++;
		if (at == end || *at < '0' || *at > '9' || num_next(&at, end, tid))
			return false;
	}
	return at == end && len;
}

static bool perf_script_cpu(const char *word, size_t len, uint64_t *cpu)
{
	const char *at = word + 1;

	return len > 2 && *word == '[' && word[len - 1] == ']' &&
		!num_next(&at, word + len - 1, cpu) && at == word + len - 1;
}

/* Words of a line, the last few of them: what stands before a time. */
struct perf_words {
	const char *at[2];
	size_t len[2];
};

static bool perf_script_before(
	struct perf_sample *sample, const struct perf_words *words, const char **comm_end)
{
	const bool has_cpu =
		words->at[0] && perf_script_cpu(words->at[0], words->len[0], &sample->cpu);
	const size_t i = has_cpu ? 1 : 0;

	sample->has_cpu = has_cpu;
	*comm_end = words->at[i];
	return words->at[i] && perf_script_tid(words->at[i], words->len[i], &sample->tid);
}

static uint64_t perf_script_lost(const char *event)
{
	const char *at = strstr(event, "PERF_RECORD_LOST");
	uint64_t lost;

	if (!at)
		return 0;
	at = strstr(at, "lost ");
	if (!at)
		return 0;
	at += strlen("lost ");
	return num_next(&at, at + strlen(at), &lost) ? 0 : lost;
}

/* "   10101010 cpu-clock:ppp: ..." or "sched:sched_switch: ...": the name, without the period
 * before it. */
static void perf_script_event(struct perf_script *script, const char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strspn(text, "0123456789");
	if (len && (text[len] == ' ' || text[len] == '\t'))
		text += len + strspn(text + len, " \t");
	len = strcspn(text, " \t");
	while (len && text[len - 1] == ':')
		len--;
	str_clear(&script->event);
	str_addn(&script->event, text, len);
}

/* Whether the line begins a sample: the first time in it that a number of a thread stands before.
 */
static bool perf_script_header(struct perf_script *script, const char *line)
{
	struct perf_sample *sample = &script->sample;
	struct perf_words words = {0};
	const char *at = line + strspn(line, " \t"), *first = at, *comm_end, *event;

	while (*at) {
		const size_t len = strcspn(at, " \t");

		*sample = (struct perf_sample){0};
		event = perf_script_time(at, &sample->at_ns);
		if (event && perf_script_before(sample, &words, &comm_end)) {
			while (comm_end > first && (comm_end[-1] == ' ' || comm_end[-1] == '\t'))
				comm_end--;
			str_clear(&script->comm);
			str_addn(&script->comm, first, (size_t)(comm_end - first));
			perf_script_event(script, event);
			sample->lost = perf_script_lost(event);
			sample->is_idle = !sample->tid;
			return true;
		}
		words.at[1] = words.at[0];
		words.len[1] = words.len[0];
		words.at[0] = at;
		words.len[0] = len;
		at += len;
		at += strspn(at, " \t");
	}
	return false;
}

/* "   7f3a9 read+0x12 (/lib/libc.so)": the name alone; in a folded stack ; is between names. */
static void perf_script_frame(struct perf_script *script, const char *line)
{
	const char *name = line + strspn(line, " \t"), *end, *place;
	struct str *frame;

	name += strcspn(name, " \t");
	name += strspn(name, " \t");
	place = strstr(name, " (");
	end = place ? place : name + strlen(name);
	for (const char *at = name; (at = strstr(at, "+0x")) && at < end; at++)
		if (strspn(at + 3, "0123456789abcdef") == (size_t)(end - at - 3)) {
			end = at;
			break;
		}
	if (script->n_frames == PERF_FRAMES_MAX || end == name)
		return;
	frame = &script->frames[script->n_frames++];
	str_clear(frame);
	str_addn(frame, name, (size_t)(end - name));
	for (char *at = frame->text; *at; at++)
		if (*at == ';')
			*at = ':';
}

static void perf_script_flush(struct perf_script *script)
{
	if (!script->has_sample)
		return;
	str_clear(&script->stack);
	while (script->n_frames) {
		str_add(&script->stack, str_text(&script->frames[--script->n_frames]));
		if (script->n_frames)
			str_addc(&script->stack, ';');
	}
	script->sample.comm = str_text(&script->comm);
	script->sample.event = str_text(&script->event);
	script->sample.stack = str_text(&script->stack);
	script->each(script->arg, &script->sample);
	script->has_sample = false;
}

bool perf_script_line(void *arg, char *line, size_t len)
{
	struct perf_script *script = arg;

	(void)len;
	if (!*line || *line == '#') {
		perf_script_flush(script);
		return true;
	}
	if (*line == '\t' && script->has_sample) {
		if (script->wants_stacks)
			perf_script_frame(script, line);
		return true;
	}
	perf_script_flush(script);
	if (!perf_script_header(script, line)) {
		script->unread++;
		return true;
	}
	script->has_sample = true;
	if (script->sample.lost)
		return true;
	if (script->sample.is_idle)
		script->idle++;
	else
		script->samples++;
	return true;
}

void perf_script_end(struct perf_script *script)
{
	perf_script_flush(script);
	str_free(&script->comm);
	str_free(&script->event);
	str_free(&script->stack);
	for (size_t i = 0; i < PERF_FRAMES_MAX; i++)
		str_free(&script->frames[i]);
}
