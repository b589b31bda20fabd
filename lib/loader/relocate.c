/* SPDX-License-Identifier: GPL-2.0-only */
/* Where is a struct's member in the running kernel? */
#include "base/banned.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/num.h"
#include "loader/relocate.h"

/* Steps into structs that one record may take. */
#define RELOCATE_STEPS 32
/* A call of no helper that there is: libbpf's own, so that who reads a log finds it explained. */
#define RELOCATE_POISON 195896080

/* The way to a member: by name, or in arrays by number. */
struct relocate_step {
	const char *name; /* NULL: by number */
	__u32 number;
};

struct relocate_way {
	__u32 root;  /* of the object's types */
	__u32 first; /* as an element of an array of it */
	struct relocate_step steps[RELOCATE_STEPS];
	size_t n;
	struct types_field field; /* the member, in the object's own struct */
};

/* Takes numbers with colons between them, "0:2:1". Returns how many, or -ENOTSUP. */
static int relocate_numbers(const char *text, __u32 numbers[RELOCATE_STEPS])
{
	const char *end = text + strlen(text);
	uint64_t number;
	int n = 0;

	while (n < RELOCATE_STEPS && !num_next(&text, end, &number) && number <= UINT16_MAX) {
		numbers[n++] = (__u32)number;
		if (text == end)
			return n;
		if (*text++ != ':')
			break;
	}
	return -ENOTSUP;
}

/* Members without a name are no step: the kernel's struct may have more or fewer of these. */
static int relocate_way_of(
	const struct types *object, const struct bpf_core_relo *record, struct relocate_way *way)
{
	__u32 numbers[RELOCATE_STEPS];
	int n = relocate_numbers(types_name(object, record->access_str_off), numbers), i;

	*way = (struct relocate_way){.root = types_bare(object, record->type_id)};
	if (n < 1)
		return -ENOTSUP;
	way->first = numbers[0];
	way->field.type = way->root;
	for (i = 1; i < n; i++) {
		const struct btf_type *type = types_at(object, way->field.type);
		struct relocate_step step = {.number = numbers[i]};

		if (type && btf_is_composite(type) && numbers[i] < btf_vlen(type)) {
			step.name = types_name(object, btf_members(type)[numbers[i]].name_off);
			if (!*step.name)
				step.number = UINT_MAX;
		}
		if (types_step_number(object, &way->field, numbers[i]))
			return -EINVAL;
		if (step.number != UINT_MAX)
			way->steps[way->n++] = step;
	}
	return 0;
}

/* Whether a member can be taken for another one: the kind of thing is the same. */
static bool relocate_is_alike(
	const struct types *object, __u32 ours, const struct types *kernel, __u32 theirs)
{
	const struct btf_type *a = types_at(object, ours), *b = types_at(kernel, theirs);

	if (!a || !b)
		return !a && !b;
	if (btf_is_composite(a) || btf_is_any_enum(a))
		return btf_is_composite(a) ? btf_is_composite(b) : btf_is_any_enum(b);
	if (btf_kind(a) != btf_kind(b))
		return false;
	if (!btf_is_array(a))
		return true;
	return relocate_is_alike(object, types_bare(object, btf_array(a)->type), kernel,
		types_bare(kernel, btf_array(b)->type));
}

/* Goes the way in one of the kernel's structs. Returns 0 or -ENOENT. */
static int relocate_follow(const struct types *object, const struct types *kernel,
	const struct relocate_way *way, __u32 root, struct types_field *out)
{
	struct types_field ours = {.type = way->root};
	size_t i;
	int err = 0;

	*out = (struct types_field){.type = root};
	for (i = 0; i < way->n && !err; i++) {
		const struct relocate_step *step = &way->steps[i];

		err = step->name ? types_step(kernel, out, step->name)
				 : types_step_number(kernel, out, step->number);
		if (!err)
			err = step->name ? types_step(object, &ours, step->name)
					 : types_step_number(object, &ours, step->number);
		if (!err && !relocate_is_alike(object, ours.type, kernel, out->type))
			err = -ENOENT;
	}
	out->bit += way->first * types_size(kernel, root) * 8;
	return err;
}

/* Whether a field of bits is signed, and numbers at all. */
static bool relocate_is_signed(const struct types *types, __u32 id)
{
	const struct btf_type *type = types_at(types, id);

	if (!type)
		return false;
	return btf_is_int(type) ? btf_int_encoding(type) & BTF_INT_SIGNED
				: btf_is_any_enum(type) && btf_kflag(type);
}

/* What a record asks of a member. Bits are read with the smallest word of their type that has them
 * all. Returns 0 or -ENOTSUP. */
static int relocate_field_value(
	const struct types *types, const struct types_field *field, __u32 kind, __u64 *out)
{
	__u32 size = types_size(types, field->type), byte = field->bit / 8, bits = size * 8;

	if (field->bitfield) {
		bits = field->bitfield;
		byte = size ? field->bit / 8 / size * size : 0;
		while (size && field->bit + bits - byte * 8 > size * 8) {
			size *= 2;
			if (size > sizeof(__u64))
				return -ENOTSUP;
			byte = field->bit / 8 / size * size;
		}
	}
	switch (kind) {
	case BPF_CORE_FIELD_BYTE_OFFSET:
		*out = byte;
		return 0;
	case BPF_CORE_FIELD_BYTE_SIZE:
		*out = size;
		return 0;
	case BPF_CORE_FIELD_SIGNED:
		*out = relocate_is_signed(types, field->type);
		return 0;
	case BPF_CORE_FIELD_LSHIFT_U64:
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		*out = 64 - (field->bit + bits - byte * 8);
#else
		*out = (8 - size) * 8 + (field->bit - byte * 8);
#endif
		return 0;
	case BPF_CORE_FIELD_RSHIFT_U64:
		*out = 64 - bits;
		return 0;
	case BPF_CORE_FIELD_EXISTS:
		*out = 1;
		return 0;
	default:
		return -ENOTSUP;
	}
}

