/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run found out: one struct, which every writer prints in its own way.
 *
 * All names and texts that came from the machine are as they came: each writer escapes them for
 * where it writes. Strings are owned by the struct that holds them.
 */
#ifndef TUESDAY_RESULT_H
#define TUESDAY_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "check.h"
#include "source.h"

/* Not in order of severity: that is verdict_worse. */
enum verdict { VERDICT_GOOD, VERDICT_MAYBE, VERDICT_BAD, VERDICT_UNKNOWN, VERDICT_SKIP };
const char *verdict_text(enum verdict verdict);
/* bad, maybe, unknown, good, skip: the first is the worst. */
bool verdict_is_worse(enum verdict a, enum verdict b);
/* 0 good and skip, 1 maybe, 2 bad, 3 unknown. */
int verdict_exit_status(enum verdict verdict);

enum tier { TIER_COUNTERS, TIER_TRACE, TIER_EXPERIMENT };
const char *tier_text(enum tier tier);

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };
const char *confidence_text(enum confidence confidence);

/* One metric, for its worst instance. NAN is no value: writers leave it out. */
struct metric_result {
	const struct metric *metric;
	char *instance; /* "" for none; as sources name it */
	char *label;	/* as people know it */
	double value;
	double acquit, maybe, bad; /* the limits in force, after classes and kernel knobs */
	enum verdict verdict;	   /* UNKNOWN: no value */
	bool idle;		   /* there was not enough to judge: VERDICT_GOOD */
	bool acquits;		   /* below acquit, with enough work */
	bool capped;	  /* class, judgement or a however held it back from bad or maybe */
	char *missing;	  /* why there is no value, or NULL */
	size_t instances; /* how many instances had a value */
	size_t accused;	  /* how many of them are at this verdict, if it is maybe or bad */
	unsigned int windows_over; /* windows beyond the maybe limit, of windows */
	unsigned int windows;
};

struct cost {
	uint64_t cpu_ns; /* user and system time of this process and its children */
	uint64_t wall_ns;
	uint64_t rss_bytes; /* peak */
	uint64_t trace_ns;  /* wall time traced */
	uint64_t bpf_ns;    /* run time of the BPF programs; 0 with bpf_known false: not known */
	bool bpf_known;
};

/* What an experiment answered; the last two did not begin. */
enum answer {
	ANSWER_CHANGED,
	ANSWER_SAME,
	ANSWER_INCONCLUSIVE,
	ANSWER_REFUSED,	 /* by its check file, or by the state that the machine is in */
	ANSWER_DECLINED, /* a person did not say yes */
};
const char *answer_text(enum answer answer);

/* One experiment of a check. NAN is not known. */
struct experiment_result {
	char *name;
	enum answer answer;
	bool better;   /* with CHANGED: the watched number was better while the knob was turned */
	char *summary; /* "read-ahead 8192 → 128: reads 31 % faster (95 %: 24 to 39), 12 pairs" */
	char *why;     /* of what is not CHANGED or SAME; NULL otherwise */
	char *knob;    /* the file, or the command that changed it; NULL: not known */
	char *instance;		  /* "" for none */
	char *from, *to;	  /* its value before and meanwhile; NULL: not known */
	char *observed;		  /* the expression, command or URL that was watched */
	double before, meanwhile; /* the watched number's medians */
	double effect, low, high; /* ratio: 0.31 is 31 % better; of the interval of 95 % */
	double margin;		  /* a smaller effect does not matter */
	unsigned int pairs, control_pairs;
	double seconds;
	int risk;
	bool turned;  /* the knob was turned at all */
	char *left;   /* the knob is not as it was before: what to do; NULL: it is */
	char **notes; /* guards that could not be watched, and such */
	size_t n_notes;
	const char *proves, *however; /* texts of the check file */
};

struct check_result {
	const struct check *check;
	enum verdict verdict;
	enum tier tier; /* the deepest that has spoken */
	bool idle;
	bool exonerated;
	enum confidence confidence;
	char *summary;	/* one line */
	char *evidence; /* for the ledger: what exonerated it; NULL otherwise */
	char *reason;	/* for unknown and skip: why, and how to change that; NULL otherwise */
	char *method;	/* how its traces looked; NULL: none ran */
	char *missing;	/* a deeper tier that could not run, and how to grant it; NULL otherwise */
	struct metric_result *metrics;
	size_t n_metrics;
	struct culprit *culprits; /* the worst first */
	size_t n_culprits;
	char **howevers; /* those that applied, and those of the metrics that accuse */
	size_t n_howevers;
	char **next; /* commands to run */
	size_t n_next;
	struct experiment_result *experiments;
	size_t n_experiments;
	struct cost cost; /* of its traces; counters are shared by all */
};

/* Types, not severities: docs/verdicts.md has the rules. */
struct incident_type {
	const char *name; /* NULL: nothing is wrong, so there is none */
	char *why;
};

struct report {
	char *host, *kernel, *boot_id, *version;
	unsigned int cpus;
	double uptime_seconds; /* NAN: not known */
	time_t time_start;
	double seconds; /* how long the run took */
	double window_seconds;
	unsigned int windows;
	bool interrupted;
	bool replay;
	char *under_way; /* an experiment of somebody else's that may have changed what was seen, or
			    NULL */
	struct check_result *checks;
	size_t n_checks;
	char **errors; /* check files that were refused */
	size_t n_errors;
	struct incident_type type;
	struct cost cost;
	enum verdict verdict; /* the worst */
};

void report_free(struct report *report);
void check_result_free(struct check_result *result);
void experiment_result_free(struct experiment_result *result);

#endif
