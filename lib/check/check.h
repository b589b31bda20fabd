/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check: one question about one part of the system, as its files in all layers say it.
 *
 * Layers, later ones overriding key by key: embedded, /usr/lib/tuesday/checks.d,
 * /etc/tuesday/checks.d, -c DIR. Which file and line a key came from is kept for messages and for
 * `tuesday config`.
 */
#ifndef TUESDAY_CHECK_CHECK_H
#define TUESDAY_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "expr/parse.h"
#include "base/unit.h"
#include "check/seen.h"

struct embedded_check;
struct experiment;
struct setting;
struct settings;
struct foreign;
struct str;
struct sweep;
struct trace_spec;
struct capture;

/* How far a metric can go: see docs/writing-checks.md. */
enum metric_class { CLASS_HARM, CLASS_ERROR, CLASS_LIMIT, CLASS_CAUSE };
const char *metric_class_text(enum metric_class class);

/* "maybe = > 5%" or "maybe.nvme = > 2ms": an operator and what the value is compared with. */
struct limit {
	bool set;
	enum op op;
	struct expr *expr;
	const char *text;  /* as written */
	const char *class; /* the instance class that it is for, or NULL for all */
};

/* acquit, maybe or bad of a metric, with its variants by class. */
struct limits {
	struct limit plain;
	struct limit *by_class;
	size_t n, room;
};

/* The operator of a limit, to print beside the number in force: the plain one's, or that of the
 * first class. Returns false where no limit is set. */
bool limits_op(const struct limits *limits, enum op *op);

/* However NAME: when the condition holds, the verdict of the metric goes no further than cap. With
 * CAP_UNKNOWN the number is not to be trusted at all, and say is why. */
struct however {
	const char *name;
	struct condition *when;
	const char *when_text;
	enum however_cap { CAP_GOOD, CAP_MAYBE, CAP_UNKNOWN } cap;
	const char *say;
};

/* How the course of a limit is followed: see check/trend_rule.h. */
struct trend_rule {
	enum trend_from { TREND_ALL, TREND_HISTORY, TREND_NONE } looks;
	double within_seconds; /* what reaches its limit sooner is maybe; 0: it accuses nobody */
	/* Windows are believed for within_seconds from this part of the way on, and before it for
	 * so many times the time that was looked at. */
	double from, times;
	struct expr *grower; /* of what there is one for each process, say: whose grows most */
	const char *grower_text;
	const char *source; /* of these numbers, or NULL */
};

/* The texts are those of the check's settings, and the rest is in its arena. */
struct metric {
	const char *name;
	enum unit unit;
	enum metric_class class;
	struct expr *value;
	const char *value_text;
	struct condition *enough; /* NULL: always enough */
	const char *enough_text;
	struct limits acquit, maybe, bad;
	struct limits look;	  /* beyond it the traces of the check look; it accuses nobody */
	const char *why, *source; /* source is mandatory */
	const char *keywords;	  /* to be searched by, or NULL */
	const char *however;	  /* what the number cannot see */
	/* The summary phrase with {value} {limit} {instance} {who}; NULL: not for summaries. */
	const char *say;
	const char *only,
		*ignore; /* patterns of instances: those to judge, and those to leave out */
	unsigned int sustained_k, sustained_n; /* 0: judged over the whole run */
	struct however *howevers;
	size_t n_howevers, room_howevers;
	bool judgement;	   /* source begins with "judgement": capped until a deeper tier confirms */
	const char *clear; /* the same for a metric that exonerates; NULL: say */
	/* What it means that nothing of this kind is on a machine: then it is not asked. NULL: its
	 * value is missed. */
	const char *absent;
	bool is_signed; /* its value may be below zero */
	double at_most; /* its value cannot be more; 0: not known */
	bool clears;	/* a cause that may clear its check, as others do unasked */
	/* The traces that see what it counts, "trace:block trace:iowait": they alone overrule it.
	 * NULL: none does. */
	const char *witness;
	/* What others do meanwhile: the instance with most of it is named in place of the accused
	 * one. NULL: the accused one is. */
	struct expr *rival;
	const char *rival_text;
	const char *next;   /* commands to run next if it accuses; NULL: those of the check */
	const char *remedy; /* what to do about what it accuses, for people; NULL: not known */
	enum seen_how seen; /* see check/seen.h: metric_seen() */
	const char *ends; /* what has to happen for it to accuse no more; NULL: see check/ends.h */
	struct trend_rule trend; /* only class limit has one */
	const char *trace;	 /* the trace it needs, or NULL: then it is of the counters tier */
	const char *file;	 /* where the section stands (in the lowest layer that has it) */
	int line;
};

