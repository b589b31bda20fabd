/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is anything left behind when tool, keeper and guard are killed at random moments?
 *
 *   moments SEED COUNT TUESDAY PATH VALUE...
 *
 * In a network namespace of its own, COUNT times: a tool turns one of the knobs to and fro; at a
 * random moment some of the three processes are killed, or the tool is told to end. When all that
 * came from it is gone, the knob must hold its old value and the journal must be empty; or, which
 * is only right where all three were killed, a command says so and `TUESDAY undo` mends it. Prints
 * TAP.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "experiment/change.h"
#include "experiment/undo_log.h"
#include "experiment/knob.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "tests/faults/fault.h"
#include "experiment/undo_log_file.h"

#define TURNS 16
#define COMMAND_TURNS 1
#define KNOBS 8
/* One in so many turns a knob by commands, which takes longer. */
#define COMMANDS_EVERY 23

/* Whom it hits, in bits. */
enum { TOOL = 1, KEEPER = 2, GUARD = 4, ALL = 7 };
static const char *const victims[] = {"", "the tool", "the keeper", "tool and keeper", "the guard",
	"tool and guard", "keeper and guard", "all three"};

struct knob {
	const char *path, *to;
	char *old, *save, *apply, *restore;
	double length, command_length; /* of a whole run, in seconds */
};

/* What the tool tells of itself, as soon as it is so. */
struct told {
	volatile pid_t keeper, guard;
};

static struct knob knobs[KNOBS];
static size_t n_knobs;
static struct told *told;
static const char *tuesday;
static struct {
	unsigned int moments, by_itself, said, mended, wrong;
} count[ALL + 1], signals;

static unsigned long long state;

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
static unsigned long long random_number(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717ull;
}

static double random_share(void)
{
	return (double)(random_number() >> 11) / 9007199254740992.0;
}

static int turn(struct change *change, int turns)
{
	struct str why = STR_INIT;
	int err = 0, i;

	for (i = 0; i < turns && !err; i++) {
		err = change_apply(change, &why);
		if (!err)
			err = change_revert(change, &why);
	}
	str_free(&why);
	return err;
}

static _Noreturn void be_tool(const struct knob *knob, bool by_commands)
{
	const struct change_file file = {.path = knob->path, .to = knob->to};
	struct change_plan plan = {.check = "test",
		.experiment = "moments",
		.kind = by_commands ? CHANGE_COMMANDS : CHANGE_FILES,
		.files = &file,
		.n_files = !by_commands,
		.save = by_commands ? knob->save : NULL,
		.apply = by_commands ? knob->apply : NULL,
		.restore = by_commands ? knob->restore : NULL,
		.seconds = 60};
	char name[] = "moments", asked[] = "--invasive", *early[] = {name, asked, NULL};
	struct change *change;
	struct str why = STR_INIT;

	change_early(2, early);
	told->keeper = change_keeper();
	if (change_begin(&change, &plan, &why))
		_exit(1);
	told->guard = change_watchdog(change);
	turn(change, by_commands ? COMMAND_TURNS : TURNS);
	_exit(change_end(change, &why) ? 1 : 0);
}

static pid_t start_tool(const struct knob *knob, bool by_commands)
{
	pid_t pid;

	*told = (struct told){0};
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		fault_die("fork");
	if (!pid)
		be_tool(knob, by_commands);
	return pid;
}

