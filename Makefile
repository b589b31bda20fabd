# SPDX-License-Identifier: GPL-2.0-only
# Tuesday: wildcards are the list. A check file, a tool, a tracer, a source, a test that is dropped
# into its folder is built, linked, embedded and run; nothing here names one.

PREFIX  ?= /usr/local
UNITDIR ?= $(PREFIX)/lib/systemd/system
CATALOGDIR ?= /usr/lib/systemd/catalog
DOCDIR  ?= $(PREFIX)/share/doc/tuesday
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
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE $(WARN) $(OPTIMIZE) -iquote lib -iquote . -iquote $(BUILD) -include lib/base/banned.h \
           -MMD -MP $(CFLAGS)
LIBS     = -lsqlite3 -lbpf -lelf -lz -lcap -linih -ljansson -lm

CHECKS  := $(sort $(basename $(notdir $(wildcard checks.d/*.ini))))
RECENT  := $(sort $(basename $(notdir $(wildcard checks.d/recent/*.ini))))
TRACERS := $(sort $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c)))
UNITS   := $(sort $(basename $(notdir $(wildcard tests/unit/*.c))))
FUZZERS := $(sort $(basename $(notdir $(wildcard tests/fuzz/*.c))))
BENCHES := $(sort $(basename $(notdir $(wildcard bench/*.c))))
HELPERS := $(sort $(basename $(notdir $(wildcard tests/faults/*.c))))
DRIVERS := $(sort $(basename $(notdir $(wildcard tests/faults/lib/*.c))))
UNITFILES := $(wildcard systemd/*.service systemd/*.timer)
CATALOGS  := $(wildcard systemd/*.catalog)
# A device that is not there: tests/fake-NAME/, one program for what runs on such a machine.
FAKES   := $(notdir $(wildcard tests/fake-*))
# The same within a program, where speed matters: tests/fake-NAME/preload/ with programs, which names
# those that are built dynamically for it.
PRELOADS := $(patsubst tests/%/preload/,%,$(wildcard tests/fake-*/preload/))
DYNAMIC  := $(shell cat /dev/null $(wildcard tests/fake-*/preload/programs))

LIB_OBJ   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out lib/run/main.c,$(wildcard lib/*/*.c lib/sources/*/*.c)))
TRACE_OBJ := $(TRACERS:%=$(BUILD)/bpf/%.tracer.o)
TOOL_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/*health.c))
# A program that is neither a check nor a command: tools/NAMEdiagnose.c with its parts in tools/NAME/,
# where libs has the libraries that only it needs, and each .ini is a part of it too.
DIAGNOSE  := $(sort $(patsubst tools/%diagnose.c,%,$(wildcard tools/*diagnose.c)))
PART_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(DIAGNOSE:%=tools/%/*.c))) \
             $(patsubst %,$(BUILD)/%.o,$(wildcard $(DIAGNOSE:%=tools/%/*.ini)))
PART_LIBS := $(shell cat /dev/null $(wildcard $(DIAGNOSE:%=tools/%/libs)))
# The same for a command that is more than one file: tools/NAME.c with its parts in tools/NAME/, where
# a style sheet, a script and an .ini are parts too.
COMMANDS  := $(filter $(patsubst tools/%.c,%,$(wildcard tools/*.c)),$(patsubst tools/%/,%,$(wildcard tools/*/)))
COMMAND_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(COMMANDS:%=tools/%/*.c))) \
               $(patsubst %,$(BUILD)/%.o,$(wildcard $(COMMANDS:%=tools/%/*.css) $(COMMANDS:%=tools/%/*.js) \
                                                    $(COMMANDS:%=tools/%/*.ini)))
RUN_OBJ   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(wildcard tools/*health.c tools/*diagnose.c),$(wildcard tools/*.c)))
# What remembers runs is linked into the runner alone, with the database that it needs.
KEPT_OBJ  :=
EMBED_OBJ := $(CHECKS:%=$(BUILD)/checks.d/%.o) $(RECENT:%=$(BUILD)/checks.d/recent/%.o)
CORE      := $(LIB_OBJ) $(TRACE_OBJ) $(BUILD)/embed/nvmlask.o $(patsubst %,$(BUILD)/%.o,$(wildcard lib/output/*.css))

PROGRAMS := $(BIN)/tuesday $(CHECKS:%=$(BIN)/%health) $(DIAGNOSE:%=$(BIN)/%diagnose)

all: $(PROGRAMS) $(HELPERS:%=$(BUILD)/faults/%) $(DRIVERS:%=$(BUILD)/faults/lib/%) \
     $(FAKES:%=$(BUILD)/faults/%) $(PRELOADS:%=$(BUILD)/faults/%.so) \
     $(DYNAMIC:%=$(BUILD)/dynamic/%)

# Programs. Everything registers itself in a linker section, so all objects are linked as they are.
# SQLite can load extensions, which a static program cannot: glibc's remark is shown only where the
# link fails.
$(BIN)/tuesday: $(BUILD)/lib/run/main.o $(RUN_OBJ) $(COMMAND_OBJ) $(KEPT_OBJ) $(CORE) $(TOOL_OBJ) $(EMBED_OBJ)
	@mkdir -p $(@D)
	$(CC) $(STATIC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS) \
		2>$(BUILD)/tuesday.link || { cat $(BUILD)/tuesday.link; exit 1; }

.SECONDEXPANSION:
$(BIN)/%health: $(BUILD)/lib/run/main.o $(CORE) $(BUILD)/checks.d/%.o $$(addprefix $(BUILD)/,$$(addsuffix .o,$$(basename $$(wildcard tools/$$*health.c))))
	@mkdir -p $(@D)
	$(CC) $(STATIC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)

# glibc says of every static program with getaddrinfo (and libcrypto has more) that names beyond
# files and DNS need its shared libraries: shown only where the link fails.
$(BIN)/%diagnose: $(BUILD)/lib/run/main.o $(BUILD)/tools/%diagnose.o $(CORE) $$(addprefix $(BUILD)/,$$(addsuffix .o,$$(basename $$(wildcard tools/$$*/*.c)) $$(wildcard tools/$$*/*.ini)))
	@mkdir -p $(@D)
	$(CC) $(STATIC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) \
		$(shell cat tools/$*/libs 2>/dev/null) $(LIBS) 2>$(BUILD)/$*.link || { cat $(BUILD)/$*.link; exit 1; }

