# SPDX-License-Identifier: GPL-2.0-only
# Tuesday: wildcards are the list. A check file, a command, a tracer, a source, a test that is dropped
# into its folder is built, linked, embedded and run; nothing here names one.

PREFIX  ?= /usr/local
BUILD   ?= build
BIN     ?= bin
CC      ?= gcc
PACKER  ?= $(CC)
# Where the program is for another machine: what is run while it is built.
HOST_CC ?= $(CC)
CLANG   ?= clang
OBJCOPY ?= objcopy
STRIP   ?= llvm-strip
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
# One file to copy to a machine in a crisis: static, unless a sanitizer needs otherwise, and at
# addresses that differ each time.
STATIC  ?= $(HARDENED_STATIC)
# The newest tag, v1.2 as 1.2, and what came after it: 1.2-3-gabcdef0. Before the first tag it is 0-gabcdef0. Of a
# tarball the file that `make dist` put into it.
VERSION := $(shell cat VERSION 2>/dev/null || \
	git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null | sed 's/^v//' | grep . || \
	git describe --always --exclude '*' --dirty 2>/dev/null | sed 's/^/0-g/' | grep . || echo 0)

WARN     = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
           -Wformat=2 -Wimplicit-fallthrough $(if $(CI),-Werror)
OPTIMIZE ?= -O2 -g $(HARDENING)
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE $(WARN) $(OPTIMIZE) -iquote lib -iquote . -iquote $(BUILD) \
             -MMD -MP $(CFLAGS)
ALL_LDFLAGS = $(HARDENED_LINK) $(LDFLAGS)
LIBS     = -lsqlite3 -lbpf -lelf -lz -lcap -linih -lm

# A program of its own is only what needs a library that the rest must not carry: tools/NAMEdiagnose.c
# with its parts in tools/NAME/, where the file libs has these libraries. All else is one program.
APART    := $(patsubst tools/%/libs,%,$(wildcard tools/*/libs))
CHECKS   := $(patsubst checks.d/%.ini,%,$(wildcard checks.d/*.ini checks.d/*/*.ini))
TRACERS  := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c))
objects   = $(patsubst %,$(BUILD)/%.o,$(patsubst %.c,%,$(wildcard $(1))))

LIB_OBJ   := $(filter-out %/run/main.o,$(call objects,lib/*/*.c lib/sources/*/*.c lib/*/*.css lib/*/*.js lib/*/*.ini)) \
             $(BUILD)/embed/nvml_helper.bin.o $(BUILD)/embed/tuesday.libraries.o $(TRACERS:%=$(BUILD)/bpf/%.tracer.o)
CHECK_OBJ := $(CHECKS:%=$(BUILD)/checks.d/%.packed.o)
part_objects = $(call objects,$(foreach kind,c ini css js,$(1:%=tools/%/*.$(kind))))
APART_OBJ := $(call part_objects,$(APART))
PART_OBJ  := $(filter-out $(APART_OBJ),$(call part_objects,*))
TOOL_OBJ  := $(filter-out $(APART:%=$(BUILD)/tools/%diagnose.o),$(call objects,tools/*.c))
PAGE_OBJ  := $(patsubst %,$(BUILD)/%.page.o,$(wildcard docs/*.md))
SUITE_OBJ := $(LIB_OBJ) $(CHECK_OBJ) $(PART_OBJ) $(TOOL_OBJ) $(PAGE_OBJ)

# What the one program is called by: NAMEhealth asks the check NAME, NAMEdiagnose digs.
LINKS    := $(notdir $(CHECKS:%=%health)) \
            $(filter-out $(APART:%=%diagnose),$(basename $(notdir $(wildcard tools/*diagnose.c))))
PROGRAMS := $(BIN)/tuesday $(APART:%=$(BIN)/%diagnose)

all: programs
programs: $(PROGRAMS) $(LINKS:%=$(BIN)/%)

# Everything registers itself in a linker section, so all objects are linked as they are. Debug
# information goes into a file beside. glibc warns of every static program that looks up names, or
# could load a library (SQLite): that is shown only where the link fails.
link = $(CC) $(STATIC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(1) $(LIBS) \
	2>$(BUILD)/$(@F).link || { cat $(BUILD)/$(@F).link; exit 1; }
split_debug = $(OBJCOPY) --only-keep-debug --compress-debug-sections $@ $@.debug && \
	$(OBJCOPY) --strip-all --add-gnu-debuglink=$@.debug $@

$(BIN)/tuesday: $(BUILD)/lib/run/main.o $(SUITE_OBJ)
	@mkdir -p $(@D)
	$(call link)
	$(split_debug)

$(LINKS:%=$(BIN)/%): | $(BIN)/tuesday
	ln -sf tuesday $@

.SECONDEXPANSION:
$(APART:%=$(BIN)/%diagnose): $(BIN)/%diagnose: $(BUILD)/lib/run/main.o $(LIB_OBJ) \
		$(BUILD)/tools/%diagnose.o $$(call part_objects,$$*) $(BUILD)/embed/%.libraries.o
	@mkdir -p $(@D)
	$(call link,$(shell cat tools/$*/libs))
	$(split_debug)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Written only when it is another one, so that a commit recompiles one file.
