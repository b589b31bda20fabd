/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do requests wait behind other people's connections?
 *
 * Asks a server itself, by requests on connections that are kept and that are not. Opt-in: it is
 * load, so it is bounded, and goes to this machine only unless another one is named twice.
 */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "sys/caps.h"
#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "output/writer.h"
#include "tools/keepalive/conclusion.h"
#include "tools/keepalive/client.h"
#include "tools/keepalive/conn.h"
#include "tools/keepalive/ports.h"
#include "tools/keepalive/options.h"
#include "sys/atomic_file.h"
#include "tools/keepalive/text.h"
#include "tools/keepalive/json.h"
#include "tools/keepalive/timeline_svg.h"
#include "tools/keepalive/request.h"
#include "tools/keepalive/findserver.h"

/* Everything of a run. */
struct run {
	const char *program;
	struct keepalive_options asked;
	struct target target;
	struct request request;
	struct dialer dialer;
	struct comparison experiment;
	struct server server;
	struct conclusion answer;
	struct witness witness;
};

static void print_bounds(FILE *to, const struct run *run)
{
	const struct limits_of_run *limits = &run->asked.limits;

	fprintf(to, "at most %g requests, %g a second, %g connections at once, %g s, to %s (%s)\n",
		limits->most.requests, limits->most.requests_per_second, limits->most.connections,
		limits->most.seconds, run->target.text, run->asked.url.host);
}

static int show_dry_run(const struct run *run)
{
	char *request = mem_strdup(run->request.keep), *line, *rest = request;

	printf("Nothing was sent. A run would send ");
	print_bounds(stdout, run);
	printf("and other users of the server share it with them. Each request:\n\n");
	while ((line = strsep(&rest, "\n")) && *line) {
		struct str s = STR_INIT;

		line[strcspn(line, "\r")] = 0;
		escape_terminal(&s, line);
		printf("  %s\n", str_text(&s));
		str_free(&s);
	}
	printf("and, alternately, the same with \"Connection: close\".\n");
	free(request);
	return 0;
}

/* Another machine must be named twice: a mistyped name would be an attack. */
static bool is_allowed(const struct run *run)
{
	const char *host = run->asked.url.host;

	if (run->target.own || (run->asked.yes && !strcmp(run->asked.yes, host)))
		return true;
	fprintf(stderr,
		"%s: %s is another machine: if you may put load on it, confirm with "
		"--yes %s\n"
		"This would send ",
		run->program, run->target.text, host);
	print_bounds(stderr, run);
	return false;
}

/* Returns -1 to go on, or the exit status. */
static int keepalive_prepare(struct run *run, int argc, char **argv)
{
	struct str why = STR_INIT;
	int err = keepalive_options_read(&run->asked, argc, argv);

	if (err)
		return err > 0 ? 0 : EXIT_MISUSE;
	err = target_find(&run->target, &run->asked.url, run->asked.unix_path, &why);
	if (err)
		fprintf(stderr, "%s: %s: %s\n", run->program,
			run->asked.unix_path ? run->asked.unix_path : run->asked.url.host,
			str_text(&why));
	str_free(&why);
	if (err || keepalive_options_request(&run->asked, run->program, &run->request))
		return 3;
	if (run->asked.dry_run)
		return show_dry_run(run);
	return is_allowed(run) ? -1 : EXIT_MISUSE;
}

/* Returns 0 or -errno after a message. */
static int keepalive_experiment(struct run *run)
{
	struct comparison *x = &run->experiment;
	int err = dialer_open(&run->dialer, &run->target, !run->target.own && !run->asked.insecure);

	if (!err)
		err = client_new(&x->client, &run->dialer, &run->request);
	if (err) {
		fprintf(stderr, "%s: %s\n", run->program, strerror(-err));
		return err;
	}
	x->limits = &run->asked.limits;
	x->witness = &run->witness;
	x->fixed_connections = run->asked.connections;
	x->rate = run->asked.rate;
	x->rate_share = run->asked.rate_share;
	progress_catch_signals();
	run->answer.waiting_before = ports_waiting();
	comparison_run(x);
	run->answer.waiting_after = ports_waiting();
	client_free(x->client);
	return 0;
}

static int write_svg(const struct run *run)
{
	struct str svg = STR_INIT, why = STR_INIT;
	char *path;
	int err = 0;

	if (!run->asked.svg)
		return 0;
	picture_svg(&svg, &run->answer);
	if (!svg.len)
		str_add(&why, "not written: there is nothing to draw");
	else
		err = write_file_atomically(run->asked.svg, FILE_BY_UMASK, svg.text, svg.len, &why);
	path = escape_path(run->asked.svg);
	if (why.len)
		fprintf(stderr, "%s: %s: %s\n", run->program, path, str_text(&why));
	free(path);
	str_free(&why);
	str_free(&svg);
	return err;
}

static int keepalive_report(struct run *run)
{
	struct str out = STR_INIT;
	int status;

	run->answer.experiment = &run->experiment;
	run->answer.server = &run->server;
	run->answer.target = &run->target;
	run->answer.limits = &run->asked.limits;
	run->answer.witness = &run->witness;
	run->answer.tls_error = run->dialer.error;
	run->answer.tls_untrusted = run->dialer.untrusted;
	if (!run->server.pid)
		server_know(&run->server, NULL, run->experiment.server, "");
	conclusion_make(&run->answer);
	if (run->asked.json)
		conclusion_write_json(&out, &run->answer);
	else
		conclusion_write_text(&out, &run->answer, !run->asked.no_picture);
	fputs(str_text(&out), stdout);
	str_free(&out);
	status = verdict_exit_status(run->answer.verdict);
	return write_svg(run) && !status ? 3 : status;
}

static int keepalivediagnose(int argc, char **argv)
{
	struct run run = {.program = argv[0]};
	int status = keepalive_prepare(&run, argc, argv);

	if (status < 0) {
		server_find(&run.server, &run.target);
		witness_start(&run.witness, &run.target);
		/* From here on bytes of others come from the network, and no right is needed. */
		caps_drop(CAPS_ALL);
		status = keepalive_experiment(&run) ? 3 : keepalive_report(&run);
		witness_stop(&run.witness);
		str_free(&run.witness.missing);
	}
	conclusion_free(&run.answer);
	server_free(&run.server);
	comparison_free(&run.experiment);
	dialer_close(&run.dialer);
	request_free(&run.request);
	keepalive_options_free(&run.asked);
	return status;
}

PROGRAM(keepalivediagnose);
