/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An Intel GPU's driver that is not there: what the kernel's xe would answer to the system calls of
 * a program, as far as EU-stall sampling goes.
 *
 * Written from tables of the documented interface and never from lib/sources/gpu/xe_uapi.h, so that
 * a mistake in either shows. It checks what it is given as the kernel does, and notes in its log
 * what no program may do: a line that begins with VIOLATION.
 */
#ifndef FAKE_XE_H
#define FAKE_XE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { GPUS = 4, GTS = 8, XECORES = 64, FIELDS = 10, TICK_MS = 5 };

/* Descriptors that the program gets, so that a filter tells them from its others. */
enum { FD_FIRST = 600, FD_NODE = 600, FD_RAS = 698, FD_FILE = 699, FD_STREAM = 700, FD_END = 900 };

/* What kind of device and of day it is: KEY=VALUE of the command line. */
struct scenario {
	char driver[16];
	/* Files whose name ends so fail with EIO when they are read, or are never answered for. */
	char broken[64], stuck[64];
	long gpus, gts, media, xecores, version, pci, buffer, record, rates;
	long node_errno, query_errno, open_errno, enable_errno, size_zero, size_changes, huge;
	long paranoid;
	long per_ms;	     /* records of an XeCore */
	long mix[FIELDS];    /* parts of active, and of the stalls in the order of the layout */
	long second[FIELDS]; /* the same of the upper half of XeCores; all 0: as the others */
	long jitter;	     /* odd windows have so many more parts of active */
	long ips, top;	     /* instructions, and per cent of records at the first one */
	long each;	     /* records go through the instructions one by one */
	long pool;  /* records that are made once and handed out again and again, at full speed */
	long clock; /* every third tick the GPU's clock, and so the records, is three times as fast
		     */
	long end_flag, saturated, zero;
	long eio; /* 1: the first read; 2: all */
	long eintr, short_reads, zero_read, hang, overload;
	long burn_ms;	       /* of CPU time for each read, of whoever reads */
	long burst;	       /* every so many ticks the upper half of XeCores runs over */
	long reset_at, resets; /* after so many reads; how often */
	long unplug_at, wedge_at, wedged;
	long asleep;
	long ras, ras_correctable, ras_uncorrectable, ras_errno;
};

struct stream {
	bool is_open, is_enabled, is_dead, told_eio;
	int event; /* our end of the eventfd */
	long window, ticks;
	long pending[XECORES];
	bool dropped[XECORES];
	bool was_read; /* since the last tick */
};

struct gpu {
	struct stream streams[GTS];
	long reads, resets;
	bool is_gone;
};

extern struct scenario scenario;
extern struct gpu gpus[GPUS];
extern FILE *log_to;
extern uint64_t seed;

/* Takes a word of KEY=VALUE; log= is a file for note(). False where there is no such key. */
bool scenario_take(const char *word);

void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory of the program. False where it has none there. */
bool peek(pid_t pid, uint64_t at, void *to, size_t n);
bool poke(pid_t pid, uint64_t at, const void *from, size_t n);

/* Whether any of these bits is among the effective capabilities of the program. */
bool may(pid_t pid, uint64_t capabilities);

/* All answer with 0 or more, or -errno. */
long node_ioctl(pid_t pid, size_t gpu, unsigned long request, uint64_t arg);
long device_query(pid_t pid, size_t gpu, uint64_t arg);
/* Checks what the program asks; the GT that it opens, or -errno. */
long stream_check(pid_t pid, size_t gpu, uint64_t arg);
long stream_ioctl(size_t gpu, size_t gt, unsigned long request);
long stream_read(pid_t pid, size_t gpu, size_t gt, int fd, uint64_t to, uint64_t size);
/* Another poll of the hardware's pointers. */
void stream_tick(struct stream *stream);

/* The socket of generic netlink. */
long ras_send(pid_t pid, uint64_t at, uint64_t n);
long ras_receive(pid_t pid, uint64_t to, uint64_t size, uint64_t from, uint64_t from_len);

/* One record of 64 bytes. */
void record_make(uint8_t bytes[64], size_t xecore, long window);
/* Makes the pool, of all XeCores in turn; otherwise that is done when it is asked for. */
void pool_make(void);
/* The next records of it: *n of them at most, which becomes how many there are in one piece. */
const uint8_t *pool_next(uint64_t *n);

/* The tables, as lines of NAME VALUE. */
void print_abi(void);

#endif
