/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a perf map, the maps of a process or a list of the kernel's functions break us? */
#include "base/banned.h"

#include <stdint.h>

#include "symbols/kernel_symbols.h"
#include "symbols/perf_map.h"
#include "symbols/process_maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t places[] = {0, 1, 0x100, 0x7f0000000000, UINT64_MAX};
	struct kernel_symbols kernel = {.n = 0};
	struct process_maps maps = {.n = 0};
	struct perf_map names = {.n = 0};

	perf_map_parse(&names, (const char *)data, size);
	process_maps_parse(&maps, (const char *)data, size);
	kernel_symbols_parse(&kernel, (const char *)data, size);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *name = perf_map_at(&names, places[i]);
		const struct process_map *map = process_maps_at(&maps, places[i]);

		if (name && strlen(name) > size)
			abort();
		if (map && (places[i] < map->start || places[i] >= map->end))
			abort();
		kernel_symbols_at(&kernel, places[i]);
	}
	perf_map_free(&names);
	process_maps_free(&maps);
	kernel_symbols_free(&kernel);
	return 0;
}
