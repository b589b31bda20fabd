# SPDX-License-Identifier: GPL-2.0-only
# Tests, benchmarks and what looks at the sources. Unit tests and fault helpers are C, the rest is
# shell; all of it speaks TAP and is run by prove.
UNITS   := $(basename $(notdir $(wildcard tests/unit/*.c)))
FUZZERS := $(basename $(notdir $(wildcard tests/fuzz/*.c)))
BENCHES := $(basename $(notdir $(wildcard bench/*.c)))
HELPERS := $(basename $(notdir $(wildcard tests/faults/*.c)))
# Helpers that cause their faults by means of the library.
DRIVERS := $(basename $(notdir $(wildcard tests/faults/lib/*.c)))
# A device that is not there: tests/fake-NAME/, one program for what runs on such a machine.
FAKES   := $(patsubst tests/%/main.c,%,$(wildcard tests/fake-*/main.c))
# The same within a program, where speed matters: tests/fake-NAME/preload/ with programs, which names
# the links of a dynamic program that it is loaded into.
PRELOADS := $(patsubst tests/%/preload/,%,$(wildcard tests/fake-*/preload/))
DYNAMIC  := $(shell cat /dev/null $(wildcard tests/fake-*/preload/programs))
APART_LIBS := $(shell cat /dev/null $(APART:%=tools/%/libs))

all: $(HELPERS:%=$(BUILD)/faults/%) $(DRIVERS:%=$(BUILD)/faults/lib/%) \
     $(FAKES:%=$(BUILD)/faults/%) $(PRELOADS:%=$(BUILD)/faults/%.so) \
     $(DYNAMIC:%=$(BUILD)/dynamic/%)

# Tests take from it what they need, and no library of a part that they do not. Appended, not
# replaced: two parts may have files of one name.
$(BUILD)/parts.a: $(PART_OBJ) $(APART_OBJ)
	rm -f $@
	$(AR) qcs $@ $^

# jansson reads there what we write, as a reader that is not ours.
$(BUILD)/unit/%.t: $(BUILD)/tests/unit/%.o $(LIB_OBJ) $(CHECK_OBJ) $(BUILD)/parts.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS) -ljansson

