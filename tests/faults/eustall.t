#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does eustallhealth say of an Intel GPU that stalls, and of every way in which its driver can
# refuse, fail, lose, hang or vanish? The driver is tests/fake-xe: the program makes its real system
# calls, and is answered as the kernel's documentation says. No GPU has ever been seen by it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
[ "${TUESDAY_TEST_LONG:-}" ] || skip_all "it takes more than a minute: make check-long runs it"
needs jq unshare setpriv
fake=$helpers/fake-xe
[ -x "$fake" ] || skip_all "needs $fake: make first"
begin
"$fake" -- true || skip_all "no seccomp notifications here"
unshare -m true 2>/dev/null || skip_all "no mount namespaces here"

# device TREE NUMBER ADDRESS DRIVER STATUS: one more in a sysfs of our own.
device() {
	local sys=$scratch/$1 dir=$scratch/$1/devices/pci0/$3

	mkdir -p "$sys/class/drm" "$sys/bus/pci/drivers/$4" "$dir/power" "$dir/drm/renderD$2"
	ln -s "../../../../devices/pci0/$3" "$sys/bus/pci/drivers/$4/$3"
	ln -s "../../../bus/pci/drivers/$4" "$dir/driver"
	ln -s "../../devices/pci0/$3/drm/renderD$2" "$sys/class/drm/renderD$2"
	ln -s "../../../$3" "$dir/drm/renderD$2/device"
	echo "$5" >"$dir/power/runtime_status"
}
device one 128 0000:03:00.0 xe active
device asleep 128 0000:03:00.0 xe suspended
device both 128 0000:00:02.0 i915 active
device both 129 0000:03:00.0 xe active
device others 128 0000:00:02.0 i915 active
device two 128 0000:03:00.0 xe active
device two 129 0000:04:00.0 xe active

# Who uses them: in each of these for /proc one process works PERCENT of the time on all GPUs.
mkdir -p "$scratch/held/4242/fd"
ln -s 'anon_inode:[xe_eu_stall]' "$scratch/held/4242/fd/7"
printf 'unitrace\e[31m\n' >"$scratch/held/4242/comm"
for percent in 95 30; do
	for at in "128 0000:03:00.0" "129 0000:04:00.0"; do
		proc=$scratch/proc$percent fd=${at% *}
		mkdir -p "$proc/77/fd" "$proc/77/fdinfo" "$proc/self/ns"
		ln -sf 'pid:[4026531836]' "$proc/self/ns/pid"
		ln -s "/dev/dri/renderD$fd" "$proc/77/fd/$fd"
		echo matmul >"$proc/77/comm"
	done
done
work() {
	local total=0 percent at

	while :; do
		total=$((total + 100000))
		for percent in 95 30; do
			for at in "128 0000:03:00.0" "129 0000:04:00.0"; do
				printf 'pos:\t0\ndrm-driver:\txe\ndrm-pdev:\t%s\ndrm-client-id:\t5\ndrm-cycles-ccs:\t%d\ndrm-total-cycles-ccs:\t%d\n' \
					"${at#* }" $((total * percent / 100)) "$total" >"$scratch/proc$percent/77/fdinfo/new"
				mv "$scratch/proc$percent/77/fdinfo/new" "$scratch/proc$percent/77/fdinfo/${at% *}"
			done
		done
		sleep 0.05
	done
}
work 8>&- &
working=$!
undo_process "$working"

# within TREE LOG KEY... -- COMMAND...: on a machine with that sysfs and such a GPU; with use=PROC
# instead of one that is busy.
within() {
	local tree=$1 log=$2
	local -a keys=()

	shift 2
	while [ "$1" != -- ]; do
		keys+=("$1")
		shift
	done
	shift
	# shellcheck disable=SC2016
	timeout 30 "$fake" "log=$log" "${keys[@]}" -- unshare -m sh -c 'mount --make-rprivate / &&
		mount --bind "$1" /sys && mount --bind "$2" /proc || exit 99
		shift 2; exec "$@"' sh "$scratch/$tree" "$scratch/${use:-proc95}" "$@"
}
program=$BIN/eustallhealth

