/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does it take from one tracepoint to another, or how often does one happen?
 *
 * One program for whatever a check file declares. Where the fields are comes from the tracepoints'
 * format files and is set before loading: the verifier knows these values, follows only the
 * branches that they leave open and removes the others. Needs no BTF.
 *
 * Who includes this says what becomes of each value, in count().
 */
#ifndef TUESDAY_BPF_PAIR_BPF_H
#define TUESDAY_BPF_PAIR_BPF_H

#include "trace.bpf.h"

#define pair params.pair

struct key {
	__u64 part[2];
};

struct start {
	__u64 ns; /* 0: none */
	__u64 by[2];
	struct who who;
	__u32 pid;
	__u32 pad;
};

TUESDAY_MAP(started, HASH, 10240, struct key, struct start);

/* What is keyed by nothing but the CPU needs no hash, and no deletion. */
TUESDAY_MAP(started_on_cpu, ARRAY, 1024, __u32, struct start);

/* The context is no memory to the verifier, so a field at an offset that is set late is copied. */
#define COPY(type, signed_type) \
	({ \
		type copy = 0; \
\
		bpf_probe_read_kernel(&copy, sizeof(copy), ctx + field->offset); \
		field->is_signed ? (__u64)(__s64)(signed_type)copy : (__u64)copy; \
	})

static __always_inline __u64 number(void *ctx, const volatile struct trace_field *field)
{
	switch (field->size) {
	case 1:
		return COPY(__u8, __s8);
	case 2:
		return COPY(__u16, __s16);
	case 4:
		return COPY(__u32, __s32);
	default:
		return COPY(__u64, __s64);
	}
}

/* The text of a field in the record: its offset and length are in 32 bits at the field's place. */
static __always_inline void located_text(
	void *ctx, const volatile struct trace_field *field, bool relative, void *text, __u32 size)
{
	__u32 place = 0, offset;

	bpf_probe_read_kernel(&place, sizeof(place), ctx + field->offset);
	offset = place & 0xffff;
	if (relative)
		offset += field->offset + 4;
	bpf_probe_read_kernel_str(text, size, ctx + (offset & 0x1ffff));
}

/* How many bytes of a char[] are taken, most at most, which is a power of two: so bounded that a
 * verifier sees it that does not know the field (before 5.5). */
static __always_inline __u32 chars_of(const volatile struct trace_field *field, __u32 most)
{
	__u32 size = field->size;

	return size < most ? (size & (most - 1)) : most;
}

/* Takes 16 bytes of something: a number in the first 8, text, or an address. */
static __always_inline void take(
	void *ctx, const volatile struct trace_field *field, __u8 name[TRACE_NAME])
{
	__u64 *numbers = (__u64 *)name;

	switch (field->kind) {
	case FIELD_TID:
		numbers[0] = (__u32)bpf_get_current_pid_tgid();
		break;
	case FIELD_CPU:
		numbers[0] = bpf_get_smp_processor_id();
		break;
	case FIELD_COMM:
		bpf_get_current_comm(name, TRACE_NAME);
		break;
	case FIELD_CGROUP:
		numbers[0] = bpf_get_current_cgroup_id();
		break;
	case FIELD_NUMBER:
		numbers[0] = number(ctx, field);
		break;
	case FIELD_CHARS:
		bpf_probe_read_kernel_str(name, chars_of(field, TRACE_NAME), ctx + field->offset);
		break;
	case FIELD_STRING:
		located_text(ctx, field, false, name, TRACE_NAME);
		break;
	case FIELD_REL_STRING:
		located_text(ctx, field, true, name, TRACE_NAME);
		break;
	case FIELD_ADDRESS:
		if (field->size == 4) {
			name[10] = 0xff;
			name[11] = 0xff;
			bpf_probe_read_kernel(name + 12, 4, ctx + field->offset);
		} else {
			bpf_probe_read_kernel(name, TRACE_NAME, ctx + field->offset);
		}
		break;
	}
}

/* The characters of a text field, cleared behind its end. */
static __always_inline void take_text(
	void *ctx, const volatile struct trace_field *field, __u64 text[TRACE_TEXT / 8 + 1])
{
	if (field->kind == FIELD_CHARS)
		bpf_probe_read_kernel_str(text, chars_of(field, TRACE_TEXT), ctx + field->offset);
	else
		located_text(ctx, field, field->kind == FIELD_REL_STRING, text, TRACE_TEXT);
}

/* 1 if it is 0, else 0: without a branch, which would double what the verifier has to follow. */
static __always_inline __u64 is_zero(__u64 v)
{
	return (~v & (v - 1)) >> 63;
}

/* Whether a part of up to 8 characters stands in the text. Text lies in memory as it is read, so
 * that the first character is the lowest byte, or the highest of a big-endian machine. */
static __always_inline __u64 stands_in(const __u64 *text, __u64 part, __u64 mask)
{
	__u64 found = 0;
	__u32 word, bits;

#pragma unroll
	for (word = 0; word < TRACE_TEXT / 8; word++) {
		for (bits = 0; bits < 64; bits += 8) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			__u64 here = text[word] >> bits | text[word + 1] << 1 << (63 - bits);
#else
			__u64 here = text[word] << bits | text[word + 1] >> 1 >> (63 - bits);
#endif
			found |= is_zero((here ^ part) & mask);
		}
	}
	return found;
}

static __always_inline __u32 text_order(void *ctx, const volatile struct trace_condition *want)
{
	__u64 text[TRACE_TEXT / 8 + 1] = {}, same;

	take_text(ctx, &want->field, text);
	if (want->mask)
		same = stands_in(text, want->value[0], want->mask);
	else
		same = is_zero((text[0] ^ want->value[0]) | (text[1] ^ want->value[1]));
	return same ? 2 : 4;
}

