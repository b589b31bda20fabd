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
FAKES   := $(notdir $(wildcard tests/fake-*))
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
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS) -ljansson

$(BUILD)/faults/%: tests/faults/%.c
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
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)
$(DYNAMIC:%=$(BUILD)/dynamic/%): | $(BUILD)/dynamic/tuesday
	ln -sf tuesday $@

$(DRIVERS:%=$(BUILD)/faults/lib/%): $(BUILD)/faults/lib/%: $(BUILD)/tests/faults/lib/%.o $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call link)

unit: $(UNITS:%=$(BUILD)/unit/%.t)
	prove -e '' $(BUILD)/unit/*.t

# The same unit tests under ASan and UBSan, and a whole program for the tests that replay.
# gcc's sanitizers make it see null formats where there are none.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer \
           -Wno-format-truncation
asan:
	$(MAKE) BUILD=$(BUILD)/asan BIN=$(BUILD)/asan/bin STATIC= OPTIMIZE='-O1 -g' \
		CFLAGS='$(SANITIZE)' asan-built
asan-built: $(BIN)/tuesday $(UNITS:%=$(BUILD)/unit/%.t)

# libFuzzer: tests/fuzz.t runs every target for a while on its corpus in tests/fuzz/NAME/.
fuzz:
	$(MAKE) BUILD=$(BUILD)/fuzz CC=$(CLANG) STATIC= OPTIMIZE='-O1 -g' \
		CFLAGS='-fsanitize=fuzzer-no-link,address,undefined' fuzz-built
fuzz-built: $(FUZZERS:%=$(BUILD)/fuzzers/%)

$(BUILD)/fuzzers/%: $(BUILD)/tests/fuzz/%.o $(LIB_OBJ) $(CHECK_OBJ) $(BUILD)/parts.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o %.a,$^) $(LIBS)

# Everything, in one run of prove, which has the last word. testrules.yml has what runs beside others.
check: all asan fuzz $(UNITS:%=$(BUILD)/unit/%.t)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove -j3 -e '' $(BUILD)/unit/*.t \
		$(BUILD)/asan/unit/*.t $(wildcard tests/*.t tests/replay/*.t tests/faults/*.t)

$(BENCHES:%=$(BUILD)/bench/%): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB_OBJ) $(BUILD)/parts.a
	$(call link,$(BUILD)/parts.a $(APART_LIBS) -ljansson)

bench: all $(BENCHES:%=$(BUILD)/bench/%)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) bench/run

SCRIPTS = $(wildcard .ci/run bench/run bench/*.sh tests/*.sh tests/*/*.sh tests/*.t tests/*/*.t tests/*/run \
                     dist/slurm/* dist/nhc/* dist/nagios/check_tuesday dist/checkmk/*) tests/truth tests/matrix
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

.PHONY: unit asan asan-built fuzz fuzz-built check bench lint format format-check
