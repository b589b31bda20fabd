# SPDX-License-Identifier: GPL-2.0-only
# BPF: clang, stripped, and both kinds of skeleton; the same glue serves every tracer.
MACHINE ?= $(shell uname -m)
ARCH := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(patsubst ppc64le,powerpc,$(MACHINE))))
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) -target bpf -D__TARGET_ARCH_$(ARCH) -g -O2 -Wall -Wextra -Wno-unused-parameter \
		-Wno-missing-declarations $(if $(CI),-Werror) -I$(SYSROOT)/usr/include/$(MACHINE)-linux-gnu \
		-MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<
	$(STRIP) -g $@

$(BUILD)/bpf/%.lskel.h: $(BUILD)/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton -L $< name $(notdir $*)_light > $@.tmp && mv $@.tmp $@

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $(notdir $*)_full > $@.tmp && mv $@.tmp $@

$(BUILD)/bpf/%.tracer.o: bpf/tracer.c $(BUILD)/bpf/%.lskel.h $(BUILD)/bpf/%.skel.h
	$(CC) $(ALL_CFLAGS) -iquote $(BUILD)/bpf -DTRACER=$* -DTRACER_LIGHT='"$*.lskel.h"' \
		-DTRACER_FULL='"$*.skel.h"' -c -o $@ $<

# Iterators are loaded by sources, so they are in a folder of their own.
ITERATORS := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/iter/*.bpf.c))
$(call objects,lib/loader/*.c lib/sources/*/*.c): | \
	$(ITERATORS:%=$(BUILD)/bpf/%.lskel.h) $(ITERATORS:%=$(BUILD)/bpf/%.skel.h)

# Probes are on files that others run, or on clocks, which light skeletons cannot have; lib/stacks and parts of
# tools load them.
PROBES := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/probe/*.bpf.c))
$(APART_OBJ) $(PART_OBJ) $(call objects,lib/stacks/*.c): | $(PROBES:%=$(BUILD)/bpf/%.skel.h)
