# SPDX-License-Identifier: GPL-2.0-only
# Tuesday: wildcards are the list. A check file, a tool, a tracer, a source, a test that is dropped
# into its folder is built, linked, embedded and run; nothing here names one.

PREFIX  ?= /usr/local
BUILD   ?= build
BIN     ?= bin
CC      ?= gcc
CLANG   ?= clang
STRIP   ?= llvm-strip
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
# One file to copy to a machine in a crisis: static, unless a sanitizer needs otherwise.
STATIC  ?= -static
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo 0)

WARN     = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
           -Wformat=2 -Wimplicit-fallthrough $(if $(CI),-Werror)
OPTIMIZE ?= -O2 -g -fstack-protector-strong -D_FORTIFY_SOURCE=2
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE $(WARN) $(OPTIMIZE) -Ilib -I. -include lib/banned.h \
           -MMD -MP $(CFLAGS)
LIBS     = -lbpf -lelf -lz -lcap -linih -ljansson

CHECKS  := $(sort $(basename $(notdir $(wildcard checks.d/*.ini))))
TRACERS := $(sort $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c)))
UNITS   := $(sort $(basename $(notdir $(wildcard tests/unit/*.c))))
FUZZERS := $(sort $(basename $(notdir $(wildcard tests/fuzz/*.c))))
HELPERS := $(sort $(basename $(notdir $(wildcard tests/faults/*.c))))

LIB_OBJ   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out lib/main.c lib/tracer.c,$(wildcard lib/*.c lib/sources/*.c)))
TRACE_OBJ := $(TRACERS:%=$(BUILD)/bpf/%.tracer.o)
TOOL_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/*health.c))
RUN_OBJ   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(wildcard tools/*health.c),$(wildcard tools/*.c)))
EMBED_OBJ := $(CHECKS:%=$(BUILD)/checks.d/%.o)
CORE      := $(LIB_OBJ) $(TRACE_OBJ)

PROGRAMS := $(BIN)/tuesday $(CHECKS:%=$(BIN)/%health)

all: $(PROGRAMS) $(HELPERS:%=$(BUILD)/faults/%)

# Programs. Everything registers itself in a linker section, so all objects are linked as they are.
$(BIN)/tuesday: $(BUILD)/lib/main.o $(RUN_OBJ) $(CORE) $(TOOL_OBJ) $(EMBED_OBJ)
	@mkdir -p $(@D)
	$(CC) $(STATIC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)

.SECONDEXPANSION:
$(BIN)/%health: $(BUILD)/lib/main.o $(CORE) $(BUILD)/checks.d/%.o $$(patsubst %.c,$(BUILD)/%.o,$$(wildcard tools/$$*health.c))
	@mkdir -p $(@D)
	$(CC) $(STATIC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/lib/main.o $(BUILD)/lib/run.o: ALL_CFLAGS += -DVERSION='"$(VERSION)"'

$(BUILD)/checks.d/%.o: checks.d/%.ini lib/embed.S
	@mkdir -p $(@D)
	$(CC) -c -DINI='"$<"' -DNAME='"$*"' -o $@ lib/embed.S

# BPF: clang, stripped, and both kinds of skeleton; the same glue serves every tracer.
ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/; s/ppc64le/powerpc/')
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) -target bpf -D__TARGET_ARCH_$(ARCH) -g -O2 -Wall -Wextra -Wno-unused-parameter \
		-Wno-missing-declarations $(if $(CI),-Werror) -I/usr/include/$(shell uname -m)-linux-gnu \
		-MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<
	$(STRIP) -g $@

$(BUILD)/bpf/%.lskel.h: $(BUILD)/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton -L $< name $*_light > $@.tmp && mv $@.tmp $@

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $*_full > $@.tmp && mv $@.tmp $@

$(BUILD)/bpf/%.tracer.o: lib/tracer.c $(BUILD)/bpf/%.lskel.h $(BUILD)/bpf/%.skel.h
	$(CC) $(ALL_CFLAGS) -I$(BUILD)/bpf -DTRACER=$* -DTRACER_LIGHT='"$*.lskel.h"' \
		-DTRACER_FULL='"$*.skel.h"' -c -o $@ $<

# Tests. Unit tests and fault helpers are C; the rest is shell. All of it is run by prove.
$(BUILD)/unit/%.t: $(BUILD)/tests/unit/%.o $(CORE) $(TOOL_OBJ) $(EMBED_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS) -lm

$(BUILD)/faults/%: tests/faults/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -g $(CFLAGS) -o $@ $< -lpthread

unit: $(UNITS:%=$(BUILD)/unit/%.t)
	prove -e '' $(BUILD)/unit/*.t

check: all $(UNITS:%=$(BUILD)/unit/%.t)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove -e '' $(BUILD)/unit/*.t \
		$(wildcard tests/*.t tests/replay/*.t tests/faults/*.t)

SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
asan:
	$(MAKE) BUILD=$(BUILD)/asan BIN=$(BUILD)/asan/bin STATIC= OPTIMIZE='-O1 -g' \
		CFLAGS='$(SANITIZE)' asan-check

asan-check: all $(UNITS:%=$(BUILD)/unit/%.t)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove -e '' $(BUILD)/unit/*.t \
		$(wildcard tests/*.t tests/replay/*.t)

# libFuzzer: every target runs FUZZ_SECONDS on its corpus in tests/fuzz/NAME/.
FUZZ_SECONDS ?= 10
fuzz:
	$(MAKE) BUILD=$(BUILD)/fuzz CC=$(CLANG) STATIC= OPTIMIZE='-O1 -g' \
		CFLAGS='-fsanitize=fuzzer-no-link,address,undefined' fuzz-run

$(BUILD)/fuzzers/%: $(BUILD)/tests/fuzz/%.o $(LIB_OBJ) $(TRACE_OBJ) $(TOOL_OBJ) $(EMBED_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) $(LIBS) -lm

fuzz-run: $(FUZZERS:%=$(BUILD)/fuzzers/%)
	tests/fuzz/run $(FUZZ_SECONDS) $(BUILD)/fuzzers $(FUZZERS)

bench: all
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) bench/run

lint: all
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability \
		--suppress=missingIncludeSystem --suppress=unknownMacro -Ilib -I. lib tools
	shellcheck -x $(wildcard .ci/run bench/run bench/*.sh tests/lib.sh tests/*.t tests/replay/*.t tests/faults/*.t tests/fuzz/run)
	$(BIN)/tuesday lint checks.d/*.ini

SOURCES = $(wildcard lib/*.[ch] lib/sources/*.[ch] tools/*.[ch] bpf/*.[ch] tests/*/*.[ch])
format:
	clang-format -i $(SOURCES)
format-check:
	clang-format --dry-run --Werror $(SOURCES)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/doc/tuesday
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -m 644 README.md LICENSE docs/*.md $(DESTDIR)$(PREFIX)/share/doc/tuesday

clean:
	rm -rf $(BUILD) $(BIN)

.PHONY: all unit check asan asan-check fuzz fuzz-run bench lint format format-check install clean
.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