# ask NUMBER TREE KEYS: leaves NUMBER.json, .status, .err and .log.
ask() {
	local words

	read -ra words <<<"$3"
	# shellcheck disable=SC2086
	within "$2" "$scratch/$1.log" ${words[@]+"${words[@]}"} -- ${as:-} "$program" --quick -o json \
		>"$scratch/$1.json" 2>"$scratch/$1.err"
	echo $? >"$scratch/$1.status"
}

# log_of SENTENCE: what the GPU of that row of the table was asked for. A sentence that no row has ends the test.
log_of() {
	[ -n "${row_of[$1]:-}" ] || bail "no row of the table says: $1"
	echo "$scratch/${row_of[$1]}.log"
}

# judge NUMBER VERDICT JQ SENTENCE: what it said, and that it did nothing that it must not.
judge() {
	local status said why

	case $2 in
	good | skip) status=0 ;;
	maybe) status=1 ;;
	bad) status=2 ;;
	unknown) status=3 ;;
	esac
	said=$(jq -r '.checks[0].verdict' "$scratch/$1.json" 2>&1)
	why=$(grep VIOLATION "$scratch/$1.log" 2>/dev/null | sort | uniq -c | head -n 3)
	if [ "$said" = "$2" ] && [ "$(cat "$scratch/$1.status")" = "$status" ] && [ -z "$why" ] &&
		jq -e ".checks[0] | $3" "$scratch/$1.json" >"$scratch/$1.jq" 2>&1; then
		return 0
	fi
	failed_why="$said ($(cat "$scratch/$1.status")): $(jq -r '.checks[0].summary' "$scratch/$1.json" 2>&1 |
		head -c 160) $why $(head -c 200 "$scratch/$1.err")"
	return 1
}

declare -A row_of=()
# Lines of TREE | KEYS | VERDICT | JQ | SENTENCE are asked eight at a time: they mostly wait.
run_table() {
	local tree keys verdict filter sentence n=0 i
	local -a rows=()

	while IFS='|' read -r tree keys verdict filter sentence; do
		[ -n "$tree" ] || continue
		rows+=("$verdict|$filter|$sentence")
		row_of[$sentence]=$n
		ask "$n" "${tree// /}" "$keys" &
		n=$((n + 1))
		[ $((n % 8)) != 0 ] || wait_asked
	done
	wait_asked
	for i in "${!rows[@]}"; do
		IFS='|' read -r verdict filter sentence <<<"${rows[i]}"
		if judge "$i" "${verdict// /}" "${filter//OR/|}" "${sentence# }"; then
			pass "${sentence# }"
		else
			fail "${sentence# }"
			echo "$failed_why" | why
		fi
	done
}

wait_asked() {
	local pid

	for pid in $(jobs -pr); do
		[ "$pid" = "$guard_pid" ] || [ "$pid" = "$working" ] || wait "$pid"
	done
}

# In a jq filter OR stands for |, which ends a column. v is the value of a metric.
v='def v(n): .metrics[] OR select(.name == n) OR .value;'
says='def says(t): .summary OR test(t);'

is "$("$fake" --abi | wc -l)" "$("$helpers/lib/xeabi" | wc -l)" "both tellings of the interface are as long"
"$fake" --abi >"$scratch/abi.fake"
"$helpers/lib/xeabi" >"$scratch/abi.ours"
works "two tellings of the driver's interface agree" cmp "$scratch/abi.fake" "$scratch/abi.ours"
if "$helpers/xeuapi" >"$scratch/abi.kernel"; then
	works "  and the kernel's header with both" cmp "$scratch/abi.kernel" "$scratch/abi.ours"
