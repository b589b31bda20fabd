/* SPDX-License-Identifier: GPL-2.0-only */
/* Which Tuesday is this? What `git describe` said when it was built; "0" outside of a checkout. */
#ifndef TUESDAY_BASE_VERSION_H
#define TUESDAY_BASE_VERSION_H

extern const char tuesday_version[];

#endif
