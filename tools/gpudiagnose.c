/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * At which instructions does an Intel GPU wait, for what, and which programs launched them?
 *
 * Reads EU-stall records for about a second, or a recording of them. What speaks to a driver is
 * done in a child, since that may hang.
 */
#include "base/banned.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/atomic_file.h"
#include "sys/sandbox.h"
#include "sys/child.h"
#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "sys/place.h"
#include "sys/read_write.h"
#include "tools/gpu/conclusion.h"
#include "tools/gpu/options.h"
#include "tools/gpu/picture.h"
#include "tools/gpu/live.h"
#include "tools/gpu/zebins.h"
#include "sources/gpu/eustall_read.h"
#include "tools/gpu/folded.h"
#include "tools/gpu/text.h"
#include "tools/gpu/json.h"

enum { SLACK_MS = 20000 }; /* for symbols and output, beyond the windows */

/* Everything of a run. */
struct run {
	const char *program;
	struct gpu_options asked;
	struct xe_device device;
	struct gpu_profile profile;
	struct eustallfile_header header;
	bool cut;	/* the recording was */
	double elapsed; /* seconds, by ticks */
};

static int gpudiagnose_draw(struct run *run, const struct gpu_conclusion *answer)
{
	struct str words = STR_INIT;
	int err;

	gpu_conclusion_write_text(&words, answer, &run->profile, &run->header);
	err = gpu_picture_write(&run->asked, run->program, &run->profile, str_text(&words));
	str_free(&words);
	return err;
}

/* Appends the answer. Returns the exit status. */
static int gpudiagnose_conclude(struct run *run, struct str *out)
{
	struct zebins_kept zebins;
	struct gpu_limits limits;
	struct gpu_conclusion answer;
	int status;

	gpu_limits_default(&limits);
	profile_settle(&run->profile);
	zebins_attach(&zebins, &run->asked, &run->profile.kernels);
	gpu_conclusion_make(&answer, &run->profile, &limits, run->asked.top, run->cut);
	if (run->asked.format == GPU_JSON)
		gpu_conclusion_write_json(out, &answer, &run->profile, &run->header);
	else if (run->asked.format == GPU_FOLDED)
		gpu_conclusion_write_folded(out, &run->profile);
	else
		gpu_conclusion_write_text(out, &answer, &run->profile, &run->header);
	status = verdict_exit_status(answer.verdict);
	if (run->asked.svg && gpudiagnose_draw(run, &answer))
		status = 3;
	zebins_release(&zebins);
	gpu_conclusion_free(&answer);
	return status;
}

static int replay_from(struct run *run, FILE *from)
{
	const struct eustallfile_reader reader = profile_reader(&run->profile);
	int err = eustallfile_read_header(from, &run->header);

	if (err)
		return err;
	profile_init(&run->profile, run->header.layout);
	err = eustallfile_replay(from, &reader, &run->cut);
	return err ? err : zebins_tell(&run->asked, &reader);
}

static const char *explain_file(int err)
{
	switch (-err) {
	case ENOEXEC:
		return "not a recording of gpudiagnose";
	case EPROTO:
		return "a recording of a later gpudiagnose";
	case EBADMSG:
		return "a damaged recording";
	default:
		return strerror(-err);
	}
}

static int replay(struct run *run, struct str *out)
{
	FILE *from = fopen(run->asked.replay, "re");
	int err = from ? replay_from(run, from) : -errno, status = 3;

	if (from)
		fclose(from);
	if (err) {
		char *path = escape_path(run->asked.replay);

		fprintf(stderr, "%s: %s: %s\n", run->program, path, explain_file(err));
		free(path);
	} else {
		status = gpudiagnose_conclude(run, out);
	}
	profile_free(&run->profile);
	return status;
}