else
	skip "  and the kernel's header with both" "$(cat "$scratch/abi.kernel")"
fi

# Intervals of 95 % miss the truth in one of twenty runs, by little: beside them is as much room again.
run_table <<ROWS
others| |skip|$says says("xe")|a machine without such a GPU is skipped
both|gpus=2|good|$says says("20")|of several GPUs the one of this driver is sampled
asleep|asleep=1|good|.summary == "idle" and (.howevers OR any(test("not woken")))|a GPU that sleeps is idle, and nothing of it is opened
one|node_errno=2|unknown|$says says("no /dev/dri/renderD128")|a node that is not there
one|node_errno=6|unknown|$says says("stale")|a node without a driver
one|node_errno=13|unknown|$says says("group render")|a node that is closed to the user, and who may open it
one|driver=i915|skip|$says says("another driver")|a driver that has no stalls
one|query_errno=22|unknown|$says says("6.15")|a kernel that is too old
one|query_errno=19|skip|$says says("no unit")|a GPU without the unit
one|size_zero=1|skip|$says says("does not sample")|a function that may not sample
one|size_changes=1|good|true|an answer that grew meanwhile is asked for again
one|size_changes=99|unknown|$says says("cannot be queried")|one that never stays the same
one|wedged=1|bad|$says says("wedged")|a GPU that its driver has given up is bad
one|rates=0|unknown|$says says("no rate")|no rate to sample at
one|record=32|unknown|$says says("records of 32 bytes")|records of another size
one|version=19|unknown|$says says("graphics version 19")|an unknown generation is not guessed
one|version=0|unknown|$says says("graphics version 0")|one without a version is not taken for PVC
one|version=0 pci=0x0bd5 mix=10,0,0,0,0,0,0,90|bad|$v v("stall_lower_ratio") > .85|PVC is known by its PCI id
one|version=35 mix=10,0,0,0,0,0,0,90|bad|$v v("stall_lower_ratio") > .85|Xe3p
one|version=30 mix=90,0,0,0,0,0,0,10|good|$v v("stall_upper_ratio") < .15|Xe3 has the records of Xe2
one|gts=0|skip|$says says("only for media")|a GPU for media only
one|gts=2|good|$v v("stall_upper_ratio") < .25|two main GTs
one|gts=4|good|$v v("stall_upper_ratio") < .25|four main GTs
one|huge=1|good|true|a number of GTs beyond the answer's length
one|open_errno=13|unknown|$says says("CAP_PERFMON.*observation_paranoid")|a stream that needs a right, and which
one|open_errno=16|unknown|$says says("another profiler")|a stream that somebody else has
one|open_errno=7|unknown|$says says("report")|a refusal that would be our mistake
one|enable_errno=110|unknown|$says says("does not wake")|a GT that does not wake
one|eintr=1|good|true|signals between reads
one|short_reads=1|good|true|reads that bring little
one|zero_read=1|good|true|a read that brings nothing
one|eio=1|good|true|one loss is no error
one|eio=2|unknown|$says says("lost before more than half")|losses without end do end
one|reset_at=5 resets=1|bad|$says says("was reset")|a reset is recovered from, and told
one|reset_at=5 resets=9|bad|$says says("was reset")|a GPU that is reset again and again
one|unplug_at=7|unknown|$says says("went away")|a GPU that is unplugged meanwhile
one|wedge_at=7|bad|$says says("wedged")|a GPU that is wedged meanwhile
one|hang=1|unknown|$says says("hangs")|a driver that does not answer
one|per_ms=0|unknown|$says says("not its vector engines")|a GPU that is busy without one sample
one|per_ms=1 xecores=2 mix=1,0,0,0,0,0,0,9|unknown|$says says("6400 samples")|too few samples
one|end_flag=0|unknown|$says says("format")|records without their mark
one|zero=1|unknown|$says says("format")|records of zeros
one|saturated=1|maybe|$v v("saturated_ratio") > .9|counts at their end
one|mix=61,0,0,0,0,0,0,39|good|$v v("stall_upper_ratio") < .4|39 % is good
one|mix=59,0,0,0,0,0,0,41|maybe|$says says("SbidStall, starvation")|41 % is maybe, with its reason
one|mix=22,0,0,0,0,0,0,78|maybe|$v v("stall_lower_ratio") < .8|78 % is maybe
one|mix=18,0,0,0,0,0,0,82|bad|$v v("stall_lower_ratio") > .8|82 % of one reason is bad
one|mix=10,0,0,0,0,30,30,30|maybe|.howevers OR any(test("no reason has half"))|90 % of three reasons is maybe
one|mix=10,0,0,0,0,30,30,30 top=80|bad|.culprits[0].name == "0x00008000" and .culprits[0].kind == "instruction"|unless one instruction has them
one|mix=10,0,0,0,0,0,0,90|bad|.culprits == []|and none is blamed where all are alike
one|mix=10,0,0,0,0,0,0,90 jitter=120|maybe|$v v("stall_lower_ratio") < .8 and v("stall_upper_ratio") > .4|windows that differ widely convict nobody
one|mix=60,0,0,0,0,0,0,0,40|bad|$says says("SyncStall")|barriers
one|mix=90,0,0,0,0,0,0,0,10|good|true|barriers of little weight
one|mix=80,0,0,0,0,0,0,0,0,20|bad|$says says("InstrFetchStall")|instructions that are waited for
one|mix=50,0,25,0,0,0,0,25|maybe|$v v("other_upper_ratio") > .4|stalls without a reason
one|mix=40,0,0,10,10,0,0,40|maybe|$v v("stall_lower_ratio") <= .602 and v("stall_upper_ratio") >= .598 and v("sbid_ratio") < .67|known shares are within their intervals
one|mix=1 second=0,0,0,0,0,0,0,1 buffer=4096|maybe|$v v("stall_lower_ratio") <= .5 and v("stall_upper_ratio") >= .5|all XeCores count alike when their buffers are full
one|mix=1 second=70,0,0,0,0,0,0,30 burst=4 buffer=8192|maybe|$says says("were lost before")|losses of the busy ones alone are maybe, not the share that is left
one|mix=8,0,0,0,0,0,0,92 second=3,0,0,0,0,0,0,97 burst=4 buffer=8192 top=80|maybe|$v v("stall_lower_ratio") > .8 and v("concentration_ratio") > .5 and (.howevers OR any(test("more than a tenth of the reads")))|nor does what is left convict where that is high, of one instruction,
one|mix=40,0,0,0,0,0,0,0,60 second=30,0,0,0,0,0,0,0,70 burst=4 buffer=8192|maybe|$v v("sync_lower_ratio") > .5 and (.howevers OR any(test("a tenth of the reads")))|  of barriers
one|mix=70,0,0,0,0,0,0,0,0,30 second=60,0,0,0,0,0,0,0,0,40 burst=4 buffer=8192|maybe|$v v("instruction_fetch_lower_ratio") > .15 and (.howevers OR any(test("a tenth of the reads")))|  or of instructions that are waited for
one|ips=1|good|true|one instruction
one|pool=1000000 ips=1000000 each=1 per_ms=1600|good|$v v("unkept_ratio") > .3 and v("stall_upper_ratio") < .25|a million instructions, of which not all are told apart
one|pool=163840 per_ms=1638 mix=40,0,0,10,10,0,0,40|maybe|$v v("sample_count") > 1000000 and v("stall_lower_ratio") < .602 and v("stall_upper_ratio") > .598|all that 20 XeCores can tell, by system calls
one|clock=1 mix=40,0,0,10,10,0,0,40|maybe|$v v("stall_lower_ratio") <= .602 and v("stall_upper_ratio") >= .598|a clock that changes within windows changes no share
one|reset_at=5 resets=2|bad|$v v("reset_count") == 2 and (.howevers OR any(test("reset again")))|a second reset ends it, and is told
two|gpus=2|good|.metrics OR any(.name == "stall_upper_ratio" and .instances == 2)|two GPUs
ROWS