$(BUILD)/faults/%: tests/faults/%.c $(wildcard tests/faults/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -g $(CFLAGS) -o $@ $< -Wl,--as-needed -lpthread -lssl -lcrypto -lm

$(FAKES:%=$(BUILD)/faults/%): $(BUILD)/faults/%: $$(wildcard tests/$$*/*.c tests/$$*/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -g $(CFLAGS) -o $@ $(filter %.c,$^)

$(PRELOADS:%=$(BUILD)/faults/%.so): $(BUILD)/faults/%.so: $$(wildcard tests/$$*/*.c tests/$$*/*.h tests/$$*/preload/*.c)
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -g -fPIC -shared -fvisibility=hidden $(CFLAGS) -o $@ \
		$(filter-out %/main.c,$(filter %.c,$^)) -ldl

# The program in a form that LD_PRELOAD has a hold of.
$(BUILD)/dynamic/tuesday: $(BUILD)/lib/run/main.o $(SUITE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)
$(DYNAMIC:%=$(BUILD)/dynamic/%): | $(BUILD)/dynamic/tuesday
	ln -sf tuesday $@

$(DRIVERS:%=$(BUILD)/faults/lib/%): $(BUILD)/faults/lib/%: $(BUILD)/tests/faults/lib/%.o $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call link)

# Everything once more under ASan and UBSan, and with libFuzzer's coverage, so that unit tests, fuzz targets
# and the program for the recordings share their objects. What measures time or optimised arithmetic
# says "Built optimised" and is built as it ships.
SANITIZE = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
           -fno-omit-frame-pointer -Wno-string-plus-int -Wno-unknown-attributes -Wno-unknown-pragmas
OPTIMISED := $(patsubst tests/unit/%.c,%,$(shell grep -ls 'Built optimised' tests/unit/*.c))
SANITIZED := $(filter-out $(OPTIMISED),$(UNITS))
CCACHE := $(if $(shell command -v ccache),ccache )
# A hundred programs are linked with all of the library: lld does it in two thirds of the time.
LLD := $(if $(shell command -v ld.lld),-fuse-ld=lld)
# The tests themselves are compiled in half the time as they stand, and are no slower for it; bytes are packed
# by what packs those of the program.
asan fuzz sanitized:
	$(MAKE) BUILD=$(BUILD)/asan BIN=$(BUILD)/asan/bin CC='$(CCACHE)$(CLANG)' STATIC= LDFLAGS='$(LLD)' \
		OPTIMIZE='-O1 -gline-tables-only' TESTS_OPTIMIZE=-O0 PACKER='$(CC)' \
		CFLAGS='$(SANITIZE)' $@-built
$(BUILD)/tests/%.o: ALL_CFLAGS += $(TESTS_OPTIMIZE)
asan-built: $(BIN)/tuesday $(SANITIZED:%=$(BUILD)/unit/%.t)
fuzz-built: $(FUZZERS:%=$(BUILD)/fuzzers/%)
sanitized-built: asan-built fuzz-built

$(BUILD)/fuzzers/%: $(BUILD)/tests/fuzz/%.o $(LIB_OBJ) $(CHECK_OBJ) $(BUILD)/parts.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o %.a,$^) $(LIBS)

unit: asan $(OPTIMISED:%=$(BUILD)/unit/%.t)
	tests/run $(SANITIZED:%=$(BUILD)/asan/unit/%.t) $(OPTIMISED:%=$(BUILD)/unit/%.t)

# Everything, in one run of prove, which has the last word. testrules.yml has what runs beside others.
# check-long is the same with windows as long as they are for users, unit tests in both builds, all
# mutants, ten minutes of fuzzing for each target, and tests/long: floods, and hundreds of runs beside
# servers that long-deps installs.
WHOLE = $(SANITIZED:%=$(BUILD)/asan/unit/%.t) $(OPTIMISED:%=$(BUILD)/unit/%.t) \
        $(wildcard tests/*.t tests/replay/*.t tests/faults/*.t tests/last/*.t)
check: all sanitized $(OPTIMISED:%=$(BUILD)/unit/%.t)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) tests/run $(WHOLE)
check-long: all sanitized $(UNITS:%=$(BUILD)/unit/%.t)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) TUESDAY_TEST_LONG=1 TUESDAY_TEST_WINDOW= \
		FUZZ_SECONDS=$${FUZZ_SECONDS:-600} GROWTH=2 tests/run $(WHOLE) $(SANITIZED:%=$(BUILD)/unit/%.t) \
		$(wildcard tests/long/*.t)

# The program on other kernels, in virtual machines; what those are made of is downloaded once.
vm-check: $(BIN)/tuesday $(BUILD)/faults/serve
	tests/vm/fetch
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove -j2 --timer tests/vm/*.t
# Packages of a tarball of the last commit, as the distributions want them: some minutes.
check-packages: all
	rm -f $(BUILD)/tuesday-*.tar.gz
	$(MAKE) dist
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove --timer tests/packages/*.t
# The program for aarch64, with libraries that are downloaded once, by clang; it runs in QEMU's user mode. What is
# built goes to a folder of its own.
CROSS_CACHE ?= $(or $(TUESDAY_CROSS_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tuesday-aarch64)
check-aarch64: $(BIN)/tuesday
	! tests/cross/fetch || $(MAKE) MACHINE=aarch64 SYSROOT=$(CROSS_CACHE)/root HOST_CC='$(CC)' OBJCOPY=llvm-objcopy \
		BUILD=$(BUILD)/aarch64 BIN=$(BUILD)/aarch64/bin $(BUILD)/aarch64/bin/tuesday \
		CC='$(CLANG) --target=aarch64-linux-gnu --sysroot=$(CROSS_CACHE)/root -fuse-ld=lld -w'
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove --timer tests/cross/*.t
# Real ZFS, which is built once: about an hour.
vm-check-long: $(BIN)/tuesday
	tests/vm/fetch
	tests/vm/long/fetch
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove -j2 --timer tests/vm/long/*.t

$(BENCHES:%=$(BUILD)/bench/%): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB_OBJ) $(BUILD)/parts.a
	$(call link,$(BUILD)/parts.a $(APART_LIBS) -ljansson)

bench: all $(BENCHES:%=$(BUILD)/bench/%)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) bench/run

SCRIPTS = $(wildcard embed/*.sh .ci/run bench/run bench/*.sh tests/*.sh tests/*/*.sh tests/*.t tests/*/*.t tests/*/run tests/vm/fetch tests/vm/init tests/vm/long/fetch $(wildcard tests/vm/long/*.sh tests/vm/long/*.t) tests/cross/fetch tests/replay/judge docs/generate \
                     tests/replay/unpack tests/replay/verdicts \
                     dist/slurm/* dist/nhc/* dist/nagios/check_tuesday dist/checkmk/* dist/man/pages dist/completion/tuesday.bash) tests/truth tests/matrix tests/run tests/one
SOURCES = $(wildcard lib/*/*.[ch] lib/*/*/*.[ch] embed/*.[ch] tools/*.[ch] tools/*/*.[ch] \
                     bpf/*.[ch] bpf/*/*.[ch] tests/*/*.[ch] tests/*/*/*.c bench/*.[ch])
lint: programs
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability \
		--suppress=missingIncludeSystem --suppress=unknownMacro --suppress=comparePointers \
		-Ilib -I. lib tools embed
	shellcheck -x $(SCRIPTS)
	$(BIN)/tuesday lint checks.d/*.ini checks.d/*/*.ini

format:
	clang-format -i $(SOURCES)
format-check:
	clang-format --dry-run --Werror $(SOURCES)

.PHONY: unit asan asan-built fuzz fuzz-built sanitized sanitized-built check check-long vm-check vm-check-long check-aarch64 check-packages bench lint format format-check
