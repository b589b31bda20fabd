/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tool and its keeper say to each other. */
#ifndef TUESDAY_EXPERIMENT_MESSAGE_H
#define TUESDAY_EXPERIMENT_MESSAGE_H

#include <stdint.h>

#include "base/str.h"

enum keeper_request {
	KEEPER_BEGIN, /* text: the entry, in the undo log's format, without old values */
	KEEPER_APPLY,
	KEEPER_REVERT,
	KEEPER_VERIFY,
	KEEPER_END,
	KEEPER_UNDO,  /* text: PLACE ID, of an entry that was left behind */
	KEEPER_FORGET /* the same: removes it without putting anything back */
};

/* A request, or an answer to one. */
struct message {
	int32_t what;	  /* enum keeper_request; in an answer 0 or -errno */
	int32_t watchdog; /* in an answer: the watchdog's process */
	struct str text;  /* a phrase in an answer that is an error */
	struct str entry; /* in an answer: the entry as it is now */
};

/* Return 0, or -EPIPE where the other side is gone, -ETIMEDOUT, or -errno. timeout_ms of -1: none.
 */
int message_send(int fd, const struct message *message);
int message_receive(int fd, struct message *message, int timeout_ms);
void message_free(struct message *message);

#endif
