/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run leaves for the next one of the same consumer: the counters as they stood last, so that
 * what happens in between is not lost, and which lights were announced. One file, one step: it is
 * written when all has been said, so that whatever cuts a run off, nothing is left unsaid.
 *
 * A line each: "tuesday-saved 1", then "KEY VALUE", "counter SOURCE KEY INSTANCE NUMBER" and
 * "light CHECK ANNOUNCED RECENT SINCE SAID", and at last "end LINES"; see base/quoteword.h.
 */
#ifndef TUESDAY_HISTORY_RUN_STATE_H
#define TUESDAY_HISTORY_RUN_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct str;

/* A larger file is not ours, and no more counters are kept. */
#define RUN_STATE_MAX_BYTES (8 << 20)
#define RUN_STATE_MAX_COUNTERS 50000

struct run_state_counter {
	char *source, *key;
	char *instance; /* "" for none */
	double value;
};

/* How a check's light was seen and what was said of it: see hysteresis.h. */
struct run_state_check {
	char *check;
	unsigned int announced; /* enum verdict */
	uint32_t recent;	/* the last runs, four bits each, the latest lowest; 15: none */
	time_t since;		/* when it was announced first */
	time_t said;		/* when it was announced or reminded of last */
};

struct run_state {
	char *version, *boot_id;
	time_t time;	       /* of the last sample, by the clock on the wall */
	uint64_t monotonic_ns; /* of the last sample, by the clock of the samples */
	uint64_t boottime_ns;  /* 0: not known, as of a recording */
	time_t digest;	       /* when the last digest was printed; 0: never */
	struct run_state_counter *counters;
	size_t n_counters, room_counters;
	struct run_state_check *lights;
	size_t n_lights, room_lights;
};

/* Parses a whole file. Returns 0, or -EINVAL where anything in it is not as run_state_format writes
 * it; *out is then empty. The caller frees with run_state_free. */
int run_state_parse(struct run_state *out, const char *text, size_t len);
void run_state_format(struct str *out, const struct run_state *saved);
void run_state_free(struct run_state *saved);

/* Takes copies. What is more than RUN_STATE_MAX_COUNTERS is not kept. */
void run_state_add_counter(struct run_state *saved, const char *source, const char *key,
	const char *instance, double value);
/* The light of a check, made without an announcement where there is none yet. */
struct run_state_check *run_state_check(struct run_state *saved, const char *check);

/* Reads and replaces the file of a consumer: see statefile.h for dir and errors. run_state_load
 * returns -EINVAL also where the file is damaged. */
int run_state_load(struct run_state *out, const char *dir, const char *consumer);
int run_state_store(const struct run_state *saved, const char *dir, const char *consumer);

#endif
