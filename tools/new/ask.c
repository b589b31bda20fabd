/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person want to be asked, in which order, and is the answer right? */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "tools/new/internal.h"

/* The answers have ended: what is still missing stays so. */
struct asking {
	struct draft *draft;
	bool ended;
	bool needed; /* an empty answer is none */
};

static void ask_print_why(const struct str *why)
{
	const char *at = str_text(why), *end;

	for (; (end = strchr(at, '\n')); at = end + 1)
		printf("  %.*s\n", (int)(end - at), at);
	fputs("  Once more:\n", stdout);
}

/* One answer without the blanks around it; NULL at the end. The caller frees. */
static char *ask_line(const char *question, const char *example)
{
	char *line = NULL, *begin;
	size_t size = 0;
	ssize_t len;

	printf("%s%s%s%s ", question, *example ? " (" : "", example, *example ? ")" : "");
	fflush(stdout);
	len = getline(&line, &size, stdin);
	if (len < 0) {
		putchar('\n');
		free(line);
		return NULL;
	}
	while (len && strchr("\r\n \t", line[len - 1]))
		line[--len] = 0;
	begin = mem_strdup(line + strspn(line, " \t"));
	free(line);
	return begin;
}

/* Asks until the answer is right, or empty where that is allowed. */
static void ask_text(struct asking *asking, char **to, const char *question, const char *example)
{
	bool right = false;

	while (!right && !asking->ended) {
		struct str why = STR_INIT;
		char *answer = ask_line(question, example);

		asking->ended = !answer;
		if (answer && (*answer || !asking->needed)) {
			draft_set(to, *answer ? answer : NULL);
			right = draft_is_right(asking->draft, &why);
			if (!right)
				draft_set(to, NULL);
		} else if (answer) {
			str_add(&why, "this has to be answered\n");
		}
		if (!right && !asking->ended)
			ask_print_why(&why);
		free(answer);
		str_free(&why);
	}
}

static void ask_needed(struct asking *asking, char **to, const char *question, const char *example)
{
	asking->needed = true;
	if (!*to)
		ask_text(asking, to, question, example);
	asking->needed = false;
}

static void ask_maybe(struct asking *asking, char **to, const char *question, const char *example)
{
	if (!*to)
		ask_text(asking, to, question, example);
}

/* An area that no check has would stand alone in every report. */
static void ask_area(struct asking *asking)
{
	struct draft *draft = asking->draft;

	while (!draft->area && !asking->ended) {
		struct str why = STR_INIT;

		ask_needed(asking, &draft->area, "Which part of the system is it about?",
			"memory, cpu, disk, net, limits …");
		if (draft->area && !draft_area_is_known(draft->area, &why)) {
			ask_print_why(&why);
			draft_set(&draft->area, NULL);
		}
		str_free(&why);
	}
}

/* What kind of check it is, where no option has said so. */
static void ask_kind(struct asking *asking)
{
	struct draft *draft = asking->draft;
	bool known = draft->n || draft->path || draft->exec || draft->event || draft->like;

	while (!known && !asking->ended) {
		char *kind = ask_line("What does it look at?",
			"number: one that Tuesday knows; file; program; trace: a number and who "
			"is behind it");

		asking->ended = !kind;
		known = true;
		if (!kind)
			break;
		if (!strcmp(kind, "file"))
			ask_needed(asking, &draft->path, "Which number in which file?",
				"/run/nginx.stat[connections]");
		else if (!strcmp(kind, "program"))
			ask_needed(asking, &draft->exec, "Which program, with its arguments?",
				"/usr/lib/nagios/plugins/check_x -w 5");
		else if (!strcmp(kind, "trace"))
			ask_needed(asking, &draft->event, "Which tracepoint?",
				"exceptions:page_fault_user; tuesday sources --tracepoints WORD");
		else if (*kind && strcmp(kind, "number") != 0)
			known = false;
		if (!known)
			puts("  It is one of number, file, program and trace. Once more:");
		free(kind);
	}
}

static void ask_limits(struct asking *asking, char **text)
{
	ask_needed(asking, &text[DRAFT_CLASS], "What does it mean when it is high?",
		"harm: somebody waits; error; limit: will fail when reached; cause: context");
	ask_maybe(asking, &text[DRAFT_ACQUIT], "Within which limit is this part not at fault?",
		"< 10; empty: none");
	ask_maybe(asking, &text[DRAFT_MAYBE], "From when on is it suspicious?",
		"> 100; empty: never");
	ask_maybe(asking, &text[DRAFT_BAD], "From when on is it bad?", "> 1000; empty: never");
	if (asking->ended || text[DRAFT_ACQUIT] || text[DRAFT_MAYBE] || text[DRAFT_BAD])
		return;
	if (!text[DRAFT_CLASS] || strcmp(text[DRAFT_CLASS], "cause") != 0)
		puts("  Without a limit it is context: its class is cause.");
	draft_set(&text[DRAFT_CLASS], "cause");
}

static void ask_words(struct asking *asking, char **text, bool many)
{
	ask_needed(asking, &text[DRAFT_SAY], "What is to be said then?",
		many ? "{instance} has {value}" : "{value} of them");
	ask_needed(asking, &text[DRAFT_WHY], "What does the number say about the machine?",
		"a sentence");
	ask_maybe(asking, &text[DRAFT_SOURCE], "Who says that the limits are these?",
		"empty: your judgement");
	ask_needed(asking, &text[DRAFT_HOWEVER], "What can it not see, or what looks like it?",
		"a sentence");
}

/* A name that this machine does not have is mistyped, unless it is given twice: another may have
 * it. */
static void ask_value(struct asking *asking, char **value)
{
	char *before = NULL;

	while (!asking->ended) {
		struct str why = STR_INIT;
		bool right;

		ask_needed(asking, value,
			asking->draft->event
				? "Which number counts it, so that it is traced only then?"
				: "Which number?",
			"rate(vmstat:pgmajfault); see tuesday sources");
		right = asking->ended || (before && !strcmp(before, *value)) ||
			draft_is_here(*value, &why);
		if (!right) {
			str_add(&why, "give it again if another machine has it\n");
			ask_print_why(&why);
			draft_set(&before, *value);
			draft_set(value, NULL);
		}
		str_free(&why);
		if (right)
			break;
	}
	free(before);
}

static void ask_metric(struct asking *asking)
{
	struct draft *draft = asking->draft;
	struct draft_metric *metric = &draft->metrics[0];
	char **text = metric->text;

	if (!draft->n)
		draft->n = 1;
	if (draft->path && !text[DRAFT_VALUE])
		draft_set(&text[DRAFT_VALUE], draft->path);
	if (!text[DRAFT_VALUE])
		ask_value(asking, &text[DRAFT_VALUE]);
	if (!text[DRAFT_VALUE]) {
		draft->n = 0;
		return;
	}
	ask_limits(asking, text);
	ask_words(asking, text, strchr(text[DRAFT_VALUE], '*') != NULL);
}

bool draft_ask_all(struct draft *draft)
{
	struct asking asking = {.draft = draft};

	ask_kind(&asking);
	ask_needed(&asking, &draft->question, "Which question does it answer?",
		"Do programs wait for pages that were swapped out?");
	if (!draft->like)
		ask_area(&asking);
	if (!draft->exec && !draft->like && draft->n < 2)
		ask_metric(&asking);
	return draft->question && (draft->exec || draft->like || draft->n);
}
