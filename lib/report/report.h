/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run found out: one struct, which every writer prints in its own way.
 *
 * All names and texts that came from the machine are as they came: each writer escapes them for
 * where it writes. Strings are owned by the struct that holds them.
 */
#ifndef TUESDAY_REPORT_REPORT_H
#define TUESDAY_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/culprit.h"

struct check;
struct metric;
struct refused_file;
struct str;

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

/* What this number usually is on this machine at this hour: it moves no verdict. */
struct normal {
	size_t runs;		  /* that it is from; 0: not known */
	double low, middle, high; /* 5 of 100 are below low, and 5 above high */
};

enum forecast_source { FORECAST_HISTORY, FORECAST_WINDOWS };
/* "history", "windows" */
const char *forecast_source_text(enum forecast_source source);

/* When a limit is reached if it goes on as it has. */
struct forecast {
	bool known;
	bool due;		     /* so soon that it accuses, by the check file's trend.within */
	enum forecast_source source; /* earlier runs, or the windows of this one */
	double seconds, low, high;   /* from now; high is INFINITY where it may never be */
	double target;		     /* the limit that is meant */
	double over_seconds;	     /* the time that it is from */
};

/* Why a metric of which nothing is accused does not clear its check, the gravest last. */
enum doubt_kind {
	DOUBT_NONE,
	DOUBT_BETWEEN,	  /* between what clears and what accuses */
	DOUBT_BURST,	  /* beyond what accuses, but not for long */
	DOUBT_AFTERWARDS, /* a trace cleared it, and whether it was over by then is not known */
};

struct doubt {
	enum doubt_kind kind;
	char *label;   /* of the instance that it is about; NULL where kind is none */
	double value;  /* of its worst window; of DOUBT_AFTERWARDS what accused it */
	double acquit; /* within it, it would clear; NAN where there is none */
	unsigned int windows_over, windows; /* of a burst */
};

/* Another instance than the worst that is on its way to its limit, and within it: earlier runs may
 * say that this one is there first. */
struct near_instance {
	char *instance, *label;
	double value, acquit, maybe, bad, whole;
	bool held;
	struct culprit who;
};
#define NEAR_INSTANCES 8

/* What is to be said of a metric that accuses; nothing of any other. Owned, but for applied. */
struct metric_words {
	char *say;	 /* its own sentence, with names and numbers in it: not escaped */
	char **howevers; /* its doubts: those that held it back, then the one it always has */
	size_t n_howevers;
	char *remedy; /* what to do about it, or NULL */
	char **next;  /* commands, the check's where it has none of its own */
	size_t n_next;
	const char **applied; /* texts of the check that held it back while it was judged */
	size_t n_applied;
};

/* One metric, for its worst instance. NAN is no value: writers leave it out. */
struct metric_result {
	const struct metric *metric;
	char *instance; /* "" for none; as sources name it */
	char *label;	/* as people know it */
	double value;
	double worst; /* of its worst window; NAN where it is judged over the whole run at once */
	double acquit, maybe, bad, look; /* the limits in force, after classes and kernel knobs */
	/* UNKNOWN: no value; SKIP: nothing of the kind is here, so that it was not asked; GOOD
	 * where a trace cleared all it accused. */
	enum verdict verdict;
	enum verdict overruled; /* the worst of the instances that a trace cleared; GOOD: none */
	enum verdict remains;	/* after the traces, which may lift what held the verdict back */
	bool idle;		/* there was not enough to judge: VERDICT_GOOD */
	bool acquits;		/* every instance is within what clears, with enough work */
	struct doubt doubt;	/* of the instance that is furthest from being cleared */
	bool looks;		/* beyond look, in any instance: a trace is to be taken */
	bool over;	    /* it is beyond maybe by counters, and was not when a trace looked */
	bool unseen;	    /* one of which a trace ran and saw too little to say is beyond look */
	bool capped;	    /* class, judgement or a however held it back from bad or maybe */
	char *missing;	    /* why there is no value, or NULL */
	struct culprit who; /* the first that it points at, if it accuses or is in the way of
			       clearing; no kind: none */
	size_t instances;   /* how many instances had a value */
	size_t accused;	    /* how many of them are at this verdict, if it is maybe or bad; of
			       those that a trace cleared none */
	unsigned int windows_over; /* windows beyond the maybe limit, of windows */
	unsigned int windows;
	bool fleeting; /* its instances come and go: processes, threads, connections */
	double whole;  /* of a limit that is a share: what it is a share of; 0: not known */
	bool held; /* a however says that it harms nobody there, which holds for its trend too */
	struct near_instance *near; /* the first that are, as many as are kept */
	size_t n_near;
	struct metric_words words;
	struct normal normal;
	/* The nearer in time of the two sources, and the other one where both know. */
	struct forecast forecast, later;
};

