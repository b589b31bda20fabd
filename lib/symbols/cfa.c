/* SPDX-License-Identifier: GPL-2.0-only */
/* Where did this function's caller leave its registers? */
#include "base/banned.h"

#include "symbols/cfa.h"
#include "symbols/eh_frame.h"

enum { REMEMBERED_MAX = 8, OPERATIONS_MAX = 256, VALUES_MAX = 32, INSTRUCTIONS_MAX = 65536 };

enum cfa_how {
	CFA_SAME, /* the callee has not changed it */
	CFA_UNDEFINED,
	CFA_AT_OFFSET, /* saved at the canonical frame address + offset */
	CFA_IS_OFFSET, /* is that address + offset */
	CFA_IN_REGISTER,
	CFA_AT_EXPRESSION,
	CFA_IS_EXPRESSION,
};

struct cfa_rule {
	enum cfa_how how;
	int64_t offset; /* or the number of a register */
	struct eh_cursor expression;
};

/* The rules at one place of a function. */
struct cfa_row {
	bool by_expression;
	uint64_t base; /* the register that the canonical frame address is counted from */
	int64_t offset;
	struct eh_cursor expression;
	struct cfa_rule rules[CFA_REGISTERS];
};

struct cfa_machine {
	const struct eh_frame_common *common;
	struct cfa_row row, initial;
	struct cfa_row remembered[REMEMBERED_MAX];
	size_t n_remembered;
	uint64_t at, until; /* addresses */
	unsigned int instructions;
	bool damaged;
};

bool cfa_read(const struct cfa_memory *memory, uint64_t address, uint64_t *value)
{
	const uint64_t within = address - memory->address;

	if (memory->len < sizeof(*value) || within > memory->len - sizeof(*value))
		return false;
	memcpy(value, memory->bytes + within, sizeof(*value));
	return true;
}

/* What is above a copy was cut off; what is below it is no stack of this thread. */
static enum cfa_end cfa_missing(const struct cfa_memory *memory, uint64_t address)
{
	return address >= memory->address ? CFA_CUT : CFA_LOST;
}

static struct cfa_rule *cfa_rule_of(struct cfa_machine *machine, uint64_t number)
{
	static struct cfa_rule ignored; /* vector registers, which no walk needs */

	return number < CFA_REGISTERS ? &machine->row.rules[number] : &ignored;
}

static void cfa_set(struct cfa_machine *machine, uint64_t number, enum cfa_how how, int64_t offset)
{
	*cfa_rule_of(machine, number) = (struct cfa_rule){.how = how, .offset = offset};
}

static void cfa_set_expression(
	struct cfa_machine *machine, uint64_t number, enum cfa_how how, struct eh_cursor *from)
{
	struct cfa_rule *rule = cfa_rule_of(machine, number);

	*rule = (struct cfa_rule){.how = how};
	rule->expression = eh_cursor_part(from, eh_cursor_uleb(from));
}

/* Products of what a file says may be of any size: they wrap. */
static int64_t cfa_times(uint64_t count, int64_t unit)
{
	return (int64_t)(count * (uint64_t)unit);
}

static void cfa_restore(struct cfa_machine *machine, uint64_t number)
{
	if (number < CFA_REGISTERS)
		machine->row.rules[number] = machine->initial.rules[number];
}

/* DW_CFA_remember_state and DW_CFA_restore_state. */
static void cfa_remember(struct cfa_machine *machine, bool restores)
{
	if (restores && machine->n_remembered)
		machine->row = machine->remembered[--machine->n_remembered];
	else if (!restores && machine->n_remembered < REMEMBERED_MAX)
		machine->remembered[machine->n_remembered++] = machine->row;
	else
		machine->damaged = true;
}