# A dynamic program within the static ones: the NVIDIA library needs the system's own C library.
$(BUILD)/nvmlask: $(wildcard embed/nvml*.[ch])
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -s -iquote . -o $@ $(filter %.c,$^)

$(BUILD)/embed/nvmlask.o: $(BUILD)/nvmlask embed/data.S
	@mkdir -p $(@D)
	$(CC) -c -DINI='"$<"' -DNAME=nvmlask -o $@ embed/data.S

# For tests, which take from it what they need and no library of a part that they do not.
# Appended, not replaced: two parts may have files of one name.
$(BUILD)/parts.a: $(PART_OBJ) $(COMMAND_OBJ)
	rm -f $@
	$(AR) qcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

VERSIONED = $(patsubst %,$(BUILD)/%.o,lib/run/options lib/run/run lib/history/continue tests/unit/since)
$(VERSIONED): ALL_CFLAGS += -DVERSION='"$(VERSION)"'
$(VERSIONED): $(BUILD)/version

# Written only when it is another one, so that a commit recompiles these files and no more.
$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@

# A check file that cannot be taken apart breaks the build, with its file and line.
$(BUILD)/pack: $(addprefix $(BUILD)/,embed/pack.o $(addprefix lib/base/,ini.o diag.o escape.o str.o))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -linih

$(BUILD)/checks.d/%.packed: checks.d/%.ini $(BUILD)/pack
	@mkdir -p $(@D)
	$(BUILD)/pack $< >$@

$(BUILD)/checks.d/%.o: $(BUILD)/checks.d/%.packed embed/check_file.S
	$(CC) -c -DPACKED='"$<"' -DNAME='"$(notdir $*)"' -o $@ embed/check_file.S

# tools/NAME/WHAT.ini is found in the program as the bytes from NAME_WHAT_ini to NAME_WHAT_ini_end, and
# so are .css and .js.
$(BUILD)/tools/%.ini.o: tools/%.ini embed/data.S
	@mkdir -p $(@D)
	$(CC) -c -DINI='"$<"' -DNAME=$(subst /,_,$*)_ini -o $@ embed/data.S