/* The run that this one continues, and whether what it counted could be gone on from. */
struct continued {
	bool asked;	/* the run was to continue one at all */
	time_t time;	/* when that one ended, by the clock; 0: there was none */
	double seconds; /* from its last sample to ours; 0: its counters say nothing of this time */
	char *context;	/* "first run", "rebooted since"; NULL: nothing to say */
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
	ANSWER_TOLD,	 /* nothing was changed: another program asked, and has a verdict */
};
const char *answer_text(enum answer answer);

/* One experiment of a check. NAN is not known. */
struct experiment_result {
	char *name;
	enum answer answer;
	bool better; /* with CHANGED: the watched number was better while the knob was turned */
	enum verdict told; /* with TOLD: good, maybe or bad */
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
	double seconds, most_seconds; /* it took, and was said to take at most */
	int risk;
	bool turned;  /* the knob was turned at all */
	bool clears;  /* where nothing got better without it, the check is cleared */
	char *left;   /* the knob is not as it was before: what to do; NULL: it is */
	char **notes; /* guards that could not be watched, and such */
	size_t n_notes;
	const char *proves, *however; /* texts of the check file */
};

/* An experiment that could say more of a check that is maybe or bad, and was not run. */
struct experiment_offer {
	char *experiment; /* "l2arc/offline" */
	char *command;	  /* that runs it, for a shell */
	double seconds;	  /* at most */
	int risk;
	bool clears;		  /* it can clear the check */
	bool changes;		  /* something, that it puts back */
	char *question, *warning; /* texts of the check file, or NULL */
};

/* Why a verdict does not count in what monitoring is told; it is said all the same. */
enum set_aside {
	ASIDE_NOT,
	ASIDE_EXPECTED, /* unknown, and known to be so on this machine */
	ASIDE_MUTED,	/* a person muted the check, and mutes are honoured */
};
/* "expected", "muted"; NULL where it counts. */
const char *set_aside_text(enum set_aside set_aside);

struct check_result {
	const struct check *check;
	enum verdict verdict;
	enum set_aside set_aside;
	enum tier tier; /* the deepest that has spoken */
	bool idle;
	bool exonerated;
	bool looks;	 /* a metric of the counters asks for the traces without accusing anybody */
	bool unanswered; /* and no trace saw enough to tell */
	enum confidence confidence;
	char *summary;	/* one line */
	char *evidence; /* for the ledger: what exonerated it; NULL otherwise */
	char *reason;	/* for unknown and skip: why, and how to change that; for good that is not
			   exonerated: why not; NULL otherwise */
	char *method;	/* how its traces looked; NULL: none ran */
	char *missing;	/* a deeper tier that could not run, and how to grant it; NULL otherwise */
	struct metric_result *metrics;
	size_t n_metrics;
	struct metric_result *past; /* that accuse the time since the run before, where the windows
				       of this run accuse less */
	size_t n_past;
	const char *since; /* when that run was, for people: "14:05"; the caller's, or NULL */
	bool only_past;	   /* what this run itself saw is good */
	struct culprit *culprits; /* the worst first */
	size_t n_culprits;
	char **howevers; /* those that applied, and those of the metrics that accuse */
	size_t n_howevers;
	char **next; /* commands to run */
	size_t n_next;
	char **remedies; /* what to do about what accuses, for people */
	size_t n_remedies;
	struct experiment_result *experiments;
	size_t n_experiments;
	struct experiment_offer *offers; /* those that can clear first */
	size_t n_offers;
	struct cost cost; /* of its traces; counters are shared by all */
};

