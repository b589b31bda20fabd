/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the NVIDIA library here, and which of its functions does it have? */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#include "embed/nvml_abi.h"

struct nvml nvml;

/* Names of the library, newest first; a function that goes by an old name is the same. */
static const struct {
	void **function;
	const char *names[2];
} symbols[] = {
	{(void **)&nvml.init, {"nvmlInit_v2", "nvmlInit"}},
	{(void **)&nvml.shutdown, {"nvmlShutdown", NULL}},
	{(void **)&nvml.error, {"nvmlErrorString", NULL}},
	{(void **)&nvml.handle,
		{"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"}},
	{(void **)&nvml.utilization, {"nvmlDeviceGetUtilizationRates", NULL}},
	{(void **)&nvml.clock, {"nvmlDeviceGetClockInfo", NULL}},
	{(void **)&nvml.max_clock, {"nvmlDeviceGetMaxClockInfo", NULL}},
	{(void **)&nvml.power, {"nvmlDeviceGetPowerUsage", NULL}},
	{(void **)&nvml.power_limit, {"nvmlDeviceGetEnforcedPowerLimit", NULL}},
	{(void **)&nvml.temperature, {"nvmlDeviceGetTemperature", NULL}},
	{(void **)&nvml.temperature_limit, {"nvmlDeviceGetTemperatureThreshold", NULL}},
	{(void **)&nvml.memory, {"nvmlDeviceGetMemoryInfo", NULL}},
	{(void **)&nvml.reasons,
		{"nvmlDeviceGetCurrentClocksEventReasons",
			"nvmlDeviceGetCurrentClocksThrottleReasons"}},
	{(void **)&nvml.ecc, {"nvmlDeviceGetTotalEccErrors", NULL}},
	{(void **)&nvml.remapped, {"nvmlDeviceGetRemappedRows", NULL}},
	{(void **)&nvml.compute,
		{"nvmlDeviceGetComputeRunningProcesses_v3",
			"nvmlDeviceGetComputeRunningProcesses_v2"}},
	{(void **)&nvml.graphics,
		{"nvmlDeviceGetGraphicsRunningProcesses_v3",
			"nvmlDeviceGetGraphicsRunningProcesses_v2"}},
};

bool nvml_load(void)
{
	static const char *const places[] = {"libnvidia-ml.so.1",
		"/run/opengl-driver/lib/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
	void *library = NULL;
	size_t i;

	for (i = 0; i < COUNT(places) && !library; i++)
		library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		printf("missing libnvidia-ml.so.1 is not here, or cannot be loaded: it comes with "
		       "the driver of NVIDIA\n");
		return false;
	}
	for (i = 0; i < COUNT(symbols); i++) {
		*symbols[i].function = dlsym(library, symbols[i].names[0]);
		if (!*symbols[i].function && symbols[i].names[1])
			*symbols[i].function = dlsym(library, symbols[i].names[1]);
	}
	if (nvml.init && nvml.handle)
		return true;
	printf("missing this libnvidia-ml.so.1 cannot look for a GPU by its address: too old\n");
	return false;
}