/* Whether it can clear its check at all: a cause only where it says so. */
bool metric_may_clear(const struct metric *metric);

/*
 * Whether a trace is to be asked about what a metric of the counters says. trace: as metric->trace,
 * which may name a field of it. Where a metric that asks for a trace (look) names no witness, every
 * trace of the check that runs when it is asked is one; the caller leaves out what is always on.
 */
bool metric_has_witness(const struct metric *metric, const char *trace);

struct check {
	char *name;
	/* Texts of the settings too, NULL where there is none. */
	const char *question, *area; /* area may be NULL, question is mandatory */
	/* The one part of the machine that all numbers without an instance are about; NULL: all of
	 * it. */
	const char *place;
	const char *headline; /* names of its metrics that roll-ups graph, or NULL */
	const char *keywords; /* to be searched by (see keywords.h), or NULL */
	const char *needs;    /* paths that must be there, separated by blanks, or NULL */
	const char *kernel, *package, *expires; /* whom it is about (see applies.h), or NULL */
	const char *program;	 /* the name that package's processes have, or NULL */
	const char *next;	 /* commands to run next (see next_steps.h), or NULL */
	struct foreign *foreign; /* the program that answers (see check/exec.h), or NULL */
	enum seen_how seen;	 /* of what does not say it itself */
	bool enabled;		 /* if not, there are settings but no other parts */
	bool opt_in;		 /* enabled = named: only where somebody asks for it by its name */
	bool of_files;		 /* enabled = given: the same, and its own tool is given files */
	struct metric **metrics;
	size_t n_metrics, room_metrics;
	struct trace_spec **traces;
	size_t n_traces, room_traces;
	struct experiment **experiments;
	size_t n_experiments, room_experiments;
	struct setting *settings; /* every effective key, for config */
	size_t n_settings;
	struct settings *owner; /* of the settings and their strings */
	struct arena arena;	/* of metrics and experiments, with all that they are made of */
	/* That of a shipped check whose [check] alone was read so far: see check_complete(). */
	const struct embedded_check *pending;
	const struct trend_rule *trend; /* for that */
};

/* A check file that was refused, or a folder of them that cannot be read. */
struct refused_file {
	char *file;
	char *why; /* the first message about it */
};

struct checks {
	struct check **list; /* sorted by name */
	size_t n, room;
	struct refused_file *refused; /* each once */
	size_t n_refused, room_refused;
	struct str *errors; /* one message a line, of files that were refused */
	size_t n_errors;
	struct arena arena; /* of what they share */
};

/* The declaration of a trace by metric->trace, which may name a field of it; NULL for NULL. */
const struct trace_spec *check_trace(const struct check *check, const char *trace);
/* Whether a metric is measured by a sentinel, a trace that is always on. */
bool metric_is_sentinels(const struct check *check, const struct metric *metric);

/* Whether nothing but sentinels can answer its question. */
bool check_is_sentinels(const struct check *check);

void checks_free(struct checks *checks);
struct check *checks_find(const struct checks *checks, const char *name);

void check_free(struct check *check);

/* Calls each with every reference that any key of the check has, those of its experiments apart:
 * they are read only while one is run. */
void check_each_leaf(
	const struct check *check, void (*each)(void *arg, struct expr_leaf *leaf), void *arg);

/* Binds them in the sweep, so that they are read: for a check that will be judged. */
void check_bind(const struct check *check, struct sweep *sweep);

#endif
