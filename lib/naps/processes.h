/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes of this machine and how much CPU each has used, looked at as often as they deserve:
 * the busy ones and the suspects at every look, the others in turn.
 */
#ifndef TUESDAY_NAPS_PROCESSES_H
#define TUESDAY_NAPS_PROCESSES_H

#include "base/number_map.h"
#include "naps/finder.h"
#include "naps/proc_file.h"

#define NAP_PROCESSES_MAX 32768

struct nap_watched; /* watch.h */

struct nap_process {
	pid_t pid, parent;
	uint64_t start_ticks;
	char comm[PROC_COMM]; /* hostile */
	bool kernel, gone;
	bool quick; /* looked at every time */
	bool asked; /* by name or number */
	bool suspect;
	uint64_t time_ns, cpu_ns;	 /* of the last look */
	uint64_t first_ns, first_cpu_ns; /* of the first one, or its start where that came later */
	uint64_t second_cpu_ns;		 /* a second ago */
	struct nap_watched *watched;	 /* what is known of its naps, or NULL */
};

struct nap_processes {
	struct nap_process *list;
	size_t n, room;
	struct number_map by_pid;
	size_t next; /* whose turn it is */
	uint64_t listed_ns;
	pid_t self;
};

void nap_processes_open(struct nap_processes *processes);
void nap_processes_close(struct nap_processes *processes);

/* Finds those that came, and forgets those that are gone. Places in the list change. Returns 0 or
 * -errno. */
int nap_processes_list(struct nap_processes *processes, uint64_t now_ns);

/* Reads its name anew: it may have become another program. */
void nap_process_name(struct nap_process *process);

/* Reads one clock, or all of them; gone is set where there is none any more. */
void nap_process_look(struct nap_process *process, uint64_t now_ns);
void nap_processes_look(struct nap_processes *processes, uint64_t now_ns);

/* Reads the clocks of the quick ones, and of so many others, those whose turn it is. */
void nap_processes_turn(struct nap_processes *processes, size_t others);

/* NULL where there is no such process. */
struct nap_process *nap_processes_find(struct nap_processes *processes, pid_t pid);

#endif
