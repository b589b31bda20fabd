/* SPDX-License-Identifier: GPL-2.0-only */
/* How do the maps and programs of an object get into the kernel? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "loader/object_load.h"
#include "loader/types.h"

/* The kernel gives up on a program where a signal comes, and says so. */
#define OBJECT_ATTEMPTS 5
/* Numbers of types in object_make_types(). */
#define OBJECT_SHAPE 2
#define OBJECT_FUNCTION 3

/* How a section's name says what its programs are. */
static const struct object_kind {
	const char *prefix;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	const char *target; /* the kernel's own name of what stands behind the prefix begins so */
	__u32 target_kind;
} object_kinds[] = {
	{"tp_btf/", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, TYPES_TRACEPOINT, BTF_KIND_TYPEDEF},
	{"iter/", BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, TYPES_ITERATOR, BTF_KIND_FUNC},
	{"raw_tp/", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, NULL, 0},
	{"tracepoint", BPF_PROG_TYPE_TRACEPOINT, 0, NULL, 0},
};

/* Puts initial values where programs find them. */
static int object_put_globals(struct object_map *map)
{
	__u32 zero = 0;
	void *memory;

	if (!(map->flags & BPF_F_MMAPABLE))
		return bpf_map_update_elem(map->fd, &zero, map->globals, BPF_ANY) ||
				bpf_map_freeze(map->fd)
			? -errno
			: 0;
	memory = mmap(NULL, map->value_size, PROT_READ | PROT_WRITE, MAP_SHARED, map->fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	if (strcmp(map->name, ".bss") != 0)
		memcpy(memory, map->globals, map->value_size);
	free(map->globals);
	map->globals = memory;
	map->is_mapped = true;
	return 0;
}

static int object_make_map(struct object_map *map)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = map->flags);

	map->fd = bpf_map_create((enum bpf_map_type)map->type, map->name, map->key_size,
		map->value_size, map->max_entries, &opts);
	if (map->fd < 0)
		return map->fd;
	return map->globals ? object_put_globals(map) : 0;
}

/* Instructions have the number of their map until now. Returns whether any hands a function to a
 * helper. */
static bool object_put_descriptors(const struct object *object, struct bpf_insn *insns, size_t n)
{
	bool functions = false;
	size_t i;

	for (i = 0; i < n; i++) {
		struct bpf_insn *insn = &insns[i];

		if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE)
			insn->imm = object->maps[insn->imm].fd;
		else if (insn->src_reg == BPF_PSEUDO_FUNC)
			functions = true;
	}
	return functions;
}

static const struct object_kind *object_kind_of(const char *section)
{
	size_t i;

	for (i = 0; i < sizeof(object_kinds) / sizeof(*object_kinds); i++)
		if (!strncmp(section, object_kinds[i].prefix, strlen(object_kinds[i].prefix)))
			return &object_kinds[i];
	return NULL;
}

/* The kernel's number of what a program is written for. Returns 0 or -errno. */
static int object_find_target(
	const struct object_kind *kind, const char *section, struct bpf_prog_load_opts *opts)
{
	const struct types *kernel;
	char *name;

	if (!kind->target)
		return 0;
	kernel = types_of_kernel();
	if (!kernel)
		return -ENOTSUP;
	name = mem_printf("%s%s", kind->target, section + strlen(kind->prefix));
	opts->attach_btf_id = types_find_kind(kernel, name, kind->target_kind);
	free(name);
	return opts->attach_btf_id ? 0 : -ESRCH;
}

static int object_try(struct object *object, struct object_program *program,
	const struct object_kind *kind, const struct bpf_prog_load_opts *opts)
{
	int i;

	for (i = 0; i < OBJECT_ATTEMPTS; i++) {
		program->fd = bpf_prog_load(kind->type, program->name, object->license,
			program->insns, program->n, opts);
		if (program->fd != -EAGAIN)
			break;
	}
	return program->fd < 0 ? program->fd : 0;
}

