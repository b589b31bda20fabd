/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep as it is inside: what it keeps, and how a source hands it over. */
#ifndef TUESDAY_SAMPLE_INTERNAL_H
#define TUESDAY_SAMPLE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/machine_clocks.h"
#include "sample/source.h"
#include "sample/sweep.h"

/* The values of a reference in one sample, by instance number: row_values() has them. Nearly every
 * reference is of one value, which needs no memory of its own. */
struct row {
	union {
		double one;   /* where room is 0 */
		double *list; /* of that room */
	};
	uint32_t n, room;
};

struct reference {
	size_t used;	   /* index of the source in sweep->used */
	char *key;	   /* as written behind the colon */
	const char *field; /* the part of key that the source knows; with instance for exact ones */
	size_t field_len;
	bool star;
	bool seen;
	char *unread;	    /* what the source said of this field alone, or NULL */
	bool is_there;	    /* what it is about is here, though it gave no number */
	bool in_part;	    /* unread says why what was seen is not all */
	struct row earlier; /* of the run before */
	int next;	    /* the next reference in the same hash slot, or -1 */
};

/* Instances of a source by the group that they are in. */
struct grouping {
	char *kind; /* "node" */
	struct instances *groups;
	long *of; /* by instance number; -1: in none */
	size_t n, room;
};

/* A source that at least one reference names. */
struct used {
	const struct source *source;
	void *state;
	struct instances *instances;
	char *missing; /* what the source said it could not read */
	char *absent;  /* what it said is not here */
	int error;
	bool gave;	     /* any number, asked for or not */
	size_t samples_none; /* samples in which it said that there is none of the kind */
	bool any_exact;
	bool wanted_beside;
	struct grouping *groupings;
	size_t n_groupings, room_groupings;
	int slots[64]; /* hash of fields to references, -1 ends */
};

struct sweep {
	struct capture *fs;
	struct used *used;
	size_t n_used, room_used;
	struct reference *references;
	size_t n_references, room_references;
	struct row **rows; /* a list for each sample, with a row for each reference */
	size_t n_rows, room_rows;
	uint64_t *times_ns;
	size_t n_samples, room_samples;
	bool have_beside;	       /* one more than n_samples was taken */
	struct machine_clocks *clocks; /* one a sample too */
	size_t n_clocks, room_clocks;
	bool have_earlier;
	uint64_t earlier_ns;
	double page_bytes;
	bool open;
};

struct sink {
	struct sweep *sweep; /* NULL: everything is wanted, and listed takes it */
	struct used *used;
	const char *also; /* the instance that a value without one is of too, or NULL */
	sweep_listed *listed;
	void *arg;
};

/* Asks the source in which groups its instances are that have a value in the present sample. */
void used_find_groups(struct sweep *sweep, struct used *used);
void used_free_groups(struct used *used);

/* The slot of a field among those of a source. */
unsigned int reference_slot(const char *field, size_t len);
/* Sets the value of an instance; those below it that have none are NAN. */
void row_store(struct row *row, size_t instance, double value);

/* row->n of them. */
static inline const double *row_values(const struct row *row)
{
	return row->room ? row->list : &row->one;
}

/* A row of the present sample. */
static inline struct row *row_now(const struct sweep *sweep, const struct reference *reference)
{
	return &sweep->rows[sweep->n_rows - 1][reference - sweep->references];
}

#endif