/* We are the one that orphans are left to, so this is the end of all that came from the tool. */
static void wait_for_all(void)
{
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static void strike_each(pid_t tool, int whom, int with)
{
	pid_t keeper = told->keeper, guard = told->guard;
	int first = (int)(random_number() % 3), i;

	for (i = 0; i < 3; i++) {
		int bit = 1 << (first + i) % 3;

		if ((whom & bit) == TOOL)
			kill(tool, with);
		if ((whom & bit) == KEEPER && keeper)
			kill(keeper, with);
		if ((whom & bit) == GUARD && guard)
			kill(guard, with);
	}
}

/* Half of the time one after the other, so that who is left can act, and else all at once. */
static void strike(pid_t tool, int whom)
{
	if (random_number() % 2)
		strike_each(tool, whom, SIGSTOP);
	strike_each(tool, whom, SIGKILL);
}

static int count_entry(void *arg, const char *id)
{
	(void)id;
	++*(int *)arg;
	return 0;
}

static int entries(void)
{
	int n = 0;

	undo_log_each(UNDO_LOG_RUN, count_entry, &n);
	return n;
}

static bool holds_old(const struct knob *knob)
{
	char *now;
	bool same = !knob_read(knob->path, &now) && !strcmp(now, knob->old);

	free(now);
	return same;
}

/* Runs a command of tuesday. Returns its exit status; *said: whether it speaks of undo. */
static int call(const char *word, bool *said)
{
	char buf[4096];
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		fault_die("pipe");
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		dup2(fds[1], 2);
		execl(tuesday, "tuesday", word, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	n = read(fds[0], buf, sizeof(buf) - 1);
	close(fds[0]);
	waitpid(pid, &status, 0);
	buf[n > 0 ? n : 0] = 0;
	*said = strstr(buf, "run 'tuesday undo'") != NULL;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What is there when all is over. Returns whether it is right. */
static bool look(const struct knob *knob, int whom, bool by_commands)
{
	bool was_old = holds_old(knob), said = false, unused;
	int left = entries();

	if (!left) {
		count[whom].by_itself += was_old;
		call("--help", &said);
		return was_old && !said && !experiment_locked();
	}
	call("--help", &said);
	count[whom].said += said;
	if (call("undo", &unused) || entries() || !holds_old(knob))
		return false;
	count[whom].mended++;
	return said && (whom == ALL || (by_commands && whom == (KEEPER | GUARD)));
}

static void moment(unsigned int number)
{
	const struct knob *knob = &knobs[random_number() % n_knobs];
	bool by_commands = number % COMMANDS_EVERY == 0;
	int whom = (int)(number % ALL) + 1;
	double after = random_share() * (by_commands ? knob->command_length : knob->length);
	pid_t tool = start_tool(knob, by_commands);

	fault_sleep_ns((long)(after * 1e9));
	strike(tool, whom);
	wait_for_all();
	count[whom].moments++;
	if (look(knob, whom, by_commands))
		return;
	count[whom].wrong++;
	printf("# moment %u: %s killed %.0f us after the start: %s is %s, %d entries\n", number,
		victims[whom], after * 1e6, knob->path, holds_old(knob) ? "as it was" : "CHANGED",
		entries());
	knob_write(knob->path, knob->old);
}

/* The tool ends as by Ctrl-C or a closed terminal; keeper and guard get the signal too. */
static void signalled(unsigned int number)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	const struct knob *knob = &knobs[random_number() % n_knobs];
	int with = numbers[number % 3];
	pid_t tool = start_tool(knob, false);

	fault_sleep_ns((long)(random_share() * knob->length * 1e9));
	/* Until it is deaf to them, the keeper would end by them too, with nothing to put back. */
	if (told->keeper)
		kill(told->keeper, with);
	if (told->guard)
		kill(told->guard, with);
	kill(tool, with);
	wait_for_all();
	signals.moments++;
	signals.wrong += !holds_old(knob) || entries() || experiment_locked();
	if (entries() || !holds_old(knob))
		knob_write(knob->path, knob->old);
}

static double length_of(const struct knob *knob, bool by_commands)
{
	double start = fault_clock_seconds();

	start_tool(knob, by_commands);
	wait_for_all();
	return fault_clock_seconds() - start;
}

static void add_knob(const char *path, const char *to)
{
	struct knob *knob = &knobs[n_knobs++];

	*knob = (struct knob){.path = path, .to = to};
	if (knob_read(path, &knob->old))
		fault_die(path);
	knob->save = mem_printf("cat %s", path);
	knob->apply = mem_printf("echo %s >%s", to, path);
	knob->restore = mem_printf("echo \"$TUESDAY_SAVED\" >%s", path);
	knob->length = length_of(knob, false);
	knob->command_length = length_of(knob, true);
	printf("# %s to %s and back: %.1f ms by %d writes, %.0f ms by commands\n", path, to,
		knob->length * 1e3, TURNS, knob->command_length * 1e3);
	if (!holds_old(knob))
		fault_die("a run that nobody disturbs");
}

static void report(void)
{
	unsigned int total = 0, said = 0, mended = 0;
	int whom;

	for (whom = 1; whom <= ALL; whom++) {
		total += count[whom].moments;
		said += count[whom].said;
		mended += count[whom].mended;
		printf("# %s killed: %u moments, put back by itself %u, by undo %u\n",
			victims[whom], count[whom].moments, count[whom].by_itself,
			count[whom].mended);
		printf("%sok %d - %s killed: nothing is left behind\n",
			count[whom].wrong ? "not " : "", whom, victims[whom]);
	}
	printf("# %u moments of SIGKILL; %u left an entry, all said and mended: %u, %u\n", total,
		mended, said, mended);
	printf("# %u moments of SIGINT, SIGTERM, SIGHUP\n", signals.moments);
	printf("%sok 8 - told to end: nothing is left behind\n1..8\n", signals.wrong ? "not " : "");
}

int main(int argc, char **argv)
{
	unsigned int i, n;
	int k;

	if (argc < 6 || argc > 4 + 2 * KNOBS || argc % 2) {
		fputs("usage: moments SEED COUNT TUESDAY PATH VALUE...\n", stderr);
		return FAULT_MISUSE;
	}
	fault_bound(FAULT_SECONDS_MAX);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (unshare(CLONE_NEWNET))
		fault_die("unshare");
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		fault_die("mmap");
	state = (unsigned long long)fault_number(argv[1], 1, LONG_MAX);
	n = (unsigned int)fault_number(argv[2], 1, 100000);
	tuesday = argv[3];
	printf("# seed %s\n", argv[1]);
	for (k = 4; k < argc; k += 2)
		add_knob(argv[k], argv[k + 1]);
	for (i = 0; i < n; i++)
		moment(i);
	for (i = 0; i < n / 10; i++)
		signalled(i);
	report();
	return 0;
}