$(BUILD)/tools/%.css.o: tools/%.css embed/data.S
	@mkdir -p $(@D)
	$(CC) -c -DINI='"$<"' -DNAME=$(subst /,_,$*)_css -o $@ embed/data.S
$(BUILD)/tools/%.js.o: tools/%.js embed/data.S
	@mkdir -p $(@D)
	$(CC) -c -DINI='"$<"' -DNAME=$(subst /,_,$*)_js -o $@ embed/data.S

$(BUILD)/lib/%.css.o: lib/%.css embed/data.S
	@mkdir -p $(@D)
	$(CC) -c -DINI='"$<"' -DNAME=$(subst /,_,$*)_css -o $@ embed/data.S

# BPF: clang, stripped, and both kinds of skeleton; the same glue serves every tracer.
ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/; s/ppc64le/powerpc/')
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) -target bpf -D__TARGET_ARCH_$(ARCH) -g -O2 -Wall -Wextra -Wno-unused-parameter \
		-Wno-missing-declarations $(if $(CI),-Werror) -I/usr/include/$(shell uname -m)-linux-gnu \
		-MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<
	$(STRIP) -g $@

$(BUILD)/bpf/%.lskel.h: $(BUILD)/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton -L $< name $(notdir $*)_light > $@.tmp && mv $@.tmp $@

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $(notdir $*)_full > $@.tmp && mv $@.tmp $@

$(BUILD)/bpf/%.tracer.o: bpf/tracer.c $(BUILD)/bpf/%.lskel.h $(BUILD)/bpf/%.skel.h
	$(CC) $(ALL_CFLAGS) -I$(BUILD)/bpf -DTRACER=$* -DTRACER_LIGHT='"$*.lskel.h"' \
		-DTRACER_FULL='"$*.skel.h"' -c -o $@ $<

# Iterators are loaded by sources, so they are in a folder of their own.
ITERATORS := $(sort $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/iter/*.bpf.c)))
$(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/loader/*.c lib/sources/*/*.c)): | \
	$(ITERATORS:%=$(BUILD)/bpf/%.lskel.h) $(ITERATORS:%=$(BUILD)/bpf/%.skel.h)