static bool relocate_is_access(const struct bpf_insn *insn)
{
	__u8 class = BPF_CLASS(insn->code);

	return class == BPF_LDX || class == BPF_ST || class == BPF_STX;
}

/* How long is the part of a type's name that other kernels have too? */
static size_t relocate_name_len(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour && flavour != name ? (size_t)(flavour - name) : strlen(name);
}

/* The number that all of the kernel's structs of that name agree upon. Returns 0, -ENOENT where
 * none has the member, or -ENOTSUP. */
static int relocate_find(const struct types *object, const struct types *kernel,
	const struct relocate_way *way, const struct bpf_core_relo *record,
	const struct bpf_insn *at, __u64 *out)
{
	const struct btf_type *ours = types_at(object, way->root), *theirs;
	const char *name = ours ? types_name(object, ours->name_off) : "";
	size_t len = relocate_name_len(name);
	__u32 id = types_find(kernel, name, len, 0);
	struct types_field field;
	bool found = false;
	__u64 value;

	/* A module may have it. */
	if (!id)
		return -ENOTSUP;
	for (; id; id = types_find(kernel, name, len, id)) {
		theirs = types_at(kernel, id);
		if (btf_kind(theirs) != btf_kind(ours) ||
			relocate_follow(object, kernel, way, id, &field))
			continue;
		if (relocate_field_value(kernel, &field, record->kind, &value))
			return -ENOTSUP;
		if (found && value != *out)
			return -ENOTSUP;
		/* Other words than the compiler's would have to be read. */
		if (relocate_is_access(at) &&
			types_size(object, way->field.type) != types_size(kernel, field.type))
			return -ENOTSUP;
		*out = value;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

/* The value of an enumerator by its name. Returns 0, -ENOENT or -ENOTSUP. */
static int relocate_find_enumerator(const struct types *object, const struct types *kernel,
	const struct bpf_core_relo *record, __u64 *out)
{
	const struct btf_type *ours = types_at(object, types_bare(object, record->type_id)),
			      *theirs;
	__u32 numbers[RELOCATE_STEPS], id, i;
	const char *name, *wanted;

	if (!ours || !btf_is_enum(ours) ||
		relocate_numbers(types_name(object, record->access_str_off), numbers) != 1 ||
		numbers[0] >= btf_vlen(ours))
		return -ENOTSUP;
	name = types_name(object, ours->name_off);
	wanted = types_name(object, btf_enum(ours)[numbers[0]].name_off);
	id = types_find(kernel, name, relocate_name_len(name), 0);
	theirs = id ? types_at(kernel, id) : NULL;
	if (!theirs || !btf_is_enum(theirs))
		return -ENOTSUP;
	for (i = 0; i < btf_vlen(theirs); i++) {
		const struct btf_enum *e = btf_enum(theirs) + i;

		if (strcmp(types_name(kernel, e->name_off), wanted) != 0)
			continue;
		*out = record->kind == BPF_CORE_ENUMVAL_EXISTS ? 1 : (__u64)(__s64)e->val;
		return 0;
	}
	return -ENOENT;
}

static void relocate_poison(struct bpf_insn *at)
{
	int n = at->code == (BPF_LD | BPF_IMM | BPF_DW) ? 2 : 1, i;

	for (i = 0; i < n; i++)
		at[i] = (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = RELOCATE_POISON};
}

static int relocate_patch(struct bpf_insn *at, __u64 value)
{
	__u8 class = BPF_CLASS(at->code);

	if (at->code == (BPF_LD | BPF_IMM | BPF_DW)) {
		at[0].imm = (__s32)(__u32)value;
		at[1].imm = (__s32)(__u32)(value >> 32);
		return 0;
	}
	if ((class == BPF_ALU || class == BPF_ALU64) && BPF_SRC(at->code) == BPF_K &&
		value <= INT_MAX) {
		at->imm = (__s32)value;
		return 0;
	}
	if (!relocate_is_access(at) || value > SHRT_MAX)
		return -ENOTSUP;
	at->off = (__s16)value;
	return 0;
}

int relocate(const struct types *object, const struct types *kernel,
	const struct bpf_core_relo *record, struct bpf_insn *at)
{
	struct relocate_way way;
	__u64 value = 0;
	int err;

	if (record->kind == BPF_CORE_ENUMVAL_EXISTS || record->kind == BPF_CORE_ENUMVAL_VALUE) {
		err = relocate_find_enumerator(object, kernel, record, &value);
	} else {
		err = relocate_way_of(object, record, &way);
		if (!err)
			err = relocate_find(object, kernel, &way, record, at, &value);
	}
	if (err && err != -ENOENT)
		return err;
	if (err && record->kind != BPF_CORE_FIELD_EXISTS &&
		record->kind != BPF_CORE_ENUMVAL_EXISTS) {
		relocate_poison(at);
		return 0;
	}
	return relocate_patch(at, value);
}
