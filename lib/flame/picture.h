/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a picture that flame_svg wrote, read back from it: of a look that cannot be had
 * again the picture is all that is left, and it can still be filtered on the command line.
 */
#ifndef TUESDAY_FLAME_PICTURE_H
#define TUESDAY_FLAME_PICTURE_H

struct flame_tree;

/* What it says beside them; all strings are its own. */
struct flame_picture {
	char *title, *note, *unit,
		*seconds_of; /* as of struct flame_look; NULL where it has none */
	double seconds_each, least_pixels;
};

/* Adds the stacks of the picture in this text, as its page has them. Returns 0, -EINVAL where it is
 * no such picture, or -ENOTSUP where it is a difference of two profiles, which it does not have
 * both of. To be freed in any case. */
int flame_picture_parse(struct flame_picture *picture, struct flame_tree *tree, const char *text);
/* The same of what can be read from a descriptor; returns -errno for that, too. */
int flame_picture_read(struct flame_picture *picture, struct flame_tree *tree, int fd);
void flame_picture_free(struct flame_picture *picture);

#endif
