# SPDX-License-Identifier: GPL-2.0-only
# Debian packages, as root: what the build needs, and what the tests and the benchmarks need too. Where
# systemd runs, Debian starts those that are services (of Slurm's munge alone, the rest wants a
# configuration); the tests have instances of their own.
BUILD_PACKAGES = gcc libc6-dev make clang llvm bpftool libbpf-dev libelf-dev zlib1g-dev libcap-dev \
                 libinih-dev libsqlite3-dev libssl-dev git
TEST_PACKAGES  = libclang-rt-14-dev lld clang-format cppcheck shellcheck jq iproute2 nftables util-linux \
                 monitoring-plugins-basic fio hey busybox-static ethtool strace openssl puma sqlite3 curl \
                 chromium openssh-server openssh-client clustershell pdsh ansible-core libxml2-utils \
                 unicorn thin gunicorn python3-waitress uwsgi-core uwsgi-plugin-python3 nodejs gccgo \
                 nginx-light libnginx-mod-http-echo apache2-bin \
                 python3 prometheus prometheus-node-exporter prometheus-alertmanager nagios4-core \
                 icinga2-bin nagios-nrpe-server nagios-nrpe-plugin libmonitoring-plugin-perl \
                 munge slurmctld slurmd slurm-client systemd libjansson-dev groff-base zsh fish \
                 python3-jsonschema ninja-build
BENCH_PACKAGES = apache2-utils wrk sysstat procps libbpf-tools bpftrace linux-perf
PACKAGE_PACKAGES = debhelper lintian dpkg-dev fakeroot rpm
LONG_PACKAGES  = redis-server redis-tools postgresql postgresql-contrib ruby-dev
# Puma is fair from 7 on, and Debian 12 has 5.6: where gems cannot be had the tests of these say so.
LONG_GEMS      = puma:7.1.0 puma:8.0.2
APT_INSTALL    = DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends

deps:
	apt-get update
	$(APT_INSTALL) $(BUILD_PACKAGES)
test-deps: deps
	$(APT_INSTALL) $(TEST_PACKAGES)
long-deps: test-deps
	$(APT_INSTALL) $(LONG_PACKAGES)
	-gem install --no-document --install-dir /var/lib/tuesday-gems $(LONG_GEMS)
package-deps: test-deps
	$(APT_INSTALL) $(PACKAGE_PACKAGES)
bench-deps: test-deps
	$(APT_INSTALL) $(BENCH_PACKAGES)

.PHONY: deps test-deps long-deps package-deps bench-deps
