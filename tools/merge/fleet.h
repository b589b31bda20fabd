/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many reports folded into one: what is wrong on how many hosts, and what these have in common.
 *
 * A report is forgotten as soon as it is folded. Of each host stay two bytes a check that it
 * answers, one number a label and a line for each accusation, so that 10,000 hosts fit into some
 * MiB. Texts are numbers of fleet->words, checks and labels numbers of their own.
 *
 * Reports may be hostile, so what they can have kept is bounded: checks, labels, answers,
 * accusations and bytes of text. What has no room is counted in left_out, or the report is refused;
 * a host's verdict is always the worst that its report says.
 */
#ifndef TUESDAY_TOOLS_MERGE_FLEET_H
#define TUESDAY_TOOLS_MERGE_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "report/report.h"
#include "tools/merge/claims.h"
#include "tools/merge/string_pool.h"

#define VERDICTS (VERDICT_SKIP + 1)

/* What a host says of a check. */
#define CELL_ABSENT 0xff  /* nothing */
#define CELL_EXONERATED 8 /* in addition to its verdict */
#define CELL_VERDICT(cell) ((enum verdict)((cell)&7))
/* As it is kept, the check in front. */
#define CELL_BITS 4
#define CELL_CHECK(kept) ((uint32_t)(kept) >> CELL_BITS)
#define CELL_SAID(kept) ((uint8_t)((kept) & ((1u << CELL_BITS) - 1)))

/* Why a check is maybe, bad or unknown on a host. */
struct accusation {
	uint32_t check;
	uint32_t summary;
	uint32_t culprit; /* "process puma": kind and name, or NO_WORD */
};

struct host {
	uint32_t name;
	uint32_t shown;	  /* the name, with a part of the boot id where two machines have it */
	uint32_t version; /* of Tuesday */
	uint32_t boot_id;
	uint32_t file; /* that its report is from */
	uint32_t type; /* that the host itself has derived, NO_WORD for none */
	time_t time;   /* 0: not known */
	double uptime;
	enum verdict verdict;
	uint16_t *cells; /* of the checks that it answers, sorted by their numbers */
	uint16_t n_cells;
	uint16_t n_values;
	uint32_t *values;		/* by label; those beyond n_values are not known */
	struct accusation *accusations; /* by the number of the check */
	uint32_t n_accusations;
	uint32_t weight;   /* how much is bad, and how much may be */
	uint32_t namesake; /* 1 + the index of what else claims the name, or 0 */
	bool stale, ahead, interrupted, unexpected;
	bool superseded;   /* another report of what may be the same machine counts */
	bool has_namesake; /* another machine that counts has the name */
};

struct fleet_check {
	uint32_t name, area;
	size_t counts[VERDICTS]; /* hosts, without those that are stale */
	size_t exonerated;
	size_t hit; /* bad on hosts that are neither "internal" nor a "time bomb" of themselves */
};

struct label {
	uint32_t name;
};

/* A label's value among the accused and among the exonerated, those that have the label at all. */
struct shared {
	uint32_t check, label, value;
	uint32_t accused, accused_of;
	uint32_t good, good_of;
	double p;     /* Fisher's exact test, one-sided */
	double least; /* the smallest p that these sums could give */
	double adjusted;
	bool significant;
};

struct refused {
	char *file, *why;
};

struct fleet {
	const char *gaps; /* names of checks that are known not to look somewhere, or NULL */
	struct words words;
	struct host *hosts;
	size_t n_hosts, room_hosts;
	uint32_t *first_host; /* by name: 1 + an index */
	size_t n_first_host;
	struct fleet_check *checks;
	size_t n_checks, room_checks;
	uint32_t *check_of; /* by word: 1 + a number of a check */
	size_t n_check_of;
	struct label *labels;
	size_t n_labels, room_labels;
	/* About the reports. */
	size_t reports, duplicates, replays;
	size_t n_cells, n_accusations; /* of all hosts */
	struct refused *refused;       /* the first ones, for their names */
	size_t n_refused, kept_refused;
	size_t left_out; /* answers, labels and texts that were too many to keep */
	bool interrupted;
	/* Who was expected, and who has not come. */
	uint32_t *expected, *missing;
	size_t n_expected, n_missing;
	bool has_expected;
	/* What fleet_settle found out. */
	size_t seen, stale, ahead, unexpected, namesakes, n_interrupted;
	size_t hosts_by[VERDICTS];
	time_t first, last, median;
	struct conflict *conflicts; /* the first ones */
	size_t n_conflicts, kept_conflicts, room_conflicts;
	/* By check that accuses anybody: the hosts that say something of it and are not stale,
	 * holders[holders_of[check]] up to those of the next check. */
	uint32_t *holders;
	size_t *holders_of;
	struct shared *shared; /* by check, the most telling first */
	size_t n_shared;
	size_t comparisons; /* how many were made */
	double threshold;   /* p at or below it is significant */
	bool *comparable;   /* by check: whether any comparison of it could be significant */
	enum verdict verdict;
	struct incident_type type;
	uint32_t *order; /* of checks: what is to be read first */
	bool settled;
};

struct fleet *fleet_new(void);
void fleet_free(struct fleet *fleet);

/* Folds a report that report_read has read (brief is enough). Returns NULL, or why it is refused
 * and not counted. */
const char *fleet_add(
	struct fleet *fleet, const struct origin *origin, const struct report *report);
void fleet_refuse(struct fleet *fleet, const char *file, size_t number, const char *why);
/* n more of a file, that are only counted. */
void fleet_refuse_more(struct fleet *fleet, size_t n);

/* The number of a label that people give; UINT32_MAX where there are too many. */
uint32_t fleet_label(struct fleet *fleet, const char *name);
/* Gives a host a label, instead of what its report says. */
void fleet_set_label(struct fleet *fleet, struct host *host, uint32_t label, uint32_t value);
/* The host of a name, the first of several; NULL. A name without a domain stands for the only one
 * that begins so, and a full one for the one that reports without its domain. */
struct host *fleet_find(struct fleet *fleet, const char *name);
struct host *fleet_namesake(struct fleet *fleet, const struct host *host);

/* The cell of a host, CELL_ABSENT where it says nothing. */
uint8_t host_cell(const struct host *host, uint32_t check);
uint32_t host_value(const struct host *host, uint32_t label);
const struct accusation *host_accusation(const struct host *host, uint32_t check);

const char *fleet_text(const struct fleet *fleet, uint32_t word);

/* What a host can be named for beside its verdict. */
bool host_is_stale(const struct host *host);
bool host_is_ahead(const struct host *host);
bool host_is_unexpected(const struct host *host);
/* The shown names of the *n hosts of which holds is true; the caller frees. */
uint32_t *fleet_names_where(
	const struct fleet *fleet, bool (*holds)(const struct host *host), size_t *n);
const char *check_name(const struct fleet *fleet, uint32_t check);
/* The verdict that a check's hosts are accused by: bad where it is anywhere, else maybe. */
enum verdict check_worst(const struct fleet_check *check);
/* How many hosts it accuses with that verdict; 0 where it accuses none. */
size_t check_accused(const struct fleet_check *check);
bool host_is_accused(const struct fleet *fleet, const struct host *host, uint32_t check);
/* How many hosts have looked at all: those that are neither absent nor skip. */
size_t check_examined(const struct fleet_check *check);

#endif
