/* SPDX-License-Identifier: GPL-2.0-only */
/* How does an experiment, which has no rights, have a knob turned, and what became of it? */
#include "base/banned.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "experiment/change.h"
#include "base/command.h"
#include "experiment/undo_log.h"
#include "experiment/keeper.h"
#include "experiment/knob.h"
#include "experiment/knob_change.h"
#include "experiment/restore.h"
#include "sys/statedir.h"
#include "experiment/message.h"
#include "experiment/undo_log_file.h"

/* Three commands and their clean-up, and more: a keeper that does not answer by then hangs. */
#define ANSWER_MS 180000
/* For the lock of a keeper that was killed, together 10 s. */
#define LOCK_TRIES 2000
#define LOCK_POLL_MS 5

struct change {
	struct undo_log_entry entry;
	pid_t watchdog;
	int over; /* the error that ended it where the keeper is gone, or 0 */
	int result;
	struct str notes;
};

static struct {
	int fd;
	pid_t pid;
} keeper = {-1, 0};

EARLY(change_early);

/* Whether a word is an option, in full, cut short, or with a value. */
static bool is_option(const char *word, const char *option)
{
	size_t len = strcspn(word, "=");

	return len > 2 && len <= strlen(option) && !strncmp(word, option, len);
}

void change_early(int argc, char **argv)
{
	bool wanted = argc > 1 && (!strcmp(argv[1], "undo") || !strcmp(argv[1], "nudge"));
	int i;

	for (i = 1; i < argc; i++)
		wanted |= is_option(argv[i], "--invasive") || is_option(argv[i], "--yes");
	if (!wanted || geteuid())
		return;
	keeper.pid = keeper_start(&keeper.fd);
	if (keeper.pid < 0)
		keeper.pid = 0;
}

pid_t change_keeper(void)
{
	return keeper.pid;
}

pid_t change_watchdog(const struct change *change)
{
	return change->watchdog;
}

const char *change_old(const struct change *change, size_t i)
{
	const struct undo_log_entry *entry = &change->entry;

	return i < entry->n_files ? entry->files[i].old : i ? NULL : entry->old;
}

const char *change_ours(const struct change *change, size_t i)
{
	const struct undo_log_entry *entry = &change->entry;

	return i < entry->n_files ? entry->files[i].ours : i ? NULL : entry->ours;
}

static char *change_copy_text(const char *text)
{
	return text ? mem_strdup(text) : NULL;
}

static void change_describe(const struct change_plan *plan, struct undo_log_entry *entry)
{
	size_t i;

	*entry = (struct undo_log_entry){
		.check = mem_strdup(plan->check),
		.experiment = mem_strdup(plan->experiment),
		.boot = undo_log_boot_id(),
		.kind = plan->kind,
		.survives = plan->survives_reboot,
		.seconds = plan->seconds,
		.save = change_copy_text(plan->save),
		.apply = change_copy_text(plan->apply),
		.restore = change_copy_text(plan->restore),
		.device = change_copy_text(plan->device),
		.number = plan->number,
	};
	entry->files = mem_zalloc((plan->n_files + 1) * sizeof(*entry->files));
	for (i = 0; i < plan->n_files; i++)
		entry->files[i] = (struct undo_log_file){.path = mem_strdup(plan->files[i].path),
			.to = change_copy_text(plan->files[i].to),
			.undo = change_copy_text(plan->files[i].undo)};
	entry->n_files = plan->n_files;
}

int change_look(const struct change_plan *plan, char ***old, struct str *why)
{
	size_t i, k;

	*old = mem_zalloc((plan->n_files + 1) * sizeof(**old));
	for (i = 0; i < plan->n_files; i++) {
		int err = knob_change_look(plan->files[i].path, &(*old)[i], why);

		if (!err)
			continue;
		for (k = 0; k < i; k++)
			free((*old)[k]);
		free(*old);
		*old = NULL;
		return err;
	}
	return 0;
}

/* One question to the keeper. Returns its answer in reply, or the error of asking. */
static int change_ask_keeper(enum keeper_request what, const char *text, struct message *reply)
{
	struct message request = {.what = (int32_t)what};
	int err;

	*reply = (struct message){0};
	if (keeper.fd < 0)
		return -EPERM;
	str_add(&request.text, text);
	err = message_send(keeper.fd, &request);
	if (!err)
		err = message_receive(keeper.fd, reply, ANSWER_MS);
	message_free(&request);
	return err;
}

/* If the watchdog was killed too, nobody but us is left, who have no capabilities: files of root
 * can be written without any, commands are left to 'tuesday undo'. */
static int restore_without_keeper(
	const struct undo_log_entry *entry, const char *id, struct str *notes)
{
	enum undo_log_place place = undo_log_place_of(entry);
	struct undo_log_entry there;
	struct str why = STR_INIT;
	int err;

	if (entry->kind == CHANGE_HELD)
		return 0;
	err = undo_log_read(&there, place, id, &why);
	if (!err && there.kind == CHANGE_COMMANDS && there.turned)
		err = -ENOTRECOVERABLE;
	else if (!err)
		err = restore_entry(place, id, notes);
	undo_log_entry_free(&there);
	str_free(&why);
	return err == -ENOENT ? 0 : err;
}

