/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it read right what was recorded of those who watch: BPF programs, tracers, probes and events?
 */
#include "base/banned.h"

#include "probe.h"
#include "sample/sink.h"
#include "sources/kernel/ftrace.h"
#include "sources/task/bpf_cost.h"
#include "sources/task/traced.h"
#include "tap.h"

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static void test_programs(void)
{
	struct bytes text = bytes_of("slice 250000000\n"
				     "program 41 watch others 50 75000 812 sys_enter falco\n"
				     "program x watch others 50 75000 812 sys_enter falco\n"
				     "program 42 watch others\n"
				     "program 43 serve ours 7 9 0 - a name of five words\n"
				     "program 44 watch others 1 2 3 cut");
	struct bpf_program_cost program;
	uint64_t slice = 0;

	ok(bpf_cost_slice(&text, &slice) && slice == 250000000, "the slice has a length");
	ok(bpf_cost_next(&text, &program) && program.id == 41 && program.watches && !program.ours &&
			program.runs == 50 && program.ns == 75000 && program.pid == 812 &&
			!strcmp(program.name, "sys_enter") && !strcmp(program.owner, "falco"),
		"a program has a cost and an owner");
	ok(bpf_cost_next(&text, &program) && program.id == 43 && !program.watches && program.ours &&
			!strcmp(program.owner, "a name of five words"),
		"what is no line of a program is left out, and names may have blanks");
	ok(!bpf_cost_next(&text, &program), "a line that is cut is none");
	text = bytes_of("program 41 watch others 50 75000 812 sys_enter falco\n");
	ok(!bpf_cost_slice(&text, &slice), "without a length there is nothing");
}

/* What ran in one part, or in two, ran for a moment: only what ran in most parts goes on. */
static void test_parts(void)
{
	uint64_t burst[] = {0, 0, 30000000, 0, 12000000};
	uint64_t steady[] = {400, 90000, 500, 300, 600};
	uint64_t one[] = {7};

	ok(bpf_cost_of_parts(burst, 5) == 0, "what runs in two parts of five costs nothing");
	ok(bpf_cost_of_parts(steady, 5) == 2500, "what goes on costs its median part in each");
	ok(bpf_cost_of_parts(one, 1) == 7, "one part stands for itself");
}

/* Where the kernel does not say who holds a program, nobody who began with us or later is accused.
 */
static void test_guess(void)
{
	ok(!bpf_cost_may_be_ours(99, 100), "what was there before us is not ours");
	ok(bpf_cost_may_be_ours(100, 100) && bpf_cost_may_be_ours(101, 100),
		"what was loaded since may be");
	ok(bpf_cost_may_be_ours(1, 0), "without knowing when we began anything may be");
}

static void test_traced(void)
{
	static const char text[] = "tracer 5 100 strace\n"
				   "traced 7 40 5 1 two words\n"
				   "traced 8 3 5 1 b\n"
				   "traced 7 2 5 0 worker\n"
				   "tracer 5 11 strace\n"
				   "traced 9 x\n";

	ok(probe_value(parse_traced, text, "7.switches") == 42,
		"threads of a process are added up, though they stand between those of others");
	ok(probe_value(parse_traced, text, "7.held") == 0, "one that goes on holds nobody back");
	ok(probe_value(parse_traced, text, "8.held") == 1, "all of a process are stopped");
	ok(probe_value(parse_traced, text, "8.tracer_switches") == 111,
		"threads of a tracer are added up");
	ok(isnan(probe_value(parse_traced, text, "9.switches")), "a line that is no such is none");
	ok(probe_value(parse_traced, "", "none.switches") == 0, "nobody is a number too");
	ok(parse_status_tracer(bytes_of("Name:\tx\nTracerPid:\t812\nUid:\t0\n")) == 812,
		"the status says who traces");
	ok(parse_status_tracer(bytes_of("Name:\tTracerPid: 7\nTracerPid:\t0\n")) == 0,
		"a name is no tracer");
}

static void hits(struct bytes text, struct sink *sink)
{
	parse_probe_profile(text, sink, "hits");
}

static void test_ftrace(void)
{
	ok(probe_value(hits, "  /usr/bin/my 7 p_request      501\n", "p_request.hits") == 501,
		"a uprobe has hits, whatever the file is called");
	ok(probe_value(hits, "  p_vfs_read_0      501       3\n", "p_vfs_read_0.hits") == 501,
		"a kprobe has hits, not misses");
	ok(isnan(probe_value(hits, "  p_vfs_read_0\n", "p_vfs_read_0.hits")), "or none");
	ok(parse_buffer_stats(bytes_of("entries: 100\noverrun: 20\ncommit overrun: 7\nbytes: 9\n"
				       "dropped events: 3\nread events: 5\n")) == 125,
		"what was written is there, written over, or read");
}

int main(void)
{
	test_programs();
	test_parts();
	test_guess();
	test_traced();
	test_ftrace();
	return tap_done();
}