/* Those that set what the frame address is counted from. */
static bool cfa_define(struct cfa_machine *machine, uint8_t code, struct eh_cursor *from)
{
	struct cfa_row *row = &machine->row;
	const int64_t unit = machine->common->data_unit;

	switch (code) {
	case 0x0c: /* DW_CFA_def_cfa */
	case 0x12: /* DW_CFA_def_cfa_sf */
		row->by_expression = false;
		row->base = eh_cursor_uleb(from);
		row->offset = code == 0x0c ? (int64_t)eh_cursor_uleb(from)
					   : cfa_times((uint64_t)eh_cursor_sleb(from), unit);
		return true;
	case 0x0d: /* DW_CFA_def_cfa_register */
		row->by_expression = false;
		row->base = eh_cursor_uleb(from);
		return true;
	case 0x0e: /* DW_CFA_def_cfa_offset */
		row->offset = (int64_t)eh_cursor_uleb(from);
		return true;
	case 0x13: /* DW_CFA_def_cfa_offset_sf */
		row->offset = cfa_times((uint64_t)eh_cursor_sleb(from), unit);
		return true;
	case 0x0f: /* DW_CFA_def_cfa_expression */
		row->by_expression = true;
		row->expression = eh_cursor_part(from, eh_cursor_uleb(from));
		return true;
	default:
		return false;
	}
}

/* Those that say where one register is. */
static bool cfa_place(struct cfa_machine *machine, uint8_t code, struct eh_cursor *from)
{
	const int64_t unit = machine->common->data_unit;
	const uint64_t number = eh_cursor_uleb(from);

	switch (code) {
	case 0x05: /* DW_CFA_offset_extended */
	case 0x11: /* DW_CFA_offset_extended_sf */
	case 0x14: /* DW_CFA_val_offset */
	case 0x15: /* DW_CFA_val_offset_sf */
	case 0x2f: /* DW_CFA_GNU_negative_offset_extended */
		cfa_set(machine, number,
			code == 0x14 || code == 0x15 ? CFA_IS_OFFSET : CFA_AT_OFFSET,
			cfa_times(code == 0x11 || code == 0x15 ? (uint64_t)eh_cursor_sleb(from)
							       : eh_cursor_uleb(from),
				code == 0x2f ? (int64_t)(0 - (uint64_t)unit) : unit));
		return true;
	case 0x06: /* DW_CFA_restore_extended */
		cfa_restore(machine, number);
		return true;
	case 0x07: /* DW_CFA_undefined */
	case 0x08: /* DW_CFA_same_value */
		cfa_set(machine, number, code == 0x07 ? CFA_UNDEFINED : CFA_SAME, 0);
		return true;
	case 0x09: /* DW_CFA_register */
		cfa_set(machine, number, CFA_IN_REGISTER, (int64_t)eh_cursor_uleb(from));
		return true;
	case 0x10: /* DW_CFA_expression */
	case 0x16: /* DW_CFA_val_expression */
		cfa_set_expression(machine, number,
			code == 0x10 ? CFA_AT_EXPRESSION : CFA_IS_EXPRESSION, from);
		return true;
	default:
		return false;
	}
}

/* One instruction. */
static void cfa_instruction(struct cfa_machine *machine, struct eh_cursor *from)
{
	const uint8_t code = (uint8_t)eh_cursor_take(from, 1), low = code & 0x3f;
	const uint64_t unit = machine->common->code_unit;

	if ((code & 0xc0) == 0x40) /* DW_CFA_advance_loc */
		machine->at += low * unit;
	else if ((code & 0xc0) == 0x80) /* DW_CFA_offset */
		cfa_set(machine, low, CFA_AT_OFFSET,
			cfa_times(eh_cursor_uleb(from), machine->common->data_unit));
	else if ((code & 0xc0) == 0xc0) /* DW_CFA_restore */
		cfa_restore(machine, low);
	else if (code >= 0x02 && code <= 0x04) /* DW_CFA_advance_loc1, 2, 4 */
		machine->at += eh_cursor_take(from, (size_t)1 << (code - 2)) * unit;
	else if (code == 0x0a || code == 0x0b)
		cfa_remember(machine, code == 0x0b);
	else if (code == 0x2e) /* DW_CFA_GNU_args_size */
		eh_cursor_uleb(from);
	else if (code && !cfa_define(machine, code, from) && !cfa_place(machine, code, from))
		machine->damaged = true;
}

static void cfa_run(struct cfa_machine *machine, struct eh_cursor from)
{
	while (from.at < from.end && machine->at <= machine->until && !machine->damaged) {
		const struct eh_cursor before = from;
		const uint64_t at = machine->at;
		const uint8_t code = *before.at;
		/* Rules that begin behind the place are not its own. */
		const bool advances = (code & 0xc0) == 0x40 || (code >= 0x02 && code <= 0x04);

		cfa_instruction(machine, &from);
		machine->damaged |= from.damaged || machine->at < at ||
			++machine->instructions > INSTRUCTIONS_MAX;
		if (advances && machine->at > machine->until)
			break;
	}
}