/* What is killed lets go of one thing after the other, and of the lock not first. */
static int lock_after_keeper(bool hangs)
{
	int tries = hangs ? 1 : LOCK_TRIES, lock = -EBUSY;

	while (tries-- && (lock = experiment_lock()) == -EBUSY)
		poll(NULL, 0, LOCK_POLL_MS);
	return lock;
}

/* The keeper is gone, and by now, since its socket is closed, all that came from it too. */
static void lose_keeper(struct change *change, int err)
{
	char *id = undo_log_id(&change->entry);
	int lock;

	close(keeper.fd);
	keeper.fd = -1;
	str_clear(&change->notes);
	knob_note(&change->notes, err == -ETIMEDOUT ? "the keeper hangs" : "the keeper was killed");
	lock = lock_after_keeper(err == -ETIMEDOUT);
	change->result = lock < 0 ? -ENOTRECOVERABLE
				  : restore_without_keeper(&change->entry, id, &change->notes);
	if (lock >= 0)
		close(lock);
	change->over = change->result == -ENOTRECOVERABLE ? change->result : -EOWNERDEAD;
	free(id);
}

/* The entry as the keeper has it. */
static void change_take_entry(struct change *change, const struct message *reply)
{
	struct undo_log_entry entry;
	struct str why = STR_INIT;

	if (reply->entry.len &&
		!undo_log_parse(&entry, str_text(&reply->entry), reply->entry.len, &why)) {
		undo_log_entry_free(&change->entry);
		change->entry = entry;
	} else if (reply->entry.len) {
		undo_log_entry_free(&entry);
	}
	str_free(&why);
}

static void free_change(struct change *change)
{
	undo_log_entry_free(&change->entry);
	str_free(&change->notes);
	free(change);
}

static const char *change_refusal(const struct change_plan *plan)
{
	size_t i;

	if (!undo_log_name_is_sound(plan->check) || !undo_log_name_is_sound(plan->experiment))
		return "the name of the experiment is none";
	if (!(plan->seconds > 0 && plan->seconds <= CHANGE_SECONDS_MAX))
		return "it takes less than nothing or more than a day";
	if (plan->n_files > CHANGE_FILES_MAX)
		return "too many files";
	for (i = 0; i < plan->n_files; i++)
		if (!undo_log_path_is_sound(plan->files[i].path))
			return "a path that cannot be";
	return NULL;
}

int change_begin(struct change **out, const struct change_plan *plan, struct str *why)
{
	struct change *change;
	struct str text = STR_INIT;
	struct message reply;
	const char *refused = change_refusal(plan);
	int err;

	*out = NULL;
	if (refused) {
		str_add(why, refused);
		return -EINVAL;
	}
	change = mem_zalloc(sizeof(*change));
	change_describe(plan, &change->entry);
	undo_log_format(&change->entry, &text);
	err = change_ask_keeper(KEEPER_BEGIN, str_text(&text), &reply);
	if (err == -EPERM)
		str_add(why,
			geteuid() ? "experiments need root" : "nobody asked for an experiment");
	else if (err)
		lose_keeper(change, err);
	if (err)
		str_add(why, str_text(&change->notes));
	else
		str_add(why, reply.what ? str_text(&reply.text) : "");
	if (!err)
		err = reply.what;
	change_take_entry(change, &reply);
	change->watchdog = reply.watchdog;
	message_free(&reply);
	str_free(&text);
	if (!err) {
		*out = change;
		return 0;
	}
	err = change->over ? change->over : err;
	free_change(change);
	return err;
}

/* One step; END's answer is the result. */
static int change_step(struct change *change, enum keeper_request what, struct str *why)
{
	struct message reply = {0};
	int err = change->over;

	if (!err) {
		err = change_ask_keeper(what, "", &reply);
		if (err)
			lose_keeper(change, err);
		else
			err = reply.what;
	}
	if (change->over)
		str_add(why, str_text(&change->notes));
	else if (err)
		str_add(why, str_text(&reply.text));
	change_take_entry(change, &reply);
	message_free(&reply);
	return change->over ? change->over : err;
}

int change_apply(struct change *change, struct str *why)
{
	return change_step(change, KEEPER_APPLY, why);
}

int change_revert(struct change *change, struct str *why)
{
	return change_step(change, KEEPER_REVERT, why);
}

int change_verify(struct change *change, struct str *why)
{
	return change_step(change, KEEPER_VERIFY, why);
}

int change_end(struct change *change, struct str *why)
{
	int err = change_step(change, KEEPER_END, why);

	if (change->over)
		err = change->result;
	free_change(change);
	return err;
}

int undo_entry(enum undo_log_place place, const char *id, bool forget, struct str *why)
{
	char *text = mem_printf("%d %s", place, id);
	struct message reply;
	int err = change_ask_keeper(forget ? KEEPER_FORGET : KEEPER_UNDO, text, &reply);

	if (err == -EPERM)
		str_add(why, "only root can undo it");
	else if (err)
		str_add(why, "the keeper was killed");
	else
		str_add(why, str_text(&reply.text));
	if (!err)
		err = reply.what;
	message_free(&reply);
	free(text);
	return err;
}
