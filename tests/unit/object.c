/* SPDX-License-Identifier: GPL-2.0-only */
/* Does our own loader make of an object file what libbpf makes of it? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "loader/object_load.h"
#include "loader/relocate.h"
#include "loader/types.h"
#include "sys/read_write.h"
#include "tap.h"

/* Types made by hand: struct pair {int a; struct {int b;};}, and int first. */
struct handmade {
	struct btf_header header;
	struct {
		struct btf_type number;
		__u32 encoding;
		struct btf_type inner;
		struct btf_member b;
		struct btf_type pair;
		struct btf_member a, unnamed;
	} types;
	char names[32];
};

#define OBJECT_SIZE_MAX (1 << 20)
#define NAMES "\0int\0b\0pair\0a"

static struct handmade handmade(void)
{
	struct handmade made = {
		.header = {.magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(made.header),
			.type_len = sizeof(made.types),
			.str_off = sizeof(made.types),
			.str_len = sizeof(NAMES)},
		.types = {.number = {.name_off = 1, .info = BTF_KIND_INT << 24, .size = 4},
			.encoding = BTF_INT_SIGNED << 24 | 32,
			.inner = {.info = BTF_KIND_STRUCT << 24 | 1, .size = 4},
			.b = {.name_off = 5, .type = 1},
			.pair = {.name_off = 7, .info = BTF_KIND_STRUCT << 24 | 2, .size = 8},
			.a = {.name_off = 12, .type = 1},
			.unnamed = {.type = 2, .offset = 32}},
		.names = NAMES,
	};

	return made;
}

static int take(const struct handmade *made, struct types *types)
{
	size_t size = sizeof(made->header) + made->header.type_len + made->header.str_len;

	return types_take(types, made, size, true);
}

static void test_types(void)
{
	struct handmade made = handmade();
	struct types_field field;
	struct types types;

	ok(!take(&made, &types) && types.n == 3, "types are counted");
	field = (struct types_field){.type = types_find(&types, "pair", 4, 0)};
	ok(field.type == 3 && !types_find(&types, "pair", 4, 3) && !types_find(&types, "pai", 3, 0),
		"a struct is found by its name");
	ok(!types_step(&types, &field, "b") && field.bit == 32 && field.type == 1,
		"a member is found in a struct without a name");
	field = (struct types_field){.type = 3};
	ok(types_step(&types, &field, "c") == -ENOENT, "what is no member is not found");
	types_free(&types);
	made.types.pair.info++;
	ok(take(&made, &types) == -EINVAL, "a struct that ends behind the types is refused");
	made = handmade();
	made.names[sizeof(NAMES) - 1] = 'x';
	ok(take(&made, &types) == -EINVAL, "names without an end are refused");
	made = handmade();
	made.header.str_off = sizeof(made);
	ok(take(&made, &types) == -EINVAL, "names outside are refused");
}

/* Mends an instruction by a record of pair: in the kernel b is where a was, which it has not. */
static int relocated(const char *access, __u32 kind, struct bpf_insn *insn)
{
	struct handmade kernel = handmade(), object = handmade();
	struct bpf_core_relo record = {.type_id = 3, .kind = kind, .access_str_off = sizeof(NAMES)};
	struct types ours, theirs;
	int err;

	kernel.types.unnamed.offset = 0;
	kernel.types.a.name_off = 0;
	kernel.types.a.type = 2;
	memcpy(object.names + sizeof(NAMES), access, strlen(access) + 1);
	object.header.str_len += (__u32)strlen(access) + 1;
	if (take(&kernel, &theirs) || take(&object, &ours))
		return -EINVAL;
	err = relocate(&ours, &theirs, &record, insn);
	types_free(&ours);
	types_free(&theirs);
	return err;
}

