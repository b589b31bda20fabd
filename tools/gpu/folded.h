/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile as folded stacks. */
#ifndef TUESDAY_TOOLS_GPU_FOLDED_H
#define TUESDAY_TOOLS_GPU_FOLDED_H

struct gpu_profile;
struct str;

/* Appends a name as one frame of a folded line: no separator of frames in it, and nothing that a
 * terminal or a parser minds. */
void gpu_conclusion_add_frame(struct str *out, const char *name, const char *kind);

/*
 * Every sample as a line "frame;frame;... count". Frames say what they are by how they
 * end: _[u] a function of a program, _[k] of the operating system, _[g] a kernel's function on the
 * GPU, _[gl] a line of its source, where a zebin has these, _[gi] an instruction of it, _[gr] why
 * it waited; "-" is where the CPU ends. The first is the program.
 */
void gpu_conclusion_write_folded(struct str *out, struct gpu_profile *profile);

#endif