/* The rules at an address of a function. */
static bool cfa_row_at(struct cfa_row *row, const struct eh_frame *frames,
	const struct eh_frame_function *function, const struct eh_frame_common *common,
	uint64_t address)
{
	struct cfa_machine machine;
	struct eh_cursor instructions;

	if (!eh_frame_instructions(frames, function, common, &instructions))
		return false;
	memset(&machine, 0, sizeof(machine));
	machine.common = common;
	machine.until = UINT64_MAX;
	cfa_run(&machine, common->instructions);
	machine.initial = machine.row;
	machine.at = function->address;
	machine.until = address;
	cfa_run(&machine, instructions);
	*row = machine.row;
	return !machine.damaged;
}

/* A stack of values, as expressions work on. */
struct cfa_values {
	uint64_t list[VALUES_MAX];
	size_t n;
	bool damaged, cut;
};

static void cfa_push(struct cfa_values *values, uint64_t value)
{
	if (values->n < VALUES_MAX)
		values->list[values->n++] = value;
	else
		values->damaged = true;
}

static uint64_t cfa_pop(struct cfa_values *values)
{
	if (values->n)
		return values->list[--values->n];
	values->damaged = true;
	return 0;
}

static uint64_t cfa_two(uint8_t code, uint64_t a, uint64_t b, bool *damaged)
{
	switch (code) {
	case 0x1a:
		return a & b;
	case 0x1c:
		return a - b;
	case 0x1e:
		return a * b;
	case 0x21:
		return a | b;
	case 0x22:
		return a + b;
	case 0x24:
		return b < 64 ? a << b : 0;
	case 0x25:
		return b < 64 ? a >> b : 0;
	case 0x27:
		return a ^ b;
	case 0x29:
		return a == b;
	case 0x2a:
		return (int64_t)a >= (int64_t)b;
	case 0x2b:
		return (int64_t)a > (int64_t)b;
	case 0x2c:
		return (int64_t)a <= (int64_t)b;
	case 0x2d:
		return (int64_t)a < (int64_t)b;
	case 0x2e:
		return a != b;
	default:
		*damaged = true;
		return 0;
	}
}

