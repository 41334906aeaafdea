# make demo; make install DESTDIR=

.PHONY: demo
demo:
	@etc/need build
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@etc/demo

MAN5 =		etc/wfsupd.conf.5 etc/wfsup-canned.5
MAN7 =		jail/wfsup.7 $(B)/gen/wfsup-protocol.7
MAN8 =		supervisor/wfsupd.8 wfsupctl/wfsupctl.8
UNITDIR ?=	$(PREFIX)/lib/systemd/system
SYSUSERSDIR ?=	$(PREFIX)/lib/sysusers.d
D =		$(DESTDIR)

.PHONY: install
install: all
	install -d $(D)$(SBINDIR) $(D)$(LIBEXECDIR) $(D)$(DATADIR)/examples \
	    $(D)$(SYSCONFDIR)/wfsup $(D)$(MANDIR)/man5 $(D)$(MANDIR)/man7 \
	    $(D)$(MANDIR)/man8
	install -m 755 $(B)/bin/wfsupd $(B)/bin/wfsupctl $(D)$(SBINDIR)
	install -m 755 $(filter $(B)/bin/wfsup-%,$(BINS)) $(D)$(LIBEXECDIR)
	install -m 644 etc/examples/*.py $(D)$(DATADIR)/examples
	[ -e $(D)$(SYSCONFDIR)/wfsup/wfsupd.conf ] || install -m 600 \
	    etc/wfsupd.conf $(D)$(SYSCONFDIR)/wfsup/wfsupd.conf
	install -m 644 $(MAN5) $(D)$(MANDIR)/man5
	install -m 644 $(MAN7) $(D)$(MANDIR)/man7
	install -m 644 $(MAN8) $(D)$(MANDIR)/man8
	install -d $(D)$(UNITDIR) $(D)$(SYSUSERSDIR)
	sed 's,@SBINDIR@,$(SBINDIR),g' etc/wfsupd.service.in \
	    >$(D)$(UNITDIR)/wfsupd.service
	chmod 644 $(D)$(UNITDIR)/wfsupd.service
	install -m 644 etc/wfsup.sysusers $(D)$(SYSUSERSDIR)/wfsup.conf