/* Whether an event is wanted, by its fields; of a pair, by those of this half of it. */
static __always_inline bool is_wanted(void *ctx, bool begin)
{
	__u32 i;

	for (i = 0; i < TRACE_CONDITIONS; i++) {
		const volatile struct trace_condition *want = &pair.where[i];
		__u32 order;
		__u64 v;

		if (want->field.kind == FIELD_NONE)
			return true;
		if (!!want->field.at_begin != begin)
			continue;
		if (want->field.kind == FIELD_NUMBER) {
			v = (number(ctx, &want->field) & want->mask) ^ want->flip;
			order = v < want->value[0] ? 1 : v == want->value[0] ? 2 : 4;
		} else {
			order = text_order(ctx, want);
		}
		if (!(order & want->accept))
			return false;
	}
	return true;
}

static __always_inline __u32 who_pid(void)
{
	return pair.who.kind == FIELD_COMM ? current_tgid() : 0;
}

/* Whether one of ours is to be taken here as who it was. The threads of ours that trace or wait for
 * it are the first of their processes, so that the number of a thread is as good. */
static __always_inline bool who_is_own(void *ctx, bool begin)
{
	if (!!pair.who.at_begin != begin)
		return false;
	if (pair.who.kind == FIELD_COMM || pair.who.kind == FIELD_TID)
		return is_own(current_tgid());
	return pair.who_tid.kind == FIELD_NUMBER && is_own((__u32)number(ctx, &pair.who_tid));
}

static __always_inline bool key_is_own(const struct key *key)
{
	if (pair.begin_key[0].kind == FIELD_TID)
		return is_own(current_tgid());
	return pair.key_is_task && is_own((__u32)key->part[0]);
}

/* Part of a key; a field that is not given is 0. */
static __always_inline __u64 key_part(void *ctx, const volatile struct trace_field *field)
{
	switch (field->kind) {
	case FIELD_TID:
		return (__u32)bpf_get_current_pid_tgid();
	case FIELD_CPU:
		return bpf_get_smp_processor_id();
	case FIELD_NUMBER:
		return number(ctx, field);
	default:
		return 0;
	}
}

static __always_inline bool keyed_by_cpu(void)
{
	return pair.begin_key[0].kind == FIELD_CPU && pair.begin_key[1].kind == FIELD_NONE;
}

/* What becomes of a value: the tracer's own. */
static __always_inline void count(__u64 value, struct start *start);

static __always_inline void take_at(void *ctx, struct start *start, bool begin)
{
	if (pair.who.kind != FIELD_NONE && !!pair.who.at_begin == begin) {
		take(ctx, &pair.who, start->who.name);
		start->pid = who_pid();
	}
	if (pair.by.kind != FIELD_NONE && !!pair.by.at_begin == begin)
		take(ctx, &pair.by, (__u8 *)start->by);
}

SEC("tracepoint")
int begin(void *ctx)
{
	struct start start = {}, *slot;
	struct key key = {};
	__u32 cpu;

	if (!is_counting() || !within_budget() || who_is_own(ctx, true))
		return 0;
	/* What is not wanted takes an older begin away: the next end is not that one's. */
	if (is_wanted(ctx, true)) {
		take_at(ctx, &start, true);
		start.ns = bpf_ktime_get_ns();
	}
	if (keyed_by_cpu()) {
		cpu = bpf_get_smp_processor_id();
		slot = bpf_map_lookup_elem(&started_on_cpu, &cpu);
		if (slot)
			*slot = start;
		else
			__sync_fetch_and_add(&lost.starts, 1);
		return 0;
	}
	key.part[0] = key_part(ctx, &pair.begin_key[0]);
	key.part[1] = key_part(ctx, &pair.begin_key[1]);
	if (key_is_own(&key))
		return 0;
	if (!start.ns)
		bpf_map_delete_elem(&started, &key);
	else if (bpf_map_update_elem(&started, &key, &start, BPF_ANY_ELEMENT))
		__sync_fetch_and_add(&lost.starts, 1);
	return 0;
}

SEC("tracepoint")
int end(void *ctx)
{
	struct start start, *slot;
	struct key key = {};
	__u64 now;
	__u32 cpu;

	if (!is_counting() || !within_budget())
		return 0;
	now = bpf_ktime_get_ns();
	if (keyed_by_cpu()) {
		cpu = bpf_get_smp_processor_id();
		slot = bpf_map_lookup_elem(&started_on_cpu, &cpu);
	} else {
		key.part[0] = key_part(ctx, &pair.end_key[0]);
		key.part[1] = key_part(ctx, &pair.end_key[1]);
		slot = bpf_map_lookup_elem(&started, &key);
	}
	/* What began before the trace did is not measured: it may have waited for the trace. */
	if (!slot || !slot->ns)
		return 0;
	start = *slot;
	if (keyed_by_cpu())
		slot->ns = 0;
	else
		bpf_map_delete_elem(&started, &key);
	if (who_is_own(ctx, false) || !is_wanted(ctx, false))
		return 0;
	take_at(ctx, &start, false);
	count(now > start.ns ? now - start.ns : 0, &start);
	return 0;
}

SEC("tracepoint")
int event(void *ctx)
{
	struct start start = {};
	__u64 value = 0;

	if (!is_counting() || !within_budget() || who_is_own(ctx, false))
		return 0;
	if (!is_wanted(ctx, false))
		return 0;
	if (pair.value.kind == FIELD_NUMBER) {
		value = number(ctx, &pair.value);
		if (pair.value.is_signed && (__s64)value < 0)
			return 0;
	}
	take_at(ctx, &start, false);
	count(value, &start);
	return 0;
}

#endif
