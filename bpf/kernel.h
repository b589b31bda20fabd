/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which fields of the kernel do the tracers read? They are declared here with nothing around them:
 * CO-RE finds each by its name in the running kernel, so their order and offsets do not matter. A
 * name behind three underscores is the same struct as another kernel has it.
 */
#ifndef TUESDAY_BPF_KERNEL_H
#define TUESDAY_BPF_KERNEL_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define FROM_KERNEL __attribute__((preserve_access_index))

#define TASK_UNINTERRUPTIBLE 2
#define SCHED_BATCH 3
#define SCHED_IDLE 5
#define NICE_0_PRIO 120
#define PF_KTHREAD 0x00200000
/* From this operation on a request is a command that passes through the block layer (enum req_op).
 */
#define FIRST_PASSTHROUGH_OP 32
#define REQUEST_OP_MASK 0xff
#define REQUEST_READ 0

struct sched_info {
	unsigned long long last_arrival; /* when the task got its CPU */
	unsigned long long last_queued;	 /* since when it has been waiting for one, 0: it is not */
} FROM_KERNEL;

struct rq {
	__u64 clock;
	struct task_struct *curr;
	int cpu;
} FROM_KERNEL;

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
} FROM_KERNEL;

struct sched_entity {
	struct cfs_rq *cfs_rq;
} FROM_KERNEL;

struct task_group;

struct kernfs_node {
	__u64 id; /* 5.5 on */
} FROM_KERNEL;

struct cgroup {
	struct kernfs_node *kn;
} FROM_KERNEL;

struct css_set {
	struct cgroup *dfl_cgrp; /* in the hierarchy of version 2 */
} FROM_KERNEL;

struct task_struct {
	unsigned int __state;
	unsigned int flags;
	int static_prio;
	unsigned int policy;
	struct sched_info sched_info;
	struct sched_entity se;
	struct task_group *sched_task_group;
	struct css_set *cgroups;
	int pid;
	int tgid;
	unsigned int in_iowait : 1;
	unsigned int in_memstall : 1; /* with CONFIG_PSI */
	char comm[16];
} FROM_KERNEL;

struct task_struct___before_5_14 {
	long state;
} FROM_KERNEL;

struct task_struct___since_6_18 {
	bool throttled;
} FROM_KERNEL;

struct sock;

struct sk_buff {
	struct sock *sk; /* whose it is; NULL: nobody's */
	unsigned int len;
	unsigned int data_len; /* of len, what is not at data */
	unsigned char *head;
	unsigned char *data;
	__u16 network_header; /* from head on */
} FROM_KERNEL;

struct gendisk {
	int major;
	int first_minor;
} FROM_KERNEL;

struct request_queue {
	struct gendisk *disk; /* 5.15 on */
} FROM_KERNEL;

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	__u64 start_time_ns;
} FROM_KERNEL;

/* What bit of cmd_flags each is; CO-RE knows the number. */
enum req_flag_bits {
	__REQ_SYNC,
	__REQ_META,
	__REQ_FUA,
	__REQ_PREFLUSH,
};

struct request___before_5_17 {
	struct gendisk *rq_disk;
} FROM_KERNEL;

#endif