/* A check that a person does not want to hear of for a while; its verdict is said all the same. */
struct muted {
	char *check, *reason, *by;
	time_t until;
};

/* What people do to the machine on purpose, a rollout or a chaos test. */
struct announced {
	char *what, *by;
	time_t since, until;
};

/* Whether what is accused was there before that began. */
enum began { BEGAN_UNKNOWN, BEGAN_BEFORE, BEGAN_SINCE };

/* A person's word about the type, with the time of it. */
struct type_change {
	const char *type;
	char *by, *reason, *ref; /* ref: the incident's name elsewhere, or NULL */
	time_t time;
};

#define INCIDENT_RULES 6

/* Types, not severities: docs/types.md has the rules. */
struct incident_type {
	const char *name;	    /* the one in force; NULL: nothing is wrong, so there is none */
	const char *derived;	    /* by the rules: the same, unless a person has said otherwise */
	char *why;		    /* which fact decided for derived */
	unsigned int rule;	    /* its number, from 1 on; 0: not known */
	enum confidence confidence; /* that derived is right, */
	double confidence_ratio;    /* and as a number */
	const char
		*candidates[INCIDENT_RULES]; /* all types whose rule holds, in the rules' order */
	size_t n_candidates;
	time_t due; /* of a time bomb: when the first limit is reached by its trend; 0: not known */
	struct type_change *changes; /* what people said, the oldest first */
	size_t n_changes;
	char *invite, *notes; /* what types.d says of the type in force, or NULL */
};

/* What a machine is, or what people call it: "cpu_model", "rack". */
struct fact {
	char *name, *value;
};

struct report {
	char id[33]; /* random, hexadecimal */
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
	struct continued continued;
	struct fact *facts; /* of the machine: see history/host_facts.h; each name once */
	size_t n_facts;
	struct fact *labels; /* that people gave it */
	size_t n_labels;
	struct check_result *checks;
	size_t n_checks;
	struct muted *muted; /* checks that are muted now, whether they accuse or not */
	size_t n_muted;
	struct announced *announced; /* what is, at the time of the run; the oldest first */
	size_t n_announced;
	enum began accused_began; /* by the history, where anything is announced */
	char **not_asked; /* checks that run only where they are named, and would have an answer */
	size_t n_not_asked;
	char **errors; /* check files that were refused */
	size_t n_errors;
	/* The same by file: those of the run's checks, which own them; none in a report that was
	 * read. */
	const struct refused_file *refused;
	size_t n_refused;
	struct incident_type type;
	struct cost cost;
	enum verdict verdict; /* the worst that counts */
};

/* What a check counts as: its verdict, or good where that is set aside. */
enum verdict result_counts_as(const struct check_result *result);
/* The worst that any check counts as; unknown at least where a check file was refused. */
enum verdict report_worst(const struct report *report);

/* Appends a copy of text to a list of n of them, unless it is NULL, empty or there already. */
void texts_add_once(char ***list, size_t *n, const char *text);

void report_free(struct report *report);
/* The result of the check of that name, or NULL. */
struct check_result *report_check(struct report *report, const char *name);
/* Appends the names of the checks that are muted, "cpu, disk", not escaped; nothing for none. */
void report_muted(struct str *out, const struct report *report);
void metric_result_free(struct metric_result *result);
void metric_words_free(struct metric_words *words);
/* The result as it would be if that instance were the one to tell of. Its strings are the other's.
 */
struct metric_result metric_result_of_near(
	const struct metric_result *result, const struct near_instance *near);
void check_result_free(struct check_result *result);
void experiment_result_free(struct experiment_result *result);
void experiment_offer_free(struct experiment_offer *offer);

#endif
