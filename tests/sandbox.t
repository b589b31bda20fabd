#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does what reads the texts of others run without any right, in commands on files and once a run has
# looked? tests/unit/sandbox.c has what a process can still do there.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
tuesday=$BIN/tuesday
work=$(mktemp -d)
trap 'exec {to}>&-; rm -rf "$work"' EXIT
cd "$work" || exit 1

# waiting COMMAND...: starts it with a standard input that says nothing, waits until it reads, and
# leaves its status in the file status.
waiting() {
	local pid i

	mkfifo in
	exec {to}<>in
	"$tuesday" "$@" <in >out 2>err &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		# It reads what is behind descriptor 0, and no pipe of the loader's.
		[[ $(cat "/proc/$pid/wchan" 2>/dev/null) == *pipe* ]] && break
		sleep 0.02
	done
	cat "/proc/$pid/status" >status
	kill "$pid"
	wait "$pid" 2>/dev/null
	exec {to}>&-
	rm in
}

# field NAME: of the status.
field() {
	sed -n "s/^$1:[[:space:]]*//p" status
}

for command in "merge -" "report -"; do
	# shellcheck disable=SC2086
	waiting $command
	is "$(field CapPrm) $(field CapEff) $(field CapInh) $(field CapAmb)" \
		"0000000000000000 0000000000000000 0000000000000000 0000000000000000" \
		"tuesday $command reads with no capability"
	is "$(field NoNewPrivs) $(field Seccomp)" "1 2" "and calls the kernel through a filter"
done

# A report that another user has closed is closed to plain root too, which is what is left of root.
if [ "$(id -u)" = 0 ]; then
	mkdir -m 700 home
	echo '{"tuesday": 0}' >home/report.json
	chmod 600 home/report.json
	chown -R 65534:65534 home
	call "$tuesday" merge home/report.json
	t "a report that only its owner may read is read" grep -q 'report.json: it is no report' err
else
	skip "a report that only its owner may read is read" "needs root"
fi

# A run that traces nothing has looked with its last sample: what is read after it, as here what an
# earlier run left, is read in the filter.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	mkdir -m 700 state
	run=("$tuesday" run clock --quick --window 0.1 --no-trace --state state --since-last test)
	"${run[@]}" >/dev/null 2>&1
	strace -f -o calls -e trace=openat,capset,prctl,seccomp "${run[@]}" >/dev/null 2>&1
	filtered=$(grep -n 'PR_SET_SECCOMP.*= 0' calls | tail -n 1 | cut -d: -f1)
	sampled=$(grep -n '"[^"]*clocksource' calls | tail -n 1 | cut -d: -f1)
	judged=$(grep -n 'state/\|"last' calls | sed -n 1p | cut -d: -f1)
	is "$([ "${sampled:-0}" -gt 0 ] && [ "${sampled:-0}" -lt "${filtered:-0}" ] && echo before)" before \
		"a run looks before it gives up all rights"
	is "$([ "${judged:-0}" -gt "${filtered:-999999}" ] && echo after)" after \
		"and reads what it left earlier afterwards"
	is "$(sed "1,${filtered:-1}d" calls | grep -c 'capset.*permitted=1<<')" 0 \
		"no right comes back after it"
	# Between what raises rights and what lowers them there is one call to the kernel, or a file is read to
	# its end, or links are, or a program of our own is loaded: nothing is parsed, judged or written there.
	strace -f -o calls "$tuesday" run --quick --window 0.1 --no-trace --no-history >/dev/null 2>&1
	raised=$(awk '
		function raise_ends(pid) {
			if (n[pid] > 1 && !(bpf[pid] && !other[pid]) && links[pid] != n[pid] && reads[pid] != n[pid])
				print list[pid]
			raised[pid] = 0
		}
		{ call = $2; sub(/\(.*/, "", call) }
		call == "capset" {
			if ($0 ~ /effective=0,/) {
				if (raised[$1])
					raise_ends($1)
				seen[$1] = 1
			} else if (seen[$1]) {
				times++
				raised[$1] = 1
				n[$1] = bpf[$1] = other[$1] = links[$1] = reads[$1] = 0
				list[$1] = "a right is effective in:"
			}
			next
		}
		raised[$1] && call !~ /^(capget|<\.\.\.|---|\+\+\+)/ {
			n[$1]++
			list[$1] = list[$1] " " call
			bpf[$1] += call == "bpf"
			links[$1] += call == "readlinkat"
			reads[$1] += call == "pread64"
			other[$1] += call !~ /^(bpf|close|prctl|mmap|munmap|madvise|brk)$/
		}
		END { if (!times) print "no right was ever raised" }' calls | cut -c 1-200 | sort | uniq -c)
	is "$raised" "" "a right is effective for one call at a time"
else
	skip "a right is effective for one call at a time" "needs strace"
	skip "a run looks before it gives up all rights" "needs strace"
	skip "and reads what it left earlier afterwards" "needs strace"
	skip "no right comes back after it" "needs strace"
fi

# Nothing is effective nearly all the time, once what a process of root starts with is given up. What loads
# BPF programs is left out: the kernel may take its time for that.
if [ "$(id -u)" = 0 ]; then
	"$tuesday" run net tcp udp listen sockmem disk fs ipc --quick --no-trace --no-history >/dev/null 2>&1 &
	pid=$!
	all=0 some=0
	while [ -e "/proc/$pid/exe" ]; do
		now=$(cat "/proc/$pid/status" 2>/dev/null)
		if [[ $now == *CapEff:*0000000000000000*CapBnd* ]]; then
			all=$((all + 1))
		elif [ "$all" -gt 0 ] && [ "$now" ]; then
			all=$((all + 1)) some=$((some + 1))
		fi
	done
	wait "$pid"
	is "$([ "$all" -gt 10 ] && [ "$((some * 4))" -lt "$all" ] && echo yes)" yes \
		"nearly all looks at a run find no right that is effective"
	echo "# $some of $all"
else
	skip "nearly all looks at a run find no right that is effective" "needs root"
fi
plan
