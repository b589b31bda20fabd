/* SPDX-License-Identifier: GPL-2.0-only */
/* Who ran while a process napped? Told from everybody's CPU clocks before and at the end. */
#ifndef TUESDAY_NAPS_SUSPECTS_H
#define TUESDAY_NAPS_SUSPECTS_H

#include "naps/event.h"
#include "naps/processes.h"

/* What the clocks showed when the pause began. */
struct nap_baseline {
	struct nap_clock {
		pid_t pid;
		uint64_t time_ns, cpu_ns;
	} * list;
	size_t n, room;
	uint64_t taken_ns;
};

void nap_baseline_take(
	struct nap_baseline *baseline, const struct nap_processes *processes, uint64_t now_ns);
void nap_baseline_free(struct nap_baseline *baseline);

/*
 * Brings the suspects of an event up to now: whoever ran for a tenth of it at least, those who ran
 * longest. A clock that was last read before the nap counts from the nap's begin on, with what it
 * has shown since, at most the length of the nap: who was quiet before cannot have used it earlier.
 */
void nap_suspects_find(struct nap_event *event, const struct nap_baseline *baseline,
	struct nap_processes *processes, uint64_t now_ns);

/* Adds the children that the sleeper has forked since shortly before the nap began. */
void nap_suspects_children(struct nap_event *event, const struct nap_processes *processes);

/*
 * Asks those who ran since the baseline, 32 at most, who ran longest first, which files of the
 * sleeper they have open; who has one that takes its lock is a suspect however little it ran, and
 * stands first. Reads their descriptors, at most 256 each; of the sleeper its status.
 */
void nap_suspects_ask(struct nap_event *event, const struct nap_baseline *baseline,
	struct nap_processes *processes);

/* Whether a file of /proc makes its process wait for whoever reads or writes it: "smaps" of
 * "/proc/12/smaps", or NULL. *number is the process. */
const char *nap_file_that_locks(const char *target, pid_t *number);

/* Of status: whether a process has this number in any namespace that it is in. */
bool nap_status_has_number(const char *status, pid_t number);

#endif
