/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A libnvidia-ml.so.1 that says what a file says: STATE is its path, with lines of "KEY NUMBER".
 * Keys: init (what nvmlInit_v2 returns), util, clock, max, reasons, ecc, failed, lost, hang (in the
 * question for the clock). What is not there is 0.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned int state(const char *key)
{
	char name[32];
	unsigned int value, found = 0;
	FILE *file = fopen(STATE, "re");

	while (file && fscanf(file, "%31s %u", name, &value) == 2)
		if (!strcmp(name, key))
			found = value;
	if (file)
		fclose(file);
	return found;
}

static int answer(void)
{
	return state("lost") ? 15 : 0;
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	return (int)state("init");
}

int nvmlShutdown(void);
int nvmlShutdown(void)
{
	return 0;
}

const char *nvmlErrorString(int err);
const char *nvmlErrorString(int err)
{
	return err == 9 ? "Driver Not Loaded" : "Unknown Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **out);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **out)
{
	*out = NULL;
	return strcmp(address, "0000:81:00.0") ? 6 : 0;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned int *out);
int nvmlDeviceGetUtilizationRates(void *device, unsigned int *out)
{
	(void)device;
	out[0] = state("util");
	out[1] = 0;
	return answer();
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned int *mhz);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned int *mhz)
{
	(void)device;
	(void)type;
	while (state("hang"))
		pause();
	*mhz = state("clock");
	return answer();
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned int *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned int *mhz)
{
	(void)device;
	(void)type;
	*mhz = state("max");
	return answer();
}

int nvmlDeviceGetPowerUsage(void *device, unsigned int *milliwatts);
int nvmlDeviceGetPowerUsage(void *device, unsigned int *milliwatts)
{
	(void)device;
	*milliwatts = 650000;
	return answer();
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned int *milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned int *milliwatts)
{
	(void)device;
	*milliwatts = 700000;
	return answer();
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned int *celsius);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned int *celsius)
{
	(void)device;
	(void)sensor;
	*celsius = 60;
	return answer();
}

int nvmlDeviceGetTemperatureThreshold(void *device, int limit, unsigned int *celsius);
int nvmlDeviceGetTemperatureThreshold(void *device, int limit, unsigned int *celsius)
{
	(void)device;
	*celsius = limit == 1 ? 90 : 0;
	return answer();
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *out);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *out)
{
	(void)device;
	out[0] = 100;
	out[1] = 60;
	out[2] = 40;
	return answer();
}

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *bits);
int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *bits)
{
	(void)device;
	*bits = state("reasons");
	return answer();
}

int nvmlDeviceGetTotalEccErrors(void *device, int type, int since, unsigned long long *count);
int nvmlDeviceGetTotalEccErrors(void *device, int type, int since, unsigned long long *count)
{
	(void)device;
	(void)since;
	*count = type == 1 ? state("ecc") : 12;
	return answer();
}

int nvmlDeviceGetRemappedRows(void *device, unsigned int *corrected, unsigned int *uncorrected,
	unsigned int *pending, unsigned int *failed);
int nvmlDeviceGetRemappedRows(void *device, unsigned int *corrected, unsigned int *uncorrected,
	unsigned int *pending, unsigned int *failed)
{
	(void)device;
	*corrected = *uncorrected = *pending = 0;
	*failed = state("failed");
	return answer();
}

struct process {
	unsigned int pid;
	unsigned long long used_bytes;
	unsigned int gpu_instance, compute_instance;
};

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *n, struct process *list);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *n, struct process *list)
{
	(void)device;
	if (!*n)
		return 7;
	*n = 1;
	list[0] = (struct process){1, 1ull << 30, 0, 0};
	return answer();
}
