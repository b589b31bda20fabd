/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parsers of sources: pure functions from bytes to numbers, so that they can be tested and
 * fuzzed without a machine. They take any bytes; what they do not understand they leave out, and
 * what is missing has no value. text is valid for the length of the call only.
 *
 * Where a parser takes an instance, "" makes plain fields.
 */
#ifndef TUESDAY_SOURCES_PARSERS_H
#define TUESDAY_SOURCES_PARSERS_H

#include <stdint.h>

#include "capture/capture.h"
#include "sample/sink.h"

void parse_vmstat(struct bytes text, struct sink *sink);
void parse_meminfo(struct bytes text, struct sink *sink);
void parse_stat(struct bytes text, struct sink *sink);
void parse_pressure(struct bytes text, struct sink *sink);
void parse_interrupts(struct bytes text, struct sink *sink);
void parse_softirqs(struct bytes text, struct sink *sink);
void parse_softnet(struct bytes text, struct sink *sink);
void parse_loadavg(struct bytes text, struct sink *sink);
void parse_uptime(struct bytes text, struct sink *sink);
void parse_taint(struct bytes text, struct sink *sink);
void parse_buddyinfo(struct bytes text, struct sink *sink);
void parse_zoneinfo(struct bytes text, struct sink *sink);
void parse_swaps(struct bytes text, struct sink *sink);

/* /proc/key-users; and one of /proc/sysvipc, of which rows are counted and a column is added up. */
void parse_key_users(struct bytes text, struct sink *sink);
void parse_sysvipc(struct bytes text, struct sink *sink, const char *count, const char *sum,
	const char *column);

/* The soft limit in /proc/PID/limits; and the lines of a blob, see openfiles.c. */
bool parse_open_files_limit(struct bytes text, uint64_t *out);
void parse_open_files(struct bytes text, struct sink *sink);

/* /proc/diskstats. A device for which whole says no is left out; NULL takes all. */
void parse_diskstats(struct bytes text, struct sink *sink,
	bool (*whole)(void *arg, const char *device), void *arg);

/* /proc/net/netstat and snmp, snmp6, sockstat. */
void parse_net_pairs(struct bytes text, struct sink *sink, const char *instance);
void parse_snmp6(struct bytes text, struct sink *sink, const char *instance);
void parse_sockstat(struct bytes text, struct sink *sink, const char *instance);

/* /proc/net/stat/arp_cache, nf_conntrack and the like. */
void parse_net_stat(struct bytes text, struct sink *sink, const char *instance);

/* The UDP counters of both files together; snmp6 may be empty. Returns the datagrams that found a
 * receive buffer full, negative where neither file says. */
double parse_udp_counters(
	struct bytes snmp, struct bytes snmp6, struct sink *sink, const char *instance);

/* /proc/net/udp and udp6: each socket that lost datagrams in its life, and how many. */
void parse_udp_sockets(
	struct bytes text, void (*each)(void *arg, uint32_t inode, double drops), void *arg);
/* The same files: each socket that is connected, to whom. */
void parse_udp_peers(struct bytes text,
	void (*each)(void *arg, const char *address, uint32_t port, uint32_t inode), void *arg);

void parse_resolv_conf(struct bytes text, struct sink *sink);

/* The number behind field on the line that begins with name ("TCP:") of a sockstat. */
bool parse_sockstat_field(struct bytes text, const char *name, const char *field, double *out);

/* The value of field in the two lines of name ("Tcp") of net/snmp or netstat. */
bool parse_pair_field(struct bytes text, const char *name, const char *field, double *out);

/* The address of a line "nameserver ADDRESS" of resolv.conf. */
bool dns_parse_server(struct bytes line, char *address, size_t size);
/* The result code of an answer to the question of that number, or -1 where the bytes are none. */
int dns_parse_answer(const void *bytes, size_t len, uint16_t id);
/* Lines of "ADDRESS SECONDS CODE", or "ADDRESS" alone, as a recording has them. */
void parse_dns(struct bytes text, struct sink *sink);

