/* SPDX-License-Identifier: GPL-2.0-only */
/* GPUs by the NVIDIA library. */
#ifndef TUESDAY_SOURCES_GPU_NVML_H
#define TUESDAY_SOURCES_GPU_NVML_H

/* The NVIDIA library, asked by a program of its own, which ends with the reader; as the work of
 * child_start, with a struct gpu_devices. */
int nvml_run(void *arg, int fd);

#endif
