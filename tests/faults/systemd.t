#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the service that is shipped, started by a real systemd, see from within its sandbox what a run
# without one sees, and do history, journal and timer get what they should?
# systemd is process 1 of namespaces of its own here, with the machine's files below an overlay: what it
# and the service write is in memory, and all of it ends with the test. The network and the kernel are
# the machine's.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
systemd=/lib/systemd/systemd
needs jq sqlite3 make unshare nsenter pivot_root systemctl journalctl systemd-analyze
[ -x $systemd ] || skip_all "needs the program $systemd"
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
begin
cd "$scratch" || exit 1

# The controllers that systemd manages. A cgroup of our own in the hierarchy of each is the root of what
# it sees there.
managed='cpu|cpuacct|memory|blkio|devices|pids|name=systemd'
while read -r _ at type options _; do
	case $type in
	cgroup)
		options=$(tr ',' '\n' <<<"$options" | grep -xE "$managed" | paste -sd ',')
		[ -n "$options" ] || continue
		;;
	cgroup2) options=- ;;
	*) continue ;;
	esac
	cgroup=$at/tuesday-test-$$
	mkdir "$cgroup" 2>/dev/null || skip_all "cannot make cgroups in $at"
	undo eval "find $cgroup -depth -type d -exec rmdir {} + && [ ! -e $cgroup ]"
	echo "$type $options $at $cgroup" >>cgroups
done </proc/self/mounts
[ -s cgroups ] || skip_all "no cgroups are mounted here"

# What make install brings, of the programs the one that the units start.
env -u MAKEFLAGS -u MAKELEVEL make -C "$root" -s -o programs install PROGRAMS="$BIN/tuesday" \
	DESTDIR="$scratch/installed" >install.out 2>&1 || bail "make install: $(tail -n 1 install.out)"