$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@
$(BUILD)/lib/base/version.o: ALL_CFLAGS += -DVERSION='"$(VERSION)"'
$(BUILD)/lib/base/version.o: $(BUILD)/version

# Files as bytes in the program: tools/NAME/WHAT.ini lies between the symbols NAME_WHAT_ini and
# NAME_WHAT_ini_end, and so do .css and .js; lib/ likewise.
symbol = $(subst .,_,$(subst /,_,$(patsubst tools/%,%,$(patsubst lib/%,%,$(1)))))
define embed
	@mkdir -p $(@D)
	$(PACKER) $(HARDENING) -c -DFILE='"$<"' -DNAME=$(call symbol,$*) -o $@ embed/data.S
endef
$(BUILD)/%.o: % embed/data.S
	$(embed)

# A check file that cannot be taken apart breaks the build, with its file and line.
$(BUILD)/pack: $(addsuffix .c,embed/pack lib/check/packed $(addprefix lib/base/,ini diag escape str)) \
		$(wildcard lib/base/*.h lib/check/packed.h)
	@mkdir -p $(@D)
	$(HOST_CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -iquote lib -o $@ $(filter %.c,$^) -linih
$(BUILD)/checks.d/%.packed: checks.d/%.ini $(BUILD)/pack
	@mkdir -p $(@D)
	$(BUILD)/pack $< >$@
$(BUILD)/checks.d/%.packed.o: $(BUILD)/checks.d/%.packed embed/check_file.S
	$(PACKER) $(HARDENING) -c -DPACKED='"$<"' -DNAME='"$(notdir $*)"' -o $@ embed/check_file.S

# The documents, for `tuesday help`. A page that nobody asks for stays compressed.
$(BUILD)/docs/%.md.gz: docs/%.md
	@mkdir -p $(@D)
	gzip -9nc $< >$@
$(BUILD)/docs/%.md.page.o: $(BUILD)/docs/%.md.gz embed/page.S
	$(PACKER) $(HARDENING) -c -DFILE='"$<"' -DNAME='"$*"' -o $@ embed/page.S

# A dynamic program within the static one: the NVIDIA library needs the system's own C library.
$(BUILD)/embed/nvml_helper.bin: $(wildcard embed/nvml_*.[ch])
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 $(HARDENING) $(HARDENED_LINK) -s -iquote . -o $@ \
		$(filter %.c,$^)
$(BUILD)/embed/nvml_helper.bin.o: $(BUILD)/embed/%.bin.o: $(BUILD)/embed/%.bin embed/data.S
	$(embed)

# What is inside that others wrote: printed by --version -v, and the bill of materials of all programs.
$(BUILD)/embed/%.libraries: embed/libraries.sh Makefile $$(wildcard tools/$$*/libs)
	@mkdir -p $(@D)
	embed/libraries.sh '$(CC)' $(if $(filter tuesday,$*),$(LIBS) -lc,$$(cat tools/$*/libs)) >$@
$(BUILD)/embed/%.libraries.o: $(BUILD)/embed/%.libraries embed/libraries.S
	$(PACKER) $(HARDENING) -c -DFILE='"$<"' -o $@ embed/libraries.S
SBOM := $(BUILD)/tuesday.spdx.json
INSIDE := $(BUILD)/embed/tuesday.libraries
sbom: $(SBOM)
$(SBOM): embed/sbom.sh $(BUILD)/version $(INSIDE) $(APART:%=$(BUILD)/embed/%.libraries)
	embed/sbom.sh '$(VERSION)' tuesday=$(INSIDE) \
		$(foreach name,$(APART),$(name)diagnose=$(INSIDE),$(BUILD)/embed/$(name).libraries) >$@

include hardening.mk bpf/bpf.mk tests/tests.mk deps.mk dist/install.mk

clean:
	rm -rf $(BUILD) $(BIN)

.PHONY: all programs sbom clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