/* DW_OP_const1u to DW_OP_consts. */
static uint64_t cfa_constant(uint8_t code, struct eh_cursor *from)
{
	const unsigned int bytes = 1u << (code - 0x08) / 2;
	uint64_t value;

	if (code == 0x10)
		return eh_cursor_uleb(from);
	if (code == 0x11)
		return (uint64_t)eh_cursor_sleb(from);
	value = eh_cursor_take(from, bytes);
	if (code & 1 && bytes < 8)
		value = (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	return value;
}

static void cfa_operation(struct cfa_values *values, uint8_t code, struct eh_cursor *from,
	const struct cfa_memory *stack, const struct cfa_registers *registers)
{
	uint64_t a, b;

	if (code >= 0x30 && code <= 0x4f) { /* DW_OP_lit0 to 31 */
		cfa_push(values, code - 0x30u);
	} else if (code >= 0x70 && code <= 0x8f) { /* DW_OP_breg0 to 31 */
		a = code - 0x70u;
		values->damaged |= a >= CFA_REGISTERS || !(registers->known >> a & 1);
		b = (uint64_t)eh_cursor_sleb(from);
		cfa_push(values, a < CFA_REGISTERS ? registers->value[a] + b : 0);
	} else if (code >= 0x08 && code <= 0x11) {
		cfa_push(values, cfa_constant(code, from));
	} else if (code == 0x06) { /* DW_OP_deref */
		b = 0;
		values->cut |= !cfa_read(stack, cfa_pop(values), &b);
		cfa_push(values, b);
	} else if (code == 0x12) { /* DW_OP_dup */
		a = cfa_pop(values);
		cfa_push(values, a);
		cfa_push(values, a);
	} else if (code == 0x23) { /* DW_OP_plus_uconst */
		a = cfa_pop(values);
		cfa_push(values, a + eh_cursor_uleb(from));
	} else {
		b = cfa_pop(values);
		a = cfa_pop(values);
		cfa_push(values, cfa_two(code, a, b, &values->damaged));
	}
}

/* The value of an expression, whose stack begins with the frame address where there is one. */
static enum cfa_end cfa_evaluate(struct eh_cursor from, const uint64_t *first,
	const struct cfa_memory *stack, const struct cfa_registers *registers, uint64_t *value)
{
	struct cfa_values values = {.n = 0};
	int i;

	if (first)
		cfa_push(&values, *first);
	for (i = 0; i < OPERATIONS_MAX && from.at < from.end && !values.damaged; i++) {
		const uint8_t code = (uint8_t)eh_cursor_take(&from, 1);

		cfa_operation(&values, code, &from, stack, registers);
	}
	*value = cfa_pop(&values);
	if (values.damaged || from.damaged || from.at < from.end)
		return CFA_LOST;
	return values.cut ? CFA_CUT : CFA_WENT_ON;
}

/* What one register was in the caller. */
static enum cfa_end cfa_recover(const struct cfa_rule *rule, size_t number, uint64_t frame,
	const struct cfa_memory *stack, const struct cfa_registers *before,
	struct cfa_registers *after)
{
	enum cfa_end end = CFA_WENT_ON;
	uint64_t value = before->value[number];
	bool known = before->known >> number & 1;

	if (rule->how == CFA_UNDEFINED) {
		known = false;
	} else if (rule->how == CFA_AT_OFFSET || rule->how == CFA_IS_OFFSET) {
		known = true;
		value = frame + (uint64_t)rule->offset;
	} else if (rule->how == CFA_IN_REGISTER) {
		known = (uint64_t)rule->offset < CFA_REGISTERS && before->known >> rule->offset & 1;
		value = known ? before->value[rule->offset] : 0;
	} else if (rule->how != CFA_SAME) {
		end = cfa_evaluate(rule->expression, &frame, stack, before, &value);
		known = true;
	}
	if (end == CFA_WENT_ON && (rule->how == CFA_AT_OFFSET || rule->how == CFA_AT_EXPRESSION) &&
		!cfa_read(stack, value, &value))
		end = cfa_missing(stack, value);
	known &= end == CFA_WENT_ON;
	after->value[number] = value;
	after->known = (after->known & ~(1u << number)) | (uint32_t)known << number;
	return end;
}

static enum cfa_end cfa_apply(
	const struct cfa_row *row, const struct cfa_memory *stack, struct cfa_registers *registers)
{
	struct cfa_registers after = {.known = 0};
	enum cfa_end end = CFA_WENT_ON;
	uint64_t frame;

	if (row->by_expression) {
		end = cfa_evaluate(row->expression, NULL, stack, registers, &frame);
	} else {
		if (row->base >= CFA_REGISTERS || !(registers->known >> row->base & 1))
			return CFA_LOST;
		frame = registers->value[row->base] + (uint64_t)row->offset;
	}
	if (end != CFA_WENT_ON)
		return end;
	if (row->rules[CFA_PC].how == CFA_UNDEFINED)
		return CFA_OUTERMOST;
	/* A stack grows down, so a caller's frame is above: else this would go round for ever. */
	if (frame <= registers->value[CFA_SP])
		return CFA_LOST;
	for (size_t i = 0; i < CFA_REGISTERS; i++) {
		end = cfa_recover(&row->rules[i], i, frame, stack, registers, &after);
		if (i == CFA_PC && end != CFA_WENT_ON)
			return end;
	}
	if (row->rules[CFA_SP].how == CFA_SAME) {
		after.value[CFA_SP] = frame;
		after.known |= 1u << CFA_SP;
	}
	if (!(after.known >> CFA_PC & 1) || !(after.known >> CFA_SP & 1))
		return CFA_LOST;
	*registers = after;
	return CFA_WENT_ON;
}

enum cfa_end cfa_step(const struct eh_frame *frames, const struct eh_frame_function *function,
	uint64_t address, const struct cfa_memory *stack, struct cfa_registers *registers,
	bool *is_signal)
{
	struct eh_frame_common common;
	struct cfa_row row;

	*is_signal = false;
	if (!eh_frame_common_at(frames, function->common, &common) ||
		common.return_register != CFA_PC ||
		!cfa_row_at(&row, frames, function, &common, address))
		return CFA_LOST;
	*is_signal = common.is_signal;
	return cfa_apply(&row, stack, registers);
}