/* Of a function that a helper calls the kernel wants to know that it is one, and that nobody else
 * calls it: all are told to be int f(), which it does not look at. Returns a descriptor or -errno.
 */
static int object_make_types(void)
{
	const struct {
		struct btf_header header;
		struct btf_type number;
		__u32 encoding;
		struct btf_type shape, function;
		char names[8];
	} types = {
		.header = {.magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(types.header),
			.type_len = offsetof(__typeof__(types), names) - sizeof(types.header),
			.str_off = offsetof(__typeof__(types), names) - sizeof(types.header),
			.str_len = sizeof("\0int\0f")},
		.number = {.name_off = 1, .info = BTF_KIND_INT << 24, .size = sizeof(int)},
		.encoding = BTF_INT_SIGNED << 24 | sizeof(int) * 8,
		.shape = {.info = BTF_KIND_FUNC_PROTO << 24, .type = 1},
		.function = {.name_off = 5, .info = BTF_KIND_FUNC << 24, .type = OBJECT_SHAPE},
		.names = "\0int\0f",
	};
	int fd = bpf_btf_load(
		&types, sizeof(types.header) + types.header.type_len + types.header.str_len, NULL);

	return fd < 0 ? -errno : fd;
}

/* Loads a program with the object's functions behind it. */
static int object_load_joined(struct object *object, struct object_program *program,
	const struct object_kind *kind, struct bpf_prog_load_opts *opts)
{
	struct bpf_func_info functions[OBJECT_FUNCTIONS + 1] = {{.type_id = OBJECT_FUNCTION}};
	size_t n = program->n + object->functions_n, i;
	struct bpf_insn *insns = mem_alloc(n * sizeof(*insns));
	struct object_program joined = {.name = program->name, .insns = insns, .n = n};
	int types = object_make_types(), err;

	memcpy(insns, program->insns, program->n * sizeof(*insns));
	memcpy(insns + program->n, object->functions, object->functions_n * sizeof(*insns));
	for (i = 0; i < n; i++)
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
			insns[i].src_reg == BPF_PSEUDO_FUNC)
			insns[i].imm += (__s32)(program->n - i - 1);
	for (i = 0; i < object->n_starts; i++)
		functions[i + 1] =
			(struct bpf_func_info){.insn_off = (__u32)program->n + object->starts[i],
				.type_id = OBJECT_FUNCTION};
	opts->prog_btf_fd = (__u32)types;
	opts->func_info = functions;
	opts->func_info_cnt = (__u32)object->n_starts + 1;
	opts->func_info_rec_size = sizeof(*functions);
	err = types < 0 ? types : object_try(object, &joined, kind, opts);
	program->fd = err ? -1 : joined.fd;
	free(insns);
	if (types >= 0)
		close(types);
	return err;
}

static int object_load_program(struct object *object, struct object_program *program)
{
	const struct object_kind *kind = object_kind_of(program->section);
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int err;

	if (!kind)
		return -ENOTSUP;
	opts.expected_attach_type = kind->attach;
	err = object_find_target(kind, program->section, &opts);
	if (err)
		return err;
	return object_put_descriptors(object, program->insns, program->n)
		? object_load_joined(object, program, kind, &opts)
		: object_try(object, program, kind, &opts);
}

int object_load(struct object *object)
{
	int err = object_fit(object);
	size_t i;

	for (i = 0; !err && i < object->n_maps; i++)
		err = object_make_map(&object->maps[i]);
	if (!err)
		object_put_descriptors(object, object->functions, object->functions_n);
	for (i = 0; !err && i < object->n_programs; i++)
		err = object_load_program(object, &object->programs[i]);
	return err;
}

const char *object_tracepoint(const char *section)
{
	const struct object_kind *kind = object_kind_of(section);

	return kind && kind->type == BPF_PROG_TYPE_RAW_TRACEPOINT ? section + strlen(kind->prefix)
								  : NULL;
}