/* A queue discipline as the kernel describes it. */
struct qdisc {
	int interface;
	char kind[32];
	bool root;
	uint32_t parent; /* the class that it is below: 1:10 is 0x1000a */
	uint64_t bytes;
	uint32_t packets, drops, overlimits, requeues, qlen, backlog;
};

/* A message of the answer to RTM_GETQDISC. False where it is none with statistics. */
bool qdisc_parse(const char *data, size_t len, struct qdisc *out);

/* Lines of "INTERFACE/KIND BYTES PACKETS …", as a recording has them. Returns how many. */
size_t parse_qdiscs(struct bytes text, struct sink *sink, const char *namespace);

/* /proc/net/dev. Instances are namespace/interface, or the interface alone for "". seen, if not
 * NULL, is called for each interface. */
void parse_netdev(struct bytes text, struct sink *sink, const char *namespace,
	void (*seen)(void *arg, const char *interface), void *arg);

/* "0-3,8": how many that is. False where it is something else. */
bool parse_cpu_list(struct bytes text, double *count);

/* Lines "status N", "offset N" and so on, as adjtimex has them. */
void parse_adjtimex(struct bytes text, struct sink *sink);

/* cpu.max, a v1 memory.stat, io.stat, and the like: see cgroupfile.h for the table of them. */

/*
 * A number of a small file: the word at which (counted from 0), or with a name the last number on
 * the line behind that name. False where there is none: "max", "[always] madvise never", a line cut
 * before its end.
 */
bool parse_value(struct bytes text, uint64_t which, double *out);
bool parse_named_value(struct bytes text, const char *name, double *out);
/*
 * Whether name is the word in [brackets], or any word where none is in brackets. Returns false
 * where that cannot be said: there is no word, the text was cut, or is none.
 */
bool parse_chosen_word(struct bytes text, const char *name, bool *found);

/* A line of /proc/self/mountinfo. Texts are decoded, terminated, and valid during the call. */
struct mount_line {
	unsigned int major, minor;
	const char *root;	   /* of the file system, as mounted here */
	const char *point;	   /* where it is mounted */
	const char *options;	   /* of this mount: "ro,nosuid" */
	const char *type;	   /* "ext4" */
	const char *device;	   /* "/dev/sda1" */
	const char *super_options; /* of the file system: "rw,memory" */
};

void parse_mountinfo(
	struct bytes text, void (*each)(void *arg, const struct mount_line *mount), void *arg);
/* Whether word is one of "rw,nosuid,relatime". */
bool mount_has_option(const char *options, const char *word);
/* Options as fields of the mount points: see mountoption.c. */
void parse_mount_options(struct bytes text, struct sink *sink);

/* A path as the kernel writes it into its lists of mounts, decoded and terminated. False where it
 * does not fit, is empty, or has a 0 inside. */
bool parse_mount_path(struct bytes word, char *out, size_t size);

/* /proc/fs/jbd2/DEVICE-INODE/info */
void parse_jbd2(struct bytes text, struct sink *sink, const char *instance);

void parse_mountstats(struct bytes text, struct sink *sink);

/* The answer to DM_TABLE_STATUS: each target's type and status. False where it ends too early. */
bool dm_parse_targets(const void *answer, size_t len,
	void (*each)(void *arg, const char *type, const char *status), void *arg);
/* Whether targets of this type tell anything that is understood. */
bool dm_knows_target(const char *type);
/* "TYPE STATUS" of a target. False where it is of no type that tells anything. */
bool parse_dm_target(struct bytes words, struct sink *sink, const char *instance);

/* /proc/spl/kstat/zfs/POOL/txgs: adds up the groups that were finished since it was called first.
 */
struct txg_sum {
	double count;	 /* of groups */
	double sync_ns;	 /* that their writing took */
	uint64_t newest; /* the highest number that was seen */
	bool known;	 /* the file was understood once */
};

void parse_txgs(struct bytes text, struct txg_sum *sum);

/* /proc/PID/task/TID/stat and schedstat, into a record of a thread. False where it is cut short. */
struct task_record;
bool parse_task_stat(struct bytes text, struct task_record *task);
bool parse_task_schedstat(struct bytes text, struct task_record *task);

#endif
