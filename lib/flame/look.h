/* SPDX-License-Identifier: GPL-2.0-only */
/* What a picture is asked to be, where it says nothing. */
#ifndef TUESDAY_FLAME_LOOK_H
#define TUESDAY_FLAME_LOOK_H

struct flame_look;

/* What weights are; "samples" unless it says otherwise. */
const char *flame_look_unit(const struct flame_look *look);

/* The weight of one sample, in that unit; 0: not known. */
double flame_look_sample(const struct flame_look *look);

#endif
