/* SPDX-License-Identifier: GPL-2.0-only */
/* What is asked of the NVIDIA library, by types and numbers as NVIDIA documents them for nvml.h. */
#ifndef TUESDAY_NVMLLIB_H
#define TUESDAY_NVMLLIB_H

#include <stdbool.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define OK 0
#define LOST 15	    /* NVML_ERROR_GPU_IS_LOST */
#define RESET 16    /* NVML_ERROR_RESET_REQUIRED */
#define TOO_SMALL 7 /* NVML_ERROR_INSUFFICIENT_SIZE */

typedef void *nvml_device_t;

struct utilization {
	unsigned int gpu, memory;
};

struct memory {
	unsigned long long total, free, used;
};

/* nvmlProcessInfo_t of _v2 and _v3. */
struct process {
	unsigned int pid;
	unsigned long long used_bytes;
	unsigned int gpu_instance, compute_instance;
};

/* Its functions; each may be missing, but init and handle. */
extern struct nvml {
	int (*init)(void);
	int (*shutdown)(void);
	const char *(*error)(int err);
	int (*handle)(const char *address, nvml_device_t *out);
	int (*utilization)(nvml_device_t device, struct utilization *out);
	int (*clock)(nvml_device_t device, int type, unsigned int *mhz);
	int (*max_clock)(nvml_device_t device, int type, unsigned int *mhz);
	int (*power)(nvml_device_t device, unsigned int *milliwatts);
	int (*power_limit)(nvml_device_t device, unsigned int *milliwatts);
	int (*temperature)(nvml_device_t device, int sensor, unsigned int *celsius);
	int (*temperature_limit)(nvml_device_t device, int limit, unsigned int *celsius);
	int (*memory)(nvml_device_t device, struct memory *out);
	int (*reasons)(nvml_device_t device, unsigned long long *bits);
	int (*ecc)(nvml_device_t device, int type, int since, unsigned long long *count);
	int (*remapped)(nvml_device_t device, unsigned int *corrected, unsigned int *uncorrected,
		unsigned int *pending, unsigned int *failed);
	int (*compute)(nvml_device_t device, unsigned int *n, struct process *list);
	int (*graphics)(nvml_device_t device, unsigned int *n, struct process *list);
} nvml;

/* Finds the library. False, after a line that says why, where that is of no use. */
bool nvml_load(void);

#endif
