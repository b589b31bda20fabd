/* SPDX-License-Identifier: GPL-2.0-only */
/* What is not seen for want of descriptors or memory, which is not to say that it is absent. */
#ifndef TUESDAY_CAPTURE_SHORTAGE_H
#define TUESDAY_CAPTURE_SHORTAGE_H

struct capture;

/* Whether anything could not be opened or listed for want of them: 0, or the last of -EMFILE,
 * -ENFILE and -ENOMEM. */
int shortage_error(const struct capture *fs);

/* Of what was opened or tried: err may be any error, or none. */
void shortage_note(struct capture *fs, int err);

#endif