/* The child: it writes the answer and returns the exit status. */
static int gpudiagnose_work(void *arg, int fd)
{
	struct run *run = arg;
	struct str out = STR_INIT;
	int status = 3;

	progress_catch_signals();
	if (!live_sample(&run->asked, run->program, &run->device, &run->profile, &run->header)) {
		status = gpudiagnose_conclude(run, &out);
		write_all(fd, out.text, out.len);
	}
	str_free(&out);
	profile_free(&run->profile);
	return status;
}

static double seconds_of(const struct xe_plan *plan)
{
	return plan->windows * (plan->window_ms + plan->gap_ms) * 1e-3;
}

/* About five times a second. */
static bool gpudiagnose_tick(void *arg)
{
	struct run *run = arg;
	const double whole = seconds_of(&run->asked.plan);

	run->elapsed += 0.2;
	if (whole > 2 && run->elapsed < whole)
		progress_show("sampling the GPU", run->elapsed / whole);
	return !progress_interrupted();
}

/* A child that was killed leaves what it had begun to write. */
static void remove_unfinished(const struct run *run, pid_t child)
{
	struct str why = STR_INIT;
	const char *name;
	char *unfinished;
	int dir;

	if (!run->asked.record)
		return;
	dir = place_open_parent(run->asked.record, &name, &why);
	unfinished = atomic_file_temporary(name, child);
	if (dir >= 0) {
		unlinkat(dir, unfinished, 0);
		close(dir);
	}
	free(unfinished);
	str_free(&why);
}

static int gpudiagnose_watch(struct run *run, struct str *out)
{
	struct child child;
	int status = 0, err;

	progress_catch_signals();
	err = child_start(&child, gpudiagnose_work, run);
	if (!err)
		err = child_collect(&child, (int)(seconds_of(&run->asked.plan) * 1000) + SLACK_MS,
			gpudiagnose_tick, run, out, &status);
	progress_end();
	if (!err || (err == -EPIPE && WIFEXITED(status)))
		return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
	remove_unfinished(run, child.pid);
	fprintf(stderr, "%s: %s: %s\n", run->program, run->device.name,
		err == -ETIMEDOUT ? "it, or its driver, hangs" : strerror(-err));
	return 3;
}

/* Files of others are read without any right to do harm: a child that says what is wrong. */
static int check_zebins(void *arg, int fd)
{
	const struct run *run = arg;

	(void)fd;
	if (sandbox_enter(0))
		return 3;
	return zebins_check(&run->asked, run->program) ? EXIT_MISUSE : 0;
}

static bool has_wrong_zebin(struct run *run)
{
	struct str nothing = STR_INIT;
	struct child child;
	int err = run->asked.n_zebins ? child_start(&child, check_zebins, run) : 0;

	if (!err && run->asked.n_zebins)
		err = child_collect(&child, SLACK_MS, NULL, NULL, &nothing, NULL);
	str_free(&nothing);
	return err != 0;
}

/* Returns -1 to go on, or the exit status. */
static int gpudiagnose_prepare(struct run *run, int argc, char **argv)
{
	int err = gpu_options_read(&run->asked, argc, argv);

	if (err)
		return err > 0 ? 0 : EXIT_MISUSE;
	if (has_wrong_zebin(run))
		return EXIT_MISUSE;
	return run->asked.replay ? -1 : live_find(&run->asked, run->program, &run->device);
}

static int gpudiagnose(int argc, char **argv)
{
	struct run run = {.program = argv[0]};
	struct str out = STR_INIT;
	int status = gpudiagnose_prepare(&run, argc, argv);

	if (status < 0 && run.asked.replay) {
		/* From here on bytes of others are read. */
		status = sandbox_enter(0) ? 3 : replay(&run, &out);
	} else if (status < 0) {
		status = gpudiagnose_watch(&run, &out);
	}
	fputs(str_text(&out), stdout);
	str_free(&out);
	gpu_options_free(&run.asked);
	return status;
}

PROGRAM(gpudiagnose);