static void test_relocations(void)
{
	struct bpf_insn load = {.code = BPF_LDX | BPF_MEM | BPF_W, .off = 4}, insn = load;
	struct bpf_insn set = {.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 7};

	ok(!relocated("0:1:0", BPF_CORE_FIELD_BYTE_OFFSET, &insn) && insn.off == 0,
		"a member is read where the kernel has it");
	insn = load;
	ok(!relocated("0:0", BPF_CORE_FIELD_BYTE_OFFSET, &insn) &&
			insn.code == (BPF_JMP | BPF_CALL),
		"to read what the kernel does not have is a call of nothing");
	insn = set;
	ok(!relocated("0:0", BPF_CORE_FIELD_EXISTS, &insn) && insn.imm == 0,
		"that the kernel does not have it is told");
	insn = set;
	ok(!relocated("0:1:0", BPF_CORE_FIELD_EXISTS, &insn) && insn.imm == 1, "and that it has");
	insn = set;
	ok(relocated("0:1:0", BPF_CORE_TYPE_MATCHES, &insn) == -ENOTSUP && insn.imm == 7,
		"what else may be asked is left to libbpf");
	insn = set;
	ok(relocated("0:x", BPF_CORE_FIELD_EXISTS, &insn) == -ENOTSUP,
		"and what is not understood");
}

static bool names_a_map(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg;
}

/* Whether two programs are the same but for numbers of descriptors, and for how libbpf says that
 * an instruction must not be reached. */
static bool same_program(const struct object_program *ours, const struct bpf_program *theirs)
{
	const struct bpf_insn *a = ours->insns, *b = bpf_program__insns(theirs);
	size_t n = bpf_program__insn_cnt(theirs), i;

	if (n < ours->n)
		return false;
	for (i = 0; i < ours->n; i++) {
		if (names_a_map(&a[i]) && a[i].src_reg == b[i].src_reg) {
			i++;
			continue;
		}
		if (memcmp(&a[i], &b[i], sizeof(*a)) != 0)
			return false;
	}
	return true;
}

static bool same_programs(struct object *ours, struct bpf_object *theirs)
{
	struct bpf_program *program;
	size_t i = 0;

	bpf_object__for_each_program(program, theirs)
	{
		if (i == ours->n_programs || !same_program(&ours->programs[i++], program))
			return false;
	}
	return i && i == ours->n_programs;
}

static void test_file(const char *path)
{
	struct str bytes = STR_INIT;
	struct object ours;
	struct bpf_object *theirs;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	read_all(fd, OBJECT_SIZE_MAX, &bytes);
	close(fd);
	err = object_open(&ours, str_text(&bytes), bytes.len);
	theirs = bpf_object__open_mem(str_text(&bytes), bytes.len, NULL);
	if (!err)
		err = object_fit(&ours);
	if (err)
		ok(err == -ENOTSUP, "%s is left to others", path);
	else if (!theirs || bpf_object__load(theirs))
		ok(true, "%s is fitted as libbpf does # SKIP libbpf cannot load it", path);
	else
		ok(same_programs(&ours, theirs) && !object_load(&ours),
			"%s is fitted as libbpf does, and loads", path);
	bpf_object__close(theirs);
	object_close(&ours);
	str_free(&bytes);
}

int main(int argc, char **argv)
{
	char *folder = mem_printf("%.*s../bpf/",
		argc ? (int)(strlen(argv[0]) - strlen(strrchr(argv[0], '/') + 1)) : 0, argv[0]);
	char *tracers = mem_printf("%s[bilst]*.bpf.o", folder), *iterators;
	glob_t found;
	size_t i;

	iterators = mem_printf("%siter/*.bpf.o", folder);
	test_types();
	test_relocations();
	libbpf_set_print(NULL);
	if (geteuid() || !types_of_kernel()) {
		ok(true, "object files are fitted as libbpf does # SKIP needs root and BTF");
	} else {
		glob(tracers, 0, NULL, &found);
		glob(iterators, GLOB_APPEND, NULL, &found);
		for (i = 0; i < found.gl_pathc; i++)
			test_file(found.gl_pathv[i]);
		globfree(&found);
	}
	free(tracers);
	free(iterators);
	free(folder);
	return tap_done();
}
