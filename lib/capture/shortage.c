/* SPDX-License-Identifier: GPL-2.0-only */
/* Could everything be looked at that was asked for? */
#include "base/banned.h"

#include <errno.h>

#include "capture/internal.h"
#include "capture/shortage.h"

void shortage_note(struct capture *fs, int err)
{
	if (err == -EMFILE || err == -ENFILE || err == -ENOMEM)
		fs->shortage = err;
}

int shortage_error(const struct capture *fs)
{
	return fs->shortage;
}