# Probes are on files that others run, which light skeletons cannot have; parts of programs load them.
PROBES := $(sort $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/probe/*.bpf.c)))
$(PART_OBJ): | $(PROBES:%=$(BUILD)/bpf/%.skel.h)

# Tests. Unit tests and fault helpers are C; the rest is shell. All of it is run by prove.
$(BUILD)/unit/%.t: $(BUILD)/tests/unit/%.o $(KEPT_OBJ) $(CORE) $(TOOL_OBJ) $(EMBED_OBJ) $(BUILD)/parts.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)

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

# A check's program that LD_PRELOAD has a hold of.
$(BUILD)/dynamic/%health: $(BUILD)/lib/run/main.o $(CORE) $(BUILD)/checks.d/%.o $$(addprefix $(BUILD)/,$$(addsuffix .o,$$(basename $$(wildcard tools/$$*health.c))))
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)

# Helpers that cause their faults by means of the library.
$(DRIVERS:%=$(BUILD)/faults/lib/%): $(BUILD)/faults/lib/%: $(BUILD)/tests/faults/lib/%.o $(CORE)
	@mkdir -p $(@D)
	$(CC) $(STATIC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)

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

$(BUILD)/fuzzers/%: $(BUILD)/tests/fuzz/%.o $(CORE) $(TOOL_OBJ) $(EMBED_OBJ) $(BUILD)/parts.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o %.a,$^) $(LIBS)

# Everything, in one run of prove, which has the last word. testrules.yml has what runs beside others.
check: all asan fuzz $(UNITS:%=$(BUILD)/unit/%.t)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) prove -j3 -e '' $(BUILD)/unit/*.t \
		$(BUILD)/asan/unit/*.t $(wildcard tests/*.t tests/replay/*.t tests/faults/*.t)

$(BENCHES:%=$(BUILD)/bench/%): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(CORE) $(BUILD)/parts.a
	$(CC) $(STATIC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PART_LIBS) $(LIBS) \
		2>$@.link || { cat $@.link; exit 1; }

bench: all $(BENCHES:%=$(BUILD)/bench/%)
	BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) bench/run

lint: all
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability \
		--suppress=missingIncludeSystem --suppress=unknownMacro --suppress=comparePointers \
		-Ilib -I. lib tools embed
	shellcheck -x $(SCRIPTS)
	$(BIN)/tuesday lint checks.d/*.ini checks.d/recent/*.ini

SCRIPTS = $(wildcard .ci/run bench/run bench/*.sh tests/*.sh tests/*/*.sh tests/*.t tests/*/*.t tests/*/run \
                     dist/slurm/* dist/nhc/* dist/nagios/check_tuesday dist/checkmk/*) tests/truth tests/matrix
SOURCES = $(wildcard lib/*/*.[ch] lib/*/*/*.[ch] embed/*.[ch] tools/*.[ch] tools/*/*.[ch] bpf/*.[ch] bpf/*/*.[ch] \
                     tests/*/*.[ch] tests/*/*/*.c bench/*.[ch])
format:
	clang-format -i $(SOURCES)
format-check:
	clang-format --dry-run --Werror $(SOURCES)

# Debian packages, as root: what the build needs, and what the tests and the benchmarks need too. Where
# systemd runs, Debian starts those that are services (of Slurm's munge alone, the rest wants a
# configuration); the tests have instances of their own.
BUILD_PACKAGES = gcc libc6-dev make clang llvm bpftool libbpf-dev libelf-dev zlib1g-dev libcap-dev \
                 libinih-dev libjansson-dev libsqlite3-dev libssl-dev git
TEST_PACKAGES  = libclang-rt-14-dev clang-format cppcheck shellcheck jq iproute2 nftables util-linux \
                 monitoring-plugins-basic fio hey busybox-static ethtool strace openssl puma sqlite3 curl \
                 chromium openssh-server openssh-client clustershell pdsh ansible-core libxml2-utils \
                 unicorn thin gunicorn python3-waitress uwsgi-core uwsgi-plugin-python3 nodejs gccgo \
                 nginx-light libnginx-mod-http-echo apache2-bin \
                 python3 prometheus prometheus-node-exporter prometheus-alertmanager nagios4-core \
                 icinga2-bin nagios-nrpe-server nagios-nrpe-plugin libmonitoring-plugin-perl \
                 munge slurmctld slurmd slurm-client systemd
BENCH_PACKAGES = apache2-utils wrk sysstat procps libbpf-tools bpftrace linux-perf
APT_INSTALL    = DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends
deps:
	apt-get update
	$(APT_INSTALL) $(BUILD_PACKAGES)
test-deps: deps
	$(APT_INSTALL) $(TEST_PACKAGES)
bench-deps: test-deps
	$(APT_INSTALL) $(BENCH_PACKAGES)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(DOCDIR)
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -d $(DESTDIR)$(UNITDIR)
	for unit in $(UNITFILES); do \
		sed 's|@BIN@|$(PREFIX)/bin|; s|@DOC@|$(DOCDIR)|' $$unit >$(DESTDIR)$(UNITDIR)/$$(basename $$unit) && \
		chmod 644 $(DESTDIR)$(UNITDIR)/$$(basename $$unit) || exit 1; done
	install -d $(DESTDIR)$(CATALOGDIR)
	install -m 644 $(CATALOGS) $(DESTDIR)$(CATALOGDIR)
	if [ -z '$(DESTDIR)' ] && command -v journalctl >/dev/null; then journalctl --update-catalog; fi
	install -d $(DESTDIR)$(PREFIX)/share/tuesday
	cp -R dist/. $(DESTDIR)$(PREFIX)/share/tuesday
	install -m 644 README.md LICENSE docs/*.md $(DESTDIR)$(DOCDIR)

clean:
	rm -rf $(BUILD) $(BIN)

.PHONY: all unit asan asan-built fuzz fuzz-built check bench lint format format-check deps test-deps \
        bench-deps install clean FORCE
.DELETE_ON_ERROR:
.PRECIOUS: $(BUILD)/checks.d/%.packed
.SECONDARY:
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
