/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose code is where in this process, and which file has its .eh_frame? */
#include "base/banned.h"

#include <unistd.h>

#include "symbols/mapped_file.h"
#include "symbols/process_maps.h"
#include "symbols/walk_code.h"

int walk_code_open(struct stack_walk_code code[STACK_WALK_FILES_MAX], pid_t pid)
{
	struct process_maps maps = {.n = 0};
	int err = process_maps_read(&maps, pid), n = 0;

	for (size_t i = 0; !err && i < maps.n && n < STACK_WALK_FILES_MAX; i++) {
		const struct process_map *map = &maps.list[i];

		code[n++] = (struct stack_walk_code){
			map->start, map->end, map->offset, mapped_file_open(pid, map)};
	}
	process_maps_free(&maps);
	return err ? err : n;
}

void walk_code_close(struct stack_walk_code *code, int n)
{
	while (n-- > 0)
		if (code[n].fd >= 0)
			close(code[n].fd);
}