# As process 1 of the new namespaces, whose mounts the machine does not get: a root for systemd.
mount_cgroups() {
	local type options at rest name

	grep -q '^cgroup2 - /sys/fs/cgroup ' cgroups ||
		mount -t tmpfs -o mode=755 tmpfs root/sys/fs/cgroup || return
	while read -r type options at rest; do
		mkdir -p "root$at" || return
		if [ "$type" = cgroup2 ]; then
			mount -t cgroup2 cgroup2 "root$at" || return
			continue
		fi
		mount -t cgroup -o "$options" cgroup "root$at" || return
		for name in ${options//,/ }; do
			[ -e "root/sys/fs/cgroup/${name#name=}" ] || ln -s "${at##*/}" "root/sys/fs/cgroup/$name"
		done
	done <cgroups
	# It would mount, and so begin, every hierarchy that the kernel could have.
	head -n 1 /proc/cgroups >memory/controllers
	mount --bind memory/controllers root/proc/cgroups
}

# Knobs are read-only, as in any container: a systemd that starts sets some.
mount_kernel() {
	mount -t proc proc root/proc && mount --bind root/proc/sys root/proc/sys &&
		mount -o remount,bind,ro root/proc/sys && mount -t sysfs -o ro sysfs root/sys &&
		mount_cgroups
}

mount_devices() {
	mount -t tmpfs -o mode=755 tmpfs root/dev && cp -a --one-file-system /dev/. root/dev &&
		rm -f root/dev/console && mknod root/dev/console c 1 3 && mkdir -p root/dev/pts root/dev/shm &&
		mount -t devpts -o newinstance,ptmxmode=666 devpts root/dev/pts &&
		mount -t tmpfs tmpfs root/dev/shm && mount -t tmpfs -o mode=755 tmpfs root/run &&
		mount -t tmpfs -o mode=1777 tmpfs root/tmp
}

# No unit of this machine is started but the journal, and no setting of its is used.
settle_files() {
	rm -rf root/etc/systemd root/etc/tuesday root/usr/local/lib/systemd root/var/lib/tuesday \
		root/var/log/journal root/{usr/,}lib/systemd/{system-generators,{system,journald}.conf.d} &&
		find root/usr/lib/systemd/system root/lib/systemd/system -path '*.wants/*' -delete &&
		: >root/etc/fstab && mkdir -p root/etc/systemd/system root/etc/tuesday/checks.d &&
		ln -s /dev/null root/etc/systemd/system/systemd-journald-audit.socket || return
	# Auditing and the kernel's log are the machine's: left alone.
	printf '[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=\nForwardToSyslog=no\n' \
		>root/etc/systemd/journald.conf
	printf '[Unit]\nWants=systemd-journald.service\n' >root/etc/systemd/system/default.target
}

boot() {
	mkdir memory root && mount --make-rprivate / && mount -t tmpfs -o mode=755 tmpfs memory &&
		mkdir memory/upper memory/work &&
		mount -t overlay -o lowerdir=/,upperdir=memory/upper,workdir=memory/work overlay root &&
		mount_kernel && mount_devices && settle_files && cp -a installed/. root || return
	cd root && mkdir old-root && pivot_root . old-root && umount -l old-root && rmdir old-root || return
	exec env -i container=tuesday "PATH=$PATH" $systemd --system --log-target=console </dev/null
}

launch() {
	local type options at cgroup

	while read -r type options at cgroup; do
		echo "$BASHPID" >"$cgroup/cgroup.procs" || return
	done <cgroups
	exec unshare --fork --kill-child --pid --mount --uts --ipc --cgroup bash -c boot
}

inside() {
	"${enter[@]}" "$@" 8>&-
}

export systemd
export -f boot mount_cgroups mount_kernel mount_devices settle_files
launch >boot.log 2>&1 8>&- &
launcher=$!
undo_process "$launcher" KILL
for _ in {1..100}; do
	kill -0 $launcher 2>/dev/null || break
	read -r pid1 _ <"/proc/$launcher/task/$launcher/children"
	enter=(nsenter -t "$pid1" --mount --uts --ipc --pid --cgroup env -i "PATH=$PATH" LC_ALL=C)
	[ "$(inside systemctl is-system-running 2>/dev/null)" = running ] && break
	sleep 0.1
done
[ "$(inside systemctl is-system-running 2>/dev/null)" = running ] ||
	skip_all "no systemd can be process 1 of namespaces here: $(tail -n 2 boot.log | tr '\n' ' ')"

# property UNIT NAME
property() {
	inside systemctl show "$1" -p "$2" --value
}

# write FILE: within, from standard input.
write() {
	# shellcheck disable=SC2016
	inside sh -c 'mkdir -p "${1%/*}" && cat >"$1"' sh "$1"
}

# The same run without a sandbox, to compare with: bare.service.
write_bare() {
	printf '[Service]\nType=oneshot\nExecStart=/usr/local/bin/tuesday run --cron --state /run/bare %s\n' "$1" |
		write /etc/systemd/system/bare.service
}

# entry STATE: the newest of this state, of our check.
entry() {
	inside journalctl -o json -n 1 _SYSTEMD_UNIT=tuesday.service TUESDAY_CHECK=shelf TUESDAY_STATE="$1" >entry
}

# lights SQLITE...: of a history, those of the last run that could not look, or need not.
lights() {
	"$@" "select name, verdict from lights join checks on id = check_id
		where run = (select max(run) from lights) and verdict >= 3" | sort
}

echo "# $(inside systemctl --version | head -n 1), cgroups: $(cut -d ' ' -f 1,2 cgroups | paste -sd ',')"
call "${enter[@]}" systemctl start tuesday.service 8>&-
is "$status $(property tuesday.service ConditionResult) $(property tuesday.service Result)" "0 no success" \
	"in a container the service is not run, which is no failure"
printf '[Unit]\nConditionVirtualization=\n' | write /etc/systemd/system/tuesday.service.d/container.conf

# A plugin's check, since its light is ours to switch.
write /usr/lib/tuesday/check_shelf <<-'END'
	#!/bin/sh
	[ -e /etc/tuesday/broken ] || { echo "SHELF OK - it holds"; exit 0; }
	echo "SHELF CRITICAL - it is broken"
	exit 2
END
inside chmod 755 /usr/lib/tuesday/check_shelf
printf '[check]\nquestion = Does the shelf hold?\narea = disk\nexec = /usr/lib/tuesday/check_shelf\n' |
	write /etc/tuesday/checks.d/shelf.ini
printf '[cron]\nrise = 1/1\nfall = 1\ndigest = no\n' | write /etc/tuesday/history.ini
write_bare ""
inside touch /etc/tuesday/broken
inside systemctl daemon-reload

# As it is shipped. A start ends with the service, and with success where that has it.
inside systemctl start bare.service 8>&- &
bare=$!
inside systemctl start tuesday.service 8>&- &
first=$!
"$BIN/tuesday" run --cron --state "$scratch/machine" >/dev/null 2>&1 8>&- &
machine=$!
for _ in {1..50}; do
	inside test -e /run/tuesday/lock-cron && break
	sleep 0.1
done
limit=$(inside find /sys/fs/cgroup -path '*/tuesday.service/memory.max' -o \
	-path '*/tuesday.service/memory.limit_in_bytes')
if [ -n "$limit" ]; then
	is "$(inside cat "$limit")" $((512 << 20)) "its memory is limited"
else
	skip "its memory is limited" "no memory controller can be had here"
fi
call "${enter[@]}" tuesday run --cron 8>&-
t "a run by hand beside it is not run, and says so" grep -q 'such a run is under way already' err
is "$status" 0 "which is no error"
patience=60 call "${enter[@]}" systemctl start tuesday.service 8>&-
is "$status" 0 "a second start waits for the first"
wait $bare $machine
wait $first
is "$?" 0 "the service succeeds, though a light is bad"
is "$(inside systemctl --failed --no-legend)" "" "no unit has failed"
is "$(inside sqlite3 /var/lib/tuesday/history.db 'select count(*) from runs')" 1 \
	"the history is in its state directory, with one run"
lights inside sqlite3 /var/lib/tuesday/history.db >within
lights inside sqlite3 /run/bare/history.db >without
lights sqlite3 machine/history.db >outside
echo "# neither could look, or had to: $(cut -d '|' -f 1 without | paste -sd ' ')"
echo "# for being in namespaces and not on the machine: $(comm -13 outside within | paste -sd ' ')"
is "$(comm -13 without within)" "" "every check that has a verdict without the sandbox has one within"
inside journalctl --update-catalog
entry bad
is "$(jq -r '[.MESSAGE_ID, .TUESDAY_OLD_STATE, .PRIORITY, ._SYSTEMD_UNIT, .MESSAGE] | join("|")' entry)" \
	"e768a1ad0ea841e8a38c25ce47b6c3fd|good|4|tuesday.service|shelf is bad: SHELF CRITICAL - it is broken" \
	"the journal has an entry of the light that has changed"
call "${enter[@]}" journalctl -x -n 1 TUESDAY_CHECK=shelf 8>&-
t "and explains it from the catalog" grep -q 'Subject: Check shelf is bad' out

# By the timer, as it is shipped, then at once; with all traces, and the whole report to compare.
inside systemctl --quiet enable --now tuesday.timer
# Where it has just gone off it has no next time until the service has ended.
next_time() {
	now=$(date +%s)
	next=$(inside systemctl list-timers -o json |
		jq -r '.[] | select(.unit == "tuesday.timer") | .next / 1000000 | floor')
	[ "$next" != 0 ]
}
until_true 60 next_time
is "$((next > now && next <= now + 7 * 60))" 1 "the timer's next time is within seven minutes"
inside systemctl stop tuesday.timer
deep='--deep --quick -o json --to'
printf '[Service]\nExecStart=\nExecStart=/usr/local/bin/tuesday run --cron %s /run/tuesday/report.json\n' "$deep" |
	write /etc/systemd/system/tuesday.service.d/deep.conf
printf '[Timer]\nOnCalendar=\nOnActiveSec=0.2\nRandomizedDelaySec=0\n' |
	write /etc/systemd/system/tuesday.timer.d/once.conf
write_bare "$deep /run/bare.json"
inside rm /etc/tuesday/broken
inside systemctl daemon-reload
inside systemctl start tuesday.timer
inside systemctl start bare.service
for _ in {1..100}; do
	inside test -e /run/tuesday/report.json && [ "$(property tuesday.service ActiveState)" = inactive ] && break
	sleep 0.2
done
is "$(property tuesday.service Result) $(property tuesday.service ExecMainStatus)" "success 0" \
	"a run that the timer has started succeeds, with all traces"
t "and it was the timer" test -n "$(property tuesday.timer LastTriggerUSec)"
# looked REPORT: each check that has looked, those that traced, and each number that they had.
looked() {
	inside cat "$1" | jq -r '.checks[] | select(.tier) | .check as $check | "\($check)",
		(select(.tier == "trace") | "\($check) by trace"), (.metrics[] | "\($check) \(.name)")' | sort -u
}
# missed: what the run without the sandbox has and the one within has not.
missed() {
	looked /run/bare.json >without
	looked /run/tuesday/report.json >within
	comm -23 without within
}
# A check that is traced because it may be at fault just then is so in one of two runs.
if [ -n "$(missed)" ]; then
	echo "# asked again: $(missed | paste -sd ',')"
	inside systemctl start bare.service 8>&- &
	bare=$!
	inside systemctl start tuesday.service
	wait $bare
fi
t "a run without the sandbox traces" grep -q 'by trace' without
is "$(missed)" "" "what it traces and knows, the service traces and knows"
entry good
is "$(jq -r '[.MESSAGE_ID, .TUESDAY_OLD_STATE] | join("|")' entry)" "18e51ef3b5ac4b3182d3298a78ab7245|bad" \
	"the journal has an entry of the light's recovery"

# Its other uses: a file for an exporter, by the drop-in that is shipped (a short run here), and the undo.
inside cat /usr/local/share/tuesday/prometheus/tuesday.service.conf | sed 's/--cron/& --quick/' |
	write /etc/systemd/system/tuesday.service.d/prometheus.conf
inside install -d -m 755 /var/lib/prometheus/node-exporter
inside systemctl daemon-reload
call "${enter[@]}" systemctl start tuesday.service 8>&-
is "$status" 0 "with the drop-in for node_exporter it succeeds"
call "${enter[@]}" setpriv --reuid=65534 --clear-groups cat /var/lib/prometheus/node-exporter/tuesday.prom 8>&-
t "and the exporter, another user, can read its file" grep -q '^tuesday_check_state.*shelf' out
call "${enter[@]}" systemctl start tuesday-undo.service 8>&-
is "$status $(inside systemctl --failed --no-legend)" "0 " "the undo at boot has nothing to do, which is no failure"

# A run that is stopped, as at a shutdown.
has_begun() {
	# shellcheck disable=SC2016
	inside sh -c 'find "/proc/$(systemctl show -p MainPID --value tuesday.service)/fd" -lname "/proc/*"' 2>/dev/null |
		grep -q .
}
inside systemctl start --no-block tuesday.service
until_true 20 has_begun
inside systemctl --quiet stop tuesday.service 2>/dev/null
is "$(inside systemctl --failed --no-legend)" "" "a run that is stopped is no failure"
inside systemctl status --no-pager tuesday.service | sed 's/^/# /'

# What the service could do to the machine: a program that tries, behind the same walls.
write /usr/lib/tuesday/try <<-'END'
	#!/bin/sh
	try() { "$@" >/dev/null 2>&1 && echo "$*" >>/tmp/done; }
	cp /bin/true /run/tuesday/program && : >/tmp/done
	try chown 1 /run/tuesday/program
	try chmod 4755 /run/tuesday/program
	try mknod /run/tuesday/disk b 7 0
	try mount -t tmpfs tmpfs /mnt
	try unshare --mount true
	try unshare --pid --fork true
	try setpriv --reuid 1 true
	try hostname elsewhere
	try chroot / true
	cgroup=$(find /sys/fs/cgroup -name system.slice | head -n 1)
	try mkdir "$cgroup/walls" && rmdir "$cgroup/walls"
	try touch /etc/walls
	try touch /usr/bin/walls
	try touch /root/walls
	try touch /var/spool/cron/walls
	try sh -c 'exec 3<>/dev/kmsg'
	try grep -q . /etc/shadow
	try grep -q . /root/.ssh/key
	try touch /var/lib/walls
END
inside chmod 755 /usr/lib/tuesday/try
inside mkdir -p -m 700 /root/.ssh /var/spool/cron
echo secret | write /root/.ssh/key
tried() {
	write "/etc/systemd/system/$1.service"
	inside systemctl daemon-reload
	inside systemctl start "$1.service" || echo "the service failed"
	inside cat /tmp/done
	inside rm -f /run/tuesday/program /run/tuesday/disk
}
printf '[Service]\nType=oneshot\nExecStart=/usr/lib/tuesday/try\nPrivateMounts=yes\nRuntimeDirectory=tuesday\n' |
	tried open >without
inside cat /usr/local/lib/systemd/system/tuesday.service |
	sed 's|^ExecStart=.*|ExecStart=/usr/lib/tuesday/try|; /^Condition/d' | tried walled >within
is "$(wc -l <without)" "$(inside grep -c '^	*try ' /usr/lib/tuesday/try)" \
	"a service without the sandbox can do all that is tried"
is "$(paste -sd ',' within)" "touch /var/lib/walls" \
	"this one writes root's own files beside programs and settings, and can do nothing else"

# The undo puts back by root's own commands what a restart did not, in a sandbox of its own.
is "$(property multi-user.target Wants | tr ' ' '\n' | grep -x tuesday-undo.service)" tuesday-undo.service \
	"the undo is started at boot by being installed"
write /usr/lib/tuesday/put-back <<-'END'
	#!/bin/sh
	try() { "$@" >/dev/null 2>&1 && echo "$1" >>/tmp/done; }
	: >/tmp/done
	try touch /etc/walls
	try touch /var/lib/walls
	try unshare --net true
	try head -c 0 /dev/kmsg
	try grep -q . /etc/shadow
	try touch /usr/bin/walls
	try touch /root/walls
	exit 0
END
inside chmod 755 /usr/lib/tuesday/put-back
inside cat /usr/local/lib/systemd/system/tuesday-undo.service |
	sed 's|^ExecStart=.*|ExecStart=/usr/lib/tuesday/put-back|; /^Condition/d' | tried back >within
is "$(paste -sd ',' within)" "touch,touch,unshare" "which writes settings and enters namespaces, and writes no programs"
inside systemd-analyze security tuesday.service tuesday-undo.service | sed -n 's/.*Overall/# Overall/p'
plan
