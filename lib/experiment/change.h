/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A change of the machine that leaves no mark: one knob, turned and put back, many times, and put
 * back for good however this process ends.
 *
 * Three processes. The tool, which has given up its capabilities, decides. The keeper turns the
 * knob: it was forked before capabilities were given up, in a session of its own, and only does
 * what the tool, its parent, tells it over a socket. The watchdog watches the keeper. If the tool
 * ends in whatever way, or the watchdog does, or the deadline on CLOCK_BOOTTIME passes, then the
 * keeper puts the knob back; if the keeper ends, the watchdog does. Before anything is changed
 * there is an entry in the undo log (undo_log.h); if all three are killed, `tuesday undo` acts by
 * it, and every command of root says that there is need for it.
 *
 * The keeper is only there if this is root and the command line asks for it: see change_early. One
 * experiment at a time on a machine: change_begin takes a lock.
 *
 * Someone else's value is never overwritten: before each step the present value must be the one
 * that the last step left there.
 *
 * Errors that every call after change_begin may return, each with a phrase in why; the experiment
 * is over then, and only change_end makes sense:
 *   -ESTALE     somebody else changed the knob: theirs stays
 *   -ETIME      the deadline has passed, and the knob was put back
 *   -EOWNERDEAD keeper or watchdog was killed; the other put the knob back, or what change_end says
 *   -ECANCELED  the knob did not take the new value, or a command failed or took too long; the old
 *               value is in place again
 *   -ENOTRECOVERABLE  the knob did not take its old value, or it is not known whether it did: the
 *               undo log keeps its entry for `tuesday undo`. To be told, with an exit status that
 * is not 0.
 */
#ifndef TUESDAY_EXPERIMENT_CHANGE_H
#define TUESDAY_EXPERIMENT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "experiment/undo_log.h"
#include "experiment/undo_log_file.h"

struct str;

/*
 * A file of the kernel: on proc, sysfs or a cgroup file system, and one that sys/knob_policy.h lets
 * be turned; any other is refused with -EINVAL, as is a path with "..", "//" or control characters,
 * and one that is not absolute. Its value is the text in it without trailing white space, at most
 * 4095 bytes; of a file that offers a choice, "[none] mq-deadline", it is the chosen word.
 */
struct change_file {
	const char *path;
	/* What is to be written, or NULL for a file that the change has a side effect on: it is
	 * saved and put back only (nr_requests follows the scheduler, dirty_ratio dirty_bytes). */
	const char *to;
	/* What is to be written to put it back, for a knob that has a word for "as it was": the -1
	 * of wbt_lat_usec. NULL: the old value. */
	const char *undo;
};

/* What is to be changed. All of it is the caller's, and may go after change_begin. */
struct change_plan {
	const char *check, *experiment; /* names as in check files: [A-Za-z0-9_.-], at most 64 */
	enum change_kind kind;
	const struct change_file *files; /* CHANGE_FILES */
	size_t n_files;
	/*
	 * CHANGE_COMMANDS, all three needed. Each is run by /bin/sh -c as root, with standard input
	 * from /dev/null, the environment PATH, LC_ALL=C and TUESDAY_SAVED, in "/", for at most
	 * COMMAND_SECONDS (knob_command.h); its output is at most 64 KiB. All must exit with 0.
	 * save changes nothing and prints what there is to save, the same as long as nothing is
	 * changed; restore finds what save printed, trailing newlines off, in $TUESDAY_SAVED, and
	 * never as a part of its own text. Whoever passes the lines has made sure that the check
	 * file is trusted (sys/file_trust.h).
	 */
	const char *save, *apply, *restore;
	/* CHANGE_HELD: a character device that sys/knob_policy.h lets be held, which takes a 32-bit
	 * number in native order, as /dev/cpu_dma_latency. Closing it puts it back, so it needs no
	 * undo log. */
	const char *device;
	int32_t number;
	/* The changed value would still be there after a reboot (ZFS properties, bcache modes): its
	 * undo log entry is kept where a reboot leaves it, and undone after one. */
	bool survives_reboot;
	double seconds; /* from change_begin on; then it is put back whatever the tool says */
};

struct change;

/*
 * What the files of a plan hold now, for a prompt or a dry run: needs no keeper and changes
 * nothing. *old gets an array of n_files texts; the caller frees each and the array. Returns 0 or
 * -errno with a phrase in why ("/sys/...: No such file or directory"), and then *old is NULL.
 */
int change_look(const struct change_plan *plan, char ***old, struct str *why);

/*
 * Saves the old values, takes the lock, starts the watchdog, writes undo log and lease. Nothing is
 * changed yet. Returns 0; or an error with a phrase in why, and then nothing is left to be done:
 * - -EPERM: there is no keeper, since we are not root or the command line asked for no experiment;
 * - -EBUSY: another experiment is under way (why says which), or an earlier one was cut off and is
 *   not undone yet ("run 'tuesday undo'");
 * - -EINVAL: the plan is refused;
 * - -ENOSPC and others: something could not be read or written.
 */
int change_begin(struct change **out, const struct change_plan *plan, struct str *why);

/* Turns the knob; and back. Applied twice, or reverted twice, is done once. Return 0 or the above.
 */
int change_apply(struct change *change, struct str *why);
int change_revert(struct change *change, struct str *why);

/* Whether all is as the last step left it: to be called every second or so. Commands are not run
 * for it. Returns 0 or the above. */
int change_verify(struct change *change, struct str *why);

/*
 * Puts the knob back for good, reads back whether it is, removes undo log entry and lease, and
 * frees change. Returns 0 when the old value is in place, also where it was put back earlier by
 * keeper or watchdog; -ESTALE where somebody else's value was left; -ENOTRECOVERABLE. why is a
 * phrase for the user in every case but 0.
 */
int change_end(struct change *change, struct str *why);

/*
 * Of file i: the old value, and what the kernel made of the new one, which may be rounded or in
 * another unit; NULL before the first change_apply. For commands there is one, i is 0: what save
 * printed. For CHANGE_HELD there is none. Valid until change_end.
 */
const char *change_old(const struct change *change, size_t i);
const char *change_ours(const struct change *change, size_t i);

/* Who has to be killed for a test: 0 where there is none. */
pid_t change_keeper(void);
pid_t change_watchdog(const struct change *change);

/*
 * Forks the keeper if this is root and the command line asks for experiments: --invasive or --yes
 * (whole, abbreviated, or with =VALUE) is one of its words, or the command is undo or nudge.
 * Registered as EARLY work; a program without main.c calls it itself, before it starts threads.
 */
void change_early(int argc, char **argv);

/*
 * Puts back what an entry that was left behind says, or, with forget, only removes the entry.
 * Returns 0 or -ESTALE, where nothing is left to be done; -ENOTRECOVERABLE; -ENOENT; -EBUSY while
 * an experiment is under way; -EPERM without rights. why gets what there is to say in each case,
 * harmless to print; it may be nothing for 0.
 */
int undo_entry(enum undo_log_place place, const char *id, bool forget, struct str *why);

/* The run directory: /run/tuesday, or TUESDAY_RUN_DIR of the environment unless the program got
 * rights by being executed (secure_getenv). Journal entries that survive a reboot are below
 * /var/lib/tuesday, or TUESDAY_STATE_DIR. */

#endif
