/* SPDX-License-Identifier: GPL-2.0-only */
/* Does each thing that can be wrong with a stack get its class, from what perf script prints and
 * from folded stacks? */
#include "base/banned.h"

#include "base/str.h"
#include "stacks/stack_tally.h"
#include "stacks/stack_text.h"
#include "tap.h"

#define HEAD "app  123/124 [001]  12.5:   10101010 cpu-clock:pppH: \n"
#define KERNEL "\tffffffff81000100 do_syscall_64+0x12 ([kernel.kallsyms])\n"
#define BURN "\t          4011a0 burn+0x10 (/srv/app)\n"
#define MAIN "\t          4011f0 main+0x20 (/srv/app)\n"
#define CALLS_MAIN \
	"\t    7f0000027249 __libc_start_call_main+0x79 (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"

static struct stack_process one; /* the only process of a text */

static void read_text(const char *text)
{
	struct stack_tally tally = {.limit = 127};

	stack_text_read(&tally, text, strlen(text));
	one = (struct stack_process){.pid = -1};
	if (tally.n == 1) {
		one = tally.list[0];
		one.depths = NULL;
	}
	stack_tally_free(&tally);
}

static bool is_state(enum stack_state state)
{
	return one.samples == 1 && one.states[state] == 1;
}

/* A stack that is deep, with a root or without. */
static void read_deep(size_t frames, const char *root)
{
	struct str text = STR_INIT;

	str_add(&text, HEAD);
	for (size_t i = 0; i < frames; i++)
		str_add(&text, BURN);
	str_add(&text, root);
	read_text(str_text(&text));
	str_free(&text);
}

static void check_states(void)
{
	read_text(HEAD BURN MAIN CALLS_MAIN "\n");
	ok(is_state(STACK_WHOLE) && one.pid == 123 && str_same(one.comm, "app"),
		"a stack that goes back to _start is whole");
	read_text(HEAD KERNEL BURN "\t 7f0000002000 start_thread+0x2 (/usr/lib/libc.so.6)\n");
	ok(is_state(STACK_WHOLE), "so is a thread's");
	read_text(HEAD BURN MAIN CALLS_MAIN "\t               1 [unknown] ([unknown])\n"
					    "\t               0 [unknown] ([unknown])\n");
	ok(is_state(STACK_WHOLE), "and that of a static program, with garbage behind its end");
	read_text(HEAD BURN);
	ok(is_state(STACK_BROKEN) && one.n_places == 1 && str_same(one.places[0].file, "app"),
		"a program without frame pointers breaks its own");
	read_text(HEAD BURN
		"\t    7f0000040000 msort_with_tmp+0x79 (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
		"\t              12 [unknown] ([unknown])\n");
	ok(is_state(STACK_BROKEN) && str_same(one.places[0].file, "libc.so.6"),
		"a library without them breaks it as well, and is named");
	read_deep(127, "");
	ok(is_state(STACK_TRUNCATED), "a stack of 127 frames without a root was cut");
	read_deep(126, "");
	ok(is_state(STACK_BROKEN), "one of 126 was not");
	read_deep(126, CALLS_MAIN);
	ok(is_state(STACK_WHOLE), "nor one of 127 with its root");
	read_deep(204, CALLS_MAIN);
	ok(is_state(STACK_WHOLE), "nor one of 205, which perf was told to keep");
	read_text(HEAD "\n");
	ok(is_state(STACK_EMPTY), "a sample without frames is empty");
	read_text("kworker/0:1  12 [001]  12.5:   10101010 cpu-clock:pppH: \n" KERNEL "\n");
	ok(one.pid == -1, "what is in the kernel alone is no program's");
	read_text("swapper  0 [001]  12.5:   10101010 cpu-clock:pppH: \n" BURN "\n");
	ok(one.pid == -1, "nor is an idle CPU");
}

