# SPDX-License-Identifier: GPL-2.0-only
# make install and make uninstall, below PREFIX, or DESTDIR for a package. Files of dist/ and systemd/
# name programs where a plain `make install` puts them: where that is elsewhere, so do the copies.
BINDIR     ?= $(PREFIX)/bin
DATADIR    ?= $(PREFIX)/share/tuesday
DOCDIR     ?= $(PREFIX)/share/doc/tuesday
DEBUGDIR   ?= $(BINDIR)/.debug
UNITDIR    ?= $(PREFIX)/lib/systemd/system
CATALOGDIR ?= /usr/lib/systemd/catalog
MANDIR     ?= $(PREFIX)/share/man
BASHDIR    ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR     ?= $(PREFIX)/share/zsh/site-functions
FISHDIR    ?= $(PREFIX)/share/fish/vendor_completions.d
UNITS_OF_SYSTEMD := $(wildcard systemd/*.service systemd/*.timer)
CATALOGS         := $(wildcard systemd/*.catalog)
# Enabled by a link where the unit lies, and not in /etc: a package does the same, and what uninstalls it
# takes it away. An administrator who does not want it masks it.
UNDO_WANTED      := multi-user.target.wants/tuesday-undo.service
DOCS             := README.md SECURITY.md CHANGELOG.md LICENSE $(wildcard docs/*.md docs/*.svg docs/*.json)
DIST             := $(filter-out dist/install.mk dist/man/% dist/completion/% dist/debian/% dist/rpm/% dist/arch/% dist/container/%,$(shell find dist -type f))
relocate = sed 's|/usr/local/bin|$(BINDIR)|g; s|/usr/local/share/tuesday|$(DATADIR)|g; \
	s|/usr/local/share/doc/tuesday|$(DOCDIR)|g'

man: programs
	dist/man/pages $(BIN) $(BUILD)/man '$(VERSION)' docs

install: programs sbom man
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DEBUGDIR) $(DESTDIR)$(DOCDIR) $(DESTDIR)$(UNITDIR) \
		$(DESTDIR)$(CATALOGDIR)
	install -m 755 $(PROGRAMS) $(DESTDIR)$(BINDIR)
	install -m 644 $(PROGRAMS:%=%.debug) $(DESTDIR)$(DEBUGDIR)
	for link in $(LINKS); do ln -sf tuesday $(DESTDIR)$(BINDIR)/$$link || exit 1; done
	for unit in $(UNITS_OF_SYSTEMD); do \
		to=$(DESTDIR)$(UNITDIR)/$${unit##*/}; $(relocate) $$unit >$$to && chmod 644 $$to || exit 1; done
	install -d $(DESTDIR)$(UNITDIR)/$(dir $(UNDO_WANTED))
	ln -sf ../tuesday-undo.service $(DESTDIR)$(UNITDIR)/$(UNDO_WANTED)
	install -m 644 $(CATALOGS) $(DESTDIR)$(CATALOGDIR)
	for file in $(DIST); do \
		to=$(DESTDIR)$(DATADIR)/$${file#dist/}; mkdir -p $${to%/*} && $(relocate) $$file >$$to && \
		chmod --reference=$$file $$to || exit 1; done
	install -m 644 $(DOCS) $(SBOM) $(DESTDIR)$(DOCDIR)
	for section in 1 5; do \
		install -d $(DESTDIR)$(MANDIR)/man$$section && \
		install -m 644 $(BUILD)/man/*.$$section $(DESTDIR)$(MANDIR)/man$$section || exit 1; done
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 644 dist/completion/tuesday.bash $(DESTDIR)$(BASHDIR)/tuesday
	install -m 644 dist/completion/_tuesday $(DESTDIR)$(ZSHDIR)
	install -m 644 dist/completion/tuesday.fish $(DESTDIR)$(FISHDIR)
	if [ -z '$(DESTDIR)' ] && command -v journalctl >/dev/null; then journalctl --update-catalog; fi

# What install wrote, and no file that is not from there.
uninstall:
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(notdir $(PROGRAMS)) $(LINKS)) \
		$(addprefix $(DESTDIR)$(DEBUGDIR)/,$(notdir $(PROGRAMS:%=%.debug))) \
		$(addprefix $(DESTDIR)$(UNITDIR)/,$(notdir $(UNITS_OF_SYSTEMD)) $(UNDO_WANTED)) \
		$(addprefix $(DESTDIR)$(CATALOGDIR)/,$(notdir $(CATALOGS))) \
		$(addprefix $(DESTDIR)$(DATADIR)/,$(DIST:dist/%=%)) \
		$(addprefix $(DESTDIR)$(DOCDIR)/,$(notdir $(DOCS) $(SBOM))) \
		$(addprefix $(DESTDIR)$(MANDIR)/man1/,tuesday.1 tuesday-*.1 $(LINKS:%=%.1) $(APART:%=%diagnose.1)) \
		$(DESTDIR)$(MANDIR)/man5/tuesday-checks.5 $(DESTDIR)$(BASHDIR)/tuesday $(DESTDIR)$(ZSHDIR)/_tuesday \
		$(DESTDIR)$(FISHDIR)/tuesday.fish
	rmdir $(DESTDIR)$(UNITDIR)/$(dir $(UNDO_WANTED)) 2>/dev/null || :
	for dir in $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR); do \
		[ ! -d $$dir ] || find $$dir -depth -type d -empty -delete; done
	if [ -z '$(DESTDIR)' ] && command -v journalctl >/dev/null; then journalctl --update-catalog; fi

# What git has of the last commit, and its version, as one file: the same commit gives the same bytes.
TARBALL = tuesday-$(VERSION)
dist:
	rm -rf $(BUILD)/$(TARBALL) && mkdir -p $(BUILD)/$(TARBALL)
	git archive HEAD | tar -xf - -C $(BUILD)/$(TARBALL)
	echo '$(VERSION)' >$(BUILD)/$(TARBALL)/VERSION
	tar -cf - --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$$(git log -1 --format=%ct)" \
		-C $(BUILD) $(TARBALL) | gzip -9n >$(BUILD)/$(TARBALL).tar.gz
	rm -rf $(BUILD)/$(TARBALL)
	@echo $(BUILD)/$(TARBALL).tar.gz

.PHONY: dist man install uninstall