# The same driver within the program, at the speed of 20 XeCores, whose clock goes on while it reads.
# swift KEYS: leaves swift.json, .log.
swift() {
	# shellcheck disable=SC2016
	timeout 60 unshare -m sh -c 'mount --make-rprivate / && mount --bind "$1" /sys || exit 99
		export LD_PRELOAD="$2" FAKE_XE="$3"; shift 3; exec "$@"' sh "$scratch/one" "$helpers/fake-xe.so" \
		"log=$scratch/swift.log $1" "$BUILD/dynamic/eustallhealth" --quick -o json "${@:2}" \
		>"$scratch/swift.json" 2>"$scratch/swift.err"
}
if [ -x "$BUILD/dynamic/eustallhealth" ] && [ -e "$helpers/fake-xe.so" ]; then
	swift "pool=163840 per_ms=1638 overload=1 ips=2000 mix=10,0,0,0,0,0,0,90"
	works "a saturated GPU of 20 XeCores is read at its speed" jq -e "${v//OR/|} .checks[0] |
		v(\"sample_count\") > 4000000 and v(\"stall_lower_ratio\") > .88 and v(\"stall_lower_ratio\") < .902" \
		"$scratch/swift.json"
	is "$(grep VIOLATION "$scratch/swift.log" | sort | uniq -c | head -n 3)" "" "  with all that the driver demands"
	swift "burn_ms=20" --record "$scratch/burnt"
	works "  and its windows end when their CPU time is used" \
		grep -rqE ' cut_windows [1-9]' "$scratch/burnt"
else
	skip "a saturated GPU of 20 XeCores is read at its speed" "needs build/dynamic/eustallhealth: make first"
fi

others=$(log_of "a machine without such a GPU is skipped")
both=$(log_of "of several GPUs the one of this driver is sampled")
is "$(cat "$others" "$both" | grep -c 'open /dev/dri/renderD128') $(grep -c 'open /dev/dri/renderD129' "$both")" \
	"0 1" "  the node of another driver is not opened, and its own is"
asleep=$(log_of "a GPU that sleeps is idle, and nothing of it is opened")
is "$(test -e "$asleep" && grep -c '^open\|^query\|^observe' "$asleep")" 0 "  and none of a GPU that sleeps"
is "$(grep '^observe' "$(log_of "four main GTs")" | tr '\n' ';')" \
	"observe gt 0 rate 7 reports 1;observe gt 1 rate 7 reports 1;observe gt 2 rate 7 reports 1;observe gt 3 rate 7 reports 1;" \
	"each main GT has a stream, at the slowest rate"
eintr=$(log_of "signals between reads")
is "$(grep -c '^enable' "$eintr" | sed 's/^[1-9][0-9]*$/some/') $(grep -c '^enable' "$eintr")" \
	"some $(grep -c '^disable' "$eintr")" "what is switched on is switched off"

# Who may.
use=held ask holder one open_errno=16
judge holder unknown '.summary | test("held by unitrace.* .pid 4242.") and (test("\u001b") | not)'
is $? 0 "who holds the stream is named, and harmless"
as="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all" ask user one ""
judge user unknown '.summary | test("CAP_PERFMON")'
is $? 0 "an ordinary user is told what to ask for"
as="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+perfmon --ambient-caps=-all,+perfmon --bounding-set=-all,+perfmon" \
	ask capable one ""
judge capable good true
is $? 0 "CAP_PERFMON alone is enough"
as="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all" ask free one "paranoid=0"
judge free good true
is $? 0 "and so is a sysctl of 0"

# What the GPU's use says of it.
use=proc30 ask third one "mix=10,0,0,0,0,0,0,90"
judge third maybe '.howevers | any(test("busy for half"))'
is $? 0 "a GPU that is not busy for half of the time is maybe at most"
mkdir -p "$scratch/shut/77/fd" "$scratch/shut/self"
chmod 700 "$scratch/shut/77/fd"
use=shut as="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all" \
	ask unseen one "paranoid=0 mix=10,0,0,0,0,0,0,90 top=80"
judge unseen maybe '.metrics | any(.name == "stall_lower_ratio" and .verdict == "unknown")'
is $? 0 "so is one of which nobody can tell how busy it is"
use=proc30 ask asleep one per_ms=0
judge asleep good '.summary == "idle"'
is $? 0 "one without a sample that was hardly used is idle"
mkdir -p "$scratch/one/devices/pci0/0000:03:00.0/tile0/gt0/freq0/throttle"
for file in act_freq:900 cur_freq:2400 max_freq:2400 rpe_freq:1200 throttle/status:1 throttle/reason_thermal:1; do
	echo "${file#*:}" >"$scratch/one/devices/pci0/0000:03:00.0/tile0/gt0/freq0/${file%:*}"
done
ask hot one "mix=10,0,0,0,0,0,0,90"
judge hot maybe '.howevers | any(test("slowed by heat"))'
is $? 0 "one that is slowed by heat is maybe at most, and told to begin there"
rm -r "$scratch/one/devices/pci0/0000:03:00.0/tile0"

# A recording says the same later.
within one "$scratch/record.log" "mix=300000,0,0,0,5,0,0,700000" -- "$program" --quick --record "$scratch/recorded" \
	-o json >"$scratch/first.json" 2>/dev/null
"$program" --replay "$scratch/recorded" -o json >"$scratch/again.json" 2>/dev/null
is "$(jq -c '.checks[0] | [.verdict, .summary, [.metrics[].value]]' "$scratch/again.json")" \
	"$(jq -c '.checks[0] | [.verdict, .summary, [.metrics[].value]]' "$scratch/first.json")" \
	"a recording replays to the same numbers"
is "$(grep -Ec ' [0-9.]+e[-+]?[0-9]+$' "$scratch/recorded/1/@eustall")" 0 \
	"a share of a few in a million is written as it is read"

# Whether these tests would see a mistake: the program is built with one after the other. By need.
# shellcheck source=tests/stamp.sh
. "$(dirname "$0")/../stamp.sh"
if stamped eustall "$0" "$fake" "$root"/lib/sources/gpu/{eustall,xe}*.[ch] "$root"/checks.d/eustall.ini; then
	echo "# mistakes made on purpose were seen with these very files: make check-long makes them again"
	plan
	exit
fi
copy=$scratch/copy
mkdir -p "$copy/build"
cp -a "$root"/{Makefile,deps.mk,lib,bpf,tools,checks.d,dist,embed} "$copy/"
mkdir "$copy/tests"
cp -a "$root/tests/tests.mk" "$copy/tests/"
for part in lib bpf tools checks.d embed pack version; do
	cp -a "$BUILD/$part" "$copy/build/"
done

# build_copy: from what is in the copy by now, without what make says of the missing repository.
build_copy() {
	env -u CI -u MAKEFLAGS -u MAKELEVEL make -s -C "$copy" BUILD=build BIN=bin VERSION="$(cat "$BUILD/version")" OBJCOPY=true bin/tuesday bin/eustallhealth >"$scratch/make.out" 2>&1
}

# suite: how many of a few faults are not seen as what they are.
suite() {
	local wrong=0

	program=$copy/bin/eustallhealth
	ask s1 one "gts=2 mix=18,0,0,0,0,0,0,82" &
	ask s2 one "second=70,0,0,0,0,0,0,30 mix=1 burst=4 buffer=8192" &
	ask s3 one "mix=1 second=0,0,0,0,0,0,0,1 buffer=4096" &
	ask s4 one "reset_at=5 resets=1 eintr=1" &
	ask s5 one "version=0 pci=0x0bd5" &
	wait_asked
	judge s1 bad "$v v(\"stall_lower_ratio\") > .8" && grep -q '^observe gt 1' "$scratch/s1.log" ||
		wrong=$((wrong + 1))
	judge s2 maybe '.summary | test("were lost")' || wrong=$((wrong + 1))
	judge s3 maybe "${v/OR/|} v(\"stall_lower_ratio\") <= .5 and v(\"stall_upper_ratio\") >= .5" ||
		wrong=$((wrong + 1))
	judge s4 bad '.summary | test("was reset")' || wrong=$((wrong + 1))
	judge s5 good true || wrong=$((wrong + 1))
	[ "$wrong" = 0 ]
}
v=${v//OR/|}

# mutate FILE SED SENTENCE: a mistake that at least one of them must see.
mutate() {
	cp "$copy/$1" "$scratch/original"
	sed -i "$2" "$copy/$1"
	if cmp -s "$copy/$1" "$scratch/original"; then
		fail "$3: the mistake is not made"
	elif ! build_copy; then
		fail "$3: the mistake cannot be built"
		head -n 3 "$scratch/make.out" | why
	elif suite; then
		fail "$3 is seen"
	else
		pass "$3 is seen"
	fi
	cp "$scratch/original" "$copy/$1"
}

if ! command -v make >/dev/null || ! build_copy; then
	skip "mistakes made on purpose are seen" "nothing can be built here"
else
	# A machine that is busy with something else may lose a window once.
	works "without a mistake there is nothing to see" eval 'suite || suite'
	unchecked='/^XE_CHECK_/d; /^_Static_assert/d;'
	mutate lib/sources/gpu/xe_uapi.h "$unchecked /uint32_t query;/{h;d}; /uint32_t size;/G" \
		"a query whose fields change places"
	mutate lib/sources/gpu/xe_uapi.h "$unchecked s/ip_ver_major, ip_ver_minor/ip_ver_minor, ip_ver_major/" \
		"the version read at the wrong place"
	mutate lib/sources/gpu/xe_uapi.h "$unchecked s/uint32_t property;/uint16_t shifted, property;/" \
		"a property two bytes too far"
	mutate lib/sources/gpu/eustall_swar.h 's/counts\[0\] : counts\[9\]/counts[0] : counts[0]/' \
		"active and PSDepStall in each other's place"
	mutate lib/sources/gpu/eustall_record.c 's/\*layout = EUSTALL_PVC/*layout = EUSTALL_XE2/' "PVC taken for Xe2"
	mutate lib/sources/gpu/xe_window.c '/seen.drops++/d' "a loss that is not counted"
	mutate lib/sources/gpu/xe_window.c 's/, session->buffer_bytes)/, session->buffer_bytes \/ 2)/' \
		"half a buffer"
	mutate lib/sources/gpu/xe_window.c 's/return recover(window, stream)/return 0/' "a reset that is not recovered from"
	mutate lib/sources/gpu/xe_window.c 's/err = set_stream(&session->streams\[i\], false)/err = 0/' \
		"a stream that is left on between windows"
	mutate lib/sources/gpu/xe_stream.c 's/F_SETFL, O_NONBLOCK/F_SETFL, 0/' "a stream whose reads wait"
	mutate lib/sources/gpu/xe_stream.c 's/F_SETFD, FD_CLOEXEC/F_SETFD, 0/' "a stream that programs inherit"
	mutate lib/sources/gpu/xe_stream.c '/caps_raise(CAPS_BPF)/d' "a right that is not raised"
	mutate lib/sources/gpu/xe_stream.c 's/i < gpu->n_gts && !err/i < 1 \&\& !err/' "only the first GT"
fi
stamp eustall
plan
