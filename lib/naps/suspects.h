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

/* Asks what the suspects have open of the sleeper, for those who run now. Reads their descriptors,
 * at most 256 each, and nothing of the sleeper. */
void nap_suspects_ask(struct nap_event *event);

/* Whether a file of /proc makes its process wait for whoever reads or writes it: "smaps" of
 * "/proc/12/smaps", or NULL. The number is not asked: in a container it is another one. */
const char *nap_file_that_locks(const char *target);

#endif
