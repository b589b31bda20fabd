/* SPDX-License-Identifier: GPL-2.0-only */
/* Heat maps read, laid over each other, and drawn, as somebody asked for. */
#ifndef TUESDAY_TOOLS_MAP_PICTURE_H
#define TUESDAY_TOOLS_MAP_PICTURE_H

struct map_options;

/* Returns the exit status. */
int map_picture(const struct map_options *asked);

#endif
