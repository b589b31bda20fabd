/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes of a command, as they begin, start programs and end: a span each. */
#ifndef TUESDAY_TOOLS_SPAN_PROCESSES_H
#define TUESDAY_TOOLS_SPAN_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/number_map.h"
#include "bpf/probe/waits.h"

struct process_event;
struct str;

/* Nothing is known before its first event; times are CLOCK_MONOTONIC. */
#define PROCESS_NO_PARENT SIZE_MAX

struct process {
	uint32_t pid;
	size_t parent; /* its place in the list, or SIZE_MAX: the command itself */
	char comm[16]; /* of its own program, or of the one that it was forked from */
	char *command; /* words with a blank between, made visible; NULL: it started none */
	char *name;    /* of the span: its program without folders */
	uint64_t start_ns, end_ns; /* end_ns is 0 while it lives */
	double cpu_s, user_s, system_s, rss_bytes;
	double part_s[WAITS_PARTS]; /* where the time of all its threads went; all 0: unknown */
	double lock_s; /* waiting for a lock on a file, by looks at the kernel's list */
	int status;    /* as of waitpid */
	bool known;    /* its end was told, with all numbers */
	bool gone;     /* it was seen to be no more: of its numbers only CPU time is known */
	uint64_t draft_at, drafted_ns; /* its line in the file while it lives, and when that was */
	size_t draft_len;	       /* written; 0: it has none */
};

struct processes {
	struct process *list;
	size_t n, room;
	struct number_map pids; /* a place in .latest */
	size_t *latest;		/* of each pid: its last process */
	size_t n_latest, latest_room;
	int fd;		  /* where spans go: see processes_file.h */
	uint64_t written; /* bytes of it */
	int failed;	  /* -errno of a write, or 0 */
	size_t *ended;	  /* places of those that are not written yet */
	size_t n_ended, ended_room;
	size_t *drafts; /* places of those that have one, and of some that had */
	size_t n_drafts, drafts_room;
	size_t young;	     /* the first place that may have come to be old enough for one */
	uint64_t drafted_ns; /* when all were written again */
	bool redact;	     /* no command lines */
	char trace[24];
	int64_t realtime_ns; /* what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
};

/* Spans go to fd, which is empty, can be written anywhere and stays the caller's. The first process
 * is the command. */
void processes_begin(struct processes *all, int fd, pid_t command, bool redact);
/* One event of bpf/probe/process.h; of another size it is passed over. */
void processes_take(struct processes *all, const void *event, size_t size);
/* Without events: it is no more, and had so much CPU time when it was last seen. */
void processes_gone(struct processes *all, struct process *process, double user_s, double system_s);
/* The one that lives and has this pid, or NULL. */
struct process *processes_living(struct processes *all, pid_t pid);
/* Those that still live are written as far as they came. Returns .failed. */
int processes_end(struct processes *all);
void processes_forget(struct processes *all);

#endif