static void check_names(void)
{
	read_text(HEAD "\t 4011a0 [unknown] (/srv/app)\n" MAIN CALLS_MAIN);
	ok(is_state(STACK_WHOLE) && one.unnamed[STACK_UNNAMED_STRIPPED] == 1, "a stripped program");
	read_text(HEAD "\t 4011a0 [unknown] (/srv/app (deleted))\n" CALLS_MAIN);
	ok(one.unnamed[STACK_UNNAMED_DELETED] == 1, "one that was deleted");
	read_text(HEAD "\t 4011a0 burn+0x12 (/srv/app (deleted))\n" CALLS_MAIN);
	ok(one.unnamed[STACK_UNNAMED_DELETED] == 1, "whatever name perf had for it");
	read_text("node  9 [001]  12.5:   1 cpu-clock:pppH: \n"
		  "\t 7f00a000 [unknown] (/tmp/perf-9.map)\n" CALLS_MAIN);
	ok(one.unnamed[STACK_UNNAMED_NO_MAP] == 1, "node without a map");
	read_text("node  9 [001]  12.5:   1 cpu-clock:pppH: \n"
		  "\t 7f00a000 JS:*f /srv/n.js:1:11+0x20 (/tmp/perf-9.map)\n" CALLS_MAIN);
	ok(is_state(STACK_WHOLE) && !one.unnamed[STACK_UNNAMED_NO_MAP] && !one.frames_unnamed,
		"node with its map");
	read_text("python3  9 [001]  12.5:   1 cpu-clock:pppH: \n"
		  "\t 7f00a000 [unknown] (/usr/bin/python3.11)\n"
		  "\t 1 [unknown] ([unknown])\n\t 2 [unknown] ([unknown])\n");
	ok(is_state(STACK_BROKEN) && one.frames == 3 && one.frames_unnamed == 3,
		"Python without frame pointers");
	read_text(HEAD "\t 4011a0 [unknown] ([unknown])\n" CALLS_MAIN);
	ok(one.unnamed[STACK_UNNAMED_OTHER] == 1, "an address of no code");
	read_text("a (b) 3 c  12/13 [001] 1.5: cpu-clock: \n"
		  "\t 40 std::map<int (*)(int)>::f(int) const+0x2 (/srv/a b)\n"
		  "\t 41 inlined_one (inlined)\n\t 42 _start+0x21 (/srv/a b)\n");
	ok(is_state(STACK_WHOLE) && one.frames == 2, "what was inlined is no frame");
}

static void check_forms(void)
{
	struct stack_tally tally = {.limit = 127};
	static const char padded[] =
		HEAD BURN "\n"
			  "              dd    99 [000]  12.5:   1 cpu-clock:pppH: \n" BURN "\n";

	stack_text_read(&tally, padded, strlen(padded));
	ok(tally.n == 2 && tally.list[1].pid == 99 && str_same(tally.list[1].comm, "dd"),
		"a name that looks like an address is a name");
	stack_tally_free(&tally);
	read_text("app-12/13;_start;main;burn 7\napp-12/14;start_thread;burn;read_[k] 3\n");
	ok(one.pid == 12 && one.samples == 10 && one.states[STACK_WHOLE] == 10,
		"folded stacks count as often as they say");
	read_text("app;main;[libc.so.6];burn 7\n");
	ok(str_same(one.comm, "app") && one.states[STACK_BROKEN] == 7 && !one.pid,
		"those without a root are broken");
	read_text("app;_start;main;[unknown] libx.so 5\n");
	ok(one.unnamed[STACK_UNNAMED_STRIPPED] == 5, "a leaf without a name");
	read_text("node;_start;main;[perf-12.map] 5\n");
	ok(one.unnamed[STACK_UNNAMED_NO_MAP] == 5, "and one of code without a map");
	tally = (struct stack_tally){.limit = 127};
	stack_text_read(&tally, "nonsense\nmore of it\n", 20);
	ok(!tally.n && tally.unread == 2, "text of something else has no stacks");
	stack_tally_free(&tally);
}

int main(void)
{
	check_states();
	check_names();
	check_forms();
	ok(stack_limit_for(127) == 128 && stack_limit_for(205) == 256 &&
			stack_limit_for(256) == 256 && stack_limit_for(257) == 512,
		"the limit that is wanted is a power of two");
	return tap_done();
}
