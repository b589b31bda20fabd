# SPDX-License-Identifier: GPL-2.0-only
# What makes a flaw hard to use, as far as the compiler and the linker here have it: asked once, and
# kept in the build folder. Without a compiler, as before `make deps`, nothing is asked.
HARDENING_WANTED = -fstack-protector-strong -fstack-clash-protection -fcf-protection=full \
                   -mbranch-protection=standard -ftrivial-auto-var-init=zero
LINK_WANTED      = -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code
# A program moves its own addresses when it starts: packed, they take 8 KiB instead of 160. A C library
# that cannot read them ends at once.
PACKED = -Wl,-z,pack-relative-relocs
PROBE = printf '\#include <stdio.h>\nint main(void)\n{\n\treturn !stdout;\n}\n' | \
	$(CC) -O2 -Werror -x c - -o $@.probe 2>/dev/null

$(BUILD)/hardening: hardening.mk
	@mkdir -p $(@D)
	@fortify='-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3'; has= link= static=-static; \
	$(PROBE) $$fortify || fortify='-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2'; \
	for flag in $(HARDENING_WANTED); do ! $(PROBE) $$flag || has="$$has $$flag"; done; \
	for flag in $(LINK_WANTED); do ! $(PROBE) $$flag || link="$$link $$flag"; done; \
	! $(PROBE) -fPIE -static-pie || { static=-static-pie; has="$$has -fPIE"; }; \
	! $(PROBE) -fPIE -static-pie $(PACKED) || ! $(abspath $(BUILD))/hardening.probe || static="$$static $(PACKED)"; \
	rm -f $@.probe; \
	printf 'HARDENING := %s\nHARDENED_LINK := %s\nHARDENED_STATIC := %s\n' \
		"$$fortify$$has" "$$link" "$$static" >$@

ifneq ($(filter-out %deps clean uninstall,$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/hardening
endif
