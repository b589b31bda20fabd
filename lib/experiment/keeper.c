/* SPDX-License-Identifier: GPL-2.0-only */
/* Who turns the knob, and sees to it that it is put back however the tool ends? */
#include "base/banned.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "experiment/keeper.h"
#include "experiment/knob.h"
#include "experiment/restore.h"
#include "sys/statedir.h"
#include "experiment/knob_change.h"
#include "experiment/lease.h"
#include "experiment/message.h"
#include "experiment/watchdog.h"
#include "experiment/undo_log_file.h"
#include "experiment/undo_log.h"

/* The watchdog leaves the deadline to the keeper for so long. */
#define WATCHDOG_LATER_NS 5000000000u

/* All that the keeper knows. */
struct keeper {
	int tool;	/* the socket */
	int tool_alive; /* the tool's pidfd, or -1 */
	struct undo_log_entry entry;
	struct knob_change knob;
	bool begun;  /* until END */
	bool active; /* until it was put back for good */
	int lock, alarm;
	struct watchdog watchdog;
	int reason;	  /* why it is not active any longer, as a change's error; 0 for END */
	int result;	  /* of putting it back */
	struct str notes; /* what is to be said about these */
};

static bool tool_is_gone(const struct keeper *keeper)
{
	char byte;

	if (is_readable(keeper->tool_alive))
		return true;
	return recv(keeper->tool, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* A command that is on its way is cut off when nobody wants it any more, or its time is over. */
static bool keep_on(void *arg)
{
	const struct keeper *keeper = arg;

	return !tool_is_gone(keeper) && !is_readable(keeper->alarm);
}

static void keeper_release(struct keeper *keeper)
{
	if (keeper->watchdog.pid)
		watchdog_dismiss(&keeper->watchdog);
	if (keeper->alarm >= 0)
		close(keeper->alarm);
	if (keeper->lock >= 0)
		close(keeper->lock);
	keeper->alarm = keeper->lock = -1;
	keeper->active = false;
}

/* Puts it back for good, for this reason. */
static void keeper_finish(struct keeper *keeper, int reason)
{
	if (keeper->knob.held >= 0)
		close(keeper->knob.held);
	keeper->knob.held = -1;
	keeper->result = restore_for_good(&keeper->entry, &keeper->notes);
	keeper->reason = keeper->result == -ENOTRECOVERABLE ? keeper->result : reason;
	keeper_release(keeper);
}

static int note_left_behind(void *arg, const char *id)
{
	knob_note(arg, "%s was cut off and is not put back yet: run 'tuesday undo'", id);
	return -EBUSY;
}

static int take_lock(struct keeper *keeper, struct str *why)
{
	char who[200];
	int err = 0, place;

	keeper->lock = experiment_lock();
	if (keeper->lock == -EBUSY)
		knob_note(why, "%s is under way; there is one experiment at a time",
			lease_active(who, sizeof(who), 0) ? who : "another experiment");
	else if (keeper->lock < 0)
		knob_note(why, "the lock of experiments: %s", strerror(-keeper->lock));
	if (keeper->lock < 0)
		return keeper->lock;
	for (place = 0; place < UNDO_LOG_PLACES && !err; place++) {
		err = undo_log_each((enum undo_log_place)place, note_left_behind, why);
		if (err && err != -EBUSY)
			knob_note(why, "the journal cannot be read: %s", strerror(-err));
	}
	return err;
}

/* The watchdog first: from the undo log's entry on there is always somebody to act by it. */
static int start_watch(struct keeper *keeper, struct str *why)
{
	struct undo_log_entry *entry = &keeper->entry;
	uint64_t until = boottime_ns() + (uint64_t)(entry->seconds * 1e9);
	int err;

	keeper->alarm = boottime_alarm(until);
	err = keeper->alarm < 0 ? keeper->alarm : 0;
	if (!err)
		err = watchdog_start(&keeper->watchdog, entry, until + WATCHDOG_LATER_NS);
	if (err) {
		keeper->watchdog.pid = 0;
		knob_note(why, "the guard cannot be started: %s", strerror(-err));
		return err;
	}
	err = entry->kind == CHANGE_HELD ? 0 : undo_log_write(entry);
	if (!err)
		err = lease_write(entry->check, entry->experiment, until);
	if (err)
		knob_note(why, "nothing is changed, since the journal cannot be written: %s",
			strerror(-err));
	return err;
}

static int keeper_begin(struct keeper *keeper, const struct str *text, struct str *why)
{
	struct undo_log_entry *entry = &keeper->entry;
	int err;

	if (keeper->begun)
		return -EBUSY;
	undo_log_entry_free(entry);
	str_clear(&keeper->notes);
	err = undo_log_parse(entry, str_text(text), text->len, why);
	if (err)
		return -EINVAL;
	entry->turned = false;
	entry->netns = undo_log_netns();
	err = take_lock(keeper, why);
	if (!err)
		err = knob_change_save(&keeper->knob, why);
	if (!err)
		err = start_watch(keeper, why);
	keeper->begun = keeper->active = !err;
	keeper->reason = keeper->result = 0;
	if (err) {
		/* The entry is not turned, so this only clears the undo log. */
		if (keeper->watchdog.pid)
			restore_for_good(entry, &keeper->notes);
		keeper_release(keeper);
	}
	return err;
}

static int keeper_step(struct keeper *keeper, int (*turn)(struct knob_change *, struct str *))
{
	int err;

	if (!keeper->begun)
		return -EINVAL;
	if (!keeper->active)
		return keeper->reason;
	err = turn(&keeper->knob, &keeper->notes);
	if (err)
		keeper_finish(keeper, err);
	return keeper->active ? 0 : keeper->reason;
}

static int verify(struct knob_change *knob, struct str *why)
{
	return knob_change_verify(knob, why);
}

static int keeper_end(struct keeper *keeper)
{
	if (!keeper->begun)
		return -EINVAL;
	if (keeper->active)
		keeper_finish(keeper, 0);
	keeper->begun = false;
	return keeper->result;
}

/* text is "PLACE ID". */
static int keeper_undo(const struct str *text, bool forget, struct str *why)
{
	const char *at = str_text(text);
	enum undo_log_place place = *at == '1' ? UNDO_LOG_STATE : UNDO_LOG_RUN;
	int lock, err;

	if (text->len < 3 || at[1] != ' ' || strchr(at, '/'))
		return -EINVAL;
	lock = experiment_lock();
	if (lock < 0) {
		knob_note(why, "an experiment is under way; it puts back what it has changed");
		return lock;
	}
	err = forget ? undo_log_remove(place, at + 2) : restore_entry(place, at + 2, why);
	lease_remove();
	close(lock);
	return err;
}

static void answer(struct keeper *keeper, const struct message *request)
{
	struct message reply = {0};

	switch (request->what) {
	case KEEPER_BEGIN:
		reply.what = keeper_begin(keeper, &request->text, &reply.text);
		break;
	case KEEPER_APPLY:
		reply.what = keeper_step(keeper, knob_change_apply);
		break;
	case KEEPER_REVERT:
		reply.what = keeper_step(keeper, knob_change_revert);
		break;
	case KEEPER_VERIFY:
		reply.what = keeper_step(keeper, verify);
		break;
	case KEEPER_END:
		reply.what = keeper_end(keeper);
		break;
	case KEEPER_UNDO:
	case KEEPER_FORGET:
		reply.what =
			keeper_undo(&request->text, request->what == KEEPER_FORGET, &reply.text);
		break;
	default:
		reply.what = -EINVAL;
	}
	if (!reply.text.len)
		str_add(&reply.text, str_text(&keeper->notes));
	if (keeper->begun)
		undo_log_format(&keeper->entry, &reply.entry);
	reply.watchdog = keeper->watchdog.pid;
	message_send(keeper->tool, &reply);
	message_free(&reply);
}

/* Waits for the next thing to do, the end of the tool before all. Returns false after that. */
static bool serve(struct keeper *keeper)
{
	struct pollfd pollers[] = {{.fd = keeper->tool_alive, .events = POLLIN},
		{.fd = keeper->active ? keeper->watchdog.fd : -1, .events = POLLIN},
		{.fd = keeper->alarm, .events = POLLIN}, {.fd = keeper->tool, .events = POLLIN}};
	struct message request = {0};

	if (poll(pollers, ARRAY_SIZE(pollers), -1) < 0) {
		pause_after_error();
		return true;
	}
	if (pollers[0].revents || tool_is_gone(keeper))
		return false;
	if (pollers[1].revents) {
		knob_note(&keeper->notes, "the guard was killed");
		keeper_finish(keeper, -EOWNERDEAD);
	} else if (pollers[2].revents) {
		knob_note(
			&keeper->notes, "the deadline of %.0f s has passed", keeper->entry.seconds);
		keeper_finish(keeper, -ETIME);
	} else if (pollers[3].revents) {
		if (message_receive(keeper->tool, &request, -1))
			return false;
		answer(keeper, &request);
		message_free(&request);
	}
	return true;
}

static _Noreturn void keeper_main(int tool, int tool_alive)
{
	struct keeper keeper = {.tool = tool, .tool_alive = tool_alive, .lock = -1, .alarm = -1};

	keeper.knob = (struct knob_change){
		.entry = &keeper.entry, .held = -1, .tick = keep_on, .arg = &keeper};
	keeper_detach("tuesday-keeper");
	while (serve(&keeper))
		;
	if (keeper.active)
		keeper_finish(&keeper, 0);
	_exit(0);
}

pid_t keeper_start(int *fd)
{
	int fds[2], tool_alive = own_pidfd();
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	pid = fork();
	if (!pid) {
		close(fds[0]);
		keeper_main(fds[1], tool_alive);
	}
	if (pid < 0)
		pid = -errno;
	close(fds[1]);
	if (tool_alive >= 0)
		close(tool_alive);
	if (pid < 0)
		close(fds[0]);
	else
		*fd = fds[0];
	return pid;
}
