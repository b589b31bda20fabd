/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPUs: what is read of them, by a child that may hang, and what is made of it.
 *
 * A collector is a child of the run. Some twelve times a second it reads what the kernel says of
 * each GPU that is awake and writes it as lines; the sources take what has come, so that no sweep
 * waits for a GPU. The lines are the blob "gpu" of a recording (and "gpu-nvml", of the NVIDIA
 * library), so that a replay knows what the run knew. NAME is a PCI address, or what the kernel
 * calls a GPU that is on no PCI bus:
 *
 *   gpu NAME DRIVER CARD          there is one; CARD is card0, or -
 *   t NS                          a round begins, CLOCK_MONOTONIC
 *   NAME KEY VALUE                a number; gt0.KEY where it belongs to a clock of its own
 *   comm PID NAME                 what a process is called
 *   scan NS all|some              the clients of a scan follow: were all processes seen?
 *   use NAME CLIENT PID ENGINE CAPACITY BUSY TOTAL
 *                                 time of an engine class: of TOTAL cycles, or in ns where it is -
 *   mem NAME CLIENT PID REGION BYTES
 *   blind NAME PID                a client whose use is not told, or not all of it
 *   missing TEXT                  what could not be read, and how to mend it
 *   end                           of a round
 *   silent SECONDS WHERE          how long ago the last line came
 */
#ifndef TUESDAY_SOURCES_GPU_GPU_SOURCE_H
#define TUESDAY_SOURCES_GPU_GPU_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct str;
struct sink;
struct culprit;

#define GPU_NAME_BYTES 48
#define GPU_DEVICES_MAX 64
#define GPU_ENGINES_MAX 16 /* of a client */
#define GPU_REGIONS_MAX 16

struct gpu_device {
	char name[GPU_NAME_BYTES];
	char driver[24];
	char card[24];	 /* "card0", or "" */
	char render[24]; /* "renderD128", or "" */
	char dir[128];	 /* of its files in sysfs */
};

struct gpu_devices {
	struct gpu_device list[GPU_DEVICES_MAX];
	size_t n;
};

#endif
