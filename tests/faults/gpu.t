#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a GPU that is throttled, wedged or broken, leave those alone that only look so, and
# keep its hands off one that sleeps? There is no GPU here: /sys and /proc are directories made up in a
# mount namespace of each run, the perf events are the kernel's own of another kind, the NVIDIA library
# is one of this test.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq strace unshare setpriv gcc
unshare -m true 2>/dev/null || skip_all "no mount namespaces here"
begin
real=$BIN/tuesday
if [ ! -d /dev/dri ]; then
	mkdir /dev/dri
	undo rmdir /dev/dri
fi

# Every run of the tool is one of a machine that has directories of ours for /sys, /proc and /dev/dri.
# settle_in NAME: a place for such machines, so that several tests may go on at a time.
settle_in() {
	mkdir -p "$scratch/$1/bin" "$scratch/$1/lib"
	ln -s ../undo "$scratch/$1/undo"
	scratch=$scratch/$1
	sys=$scratch/sys proc=$scratch/proc dev=$scratch/dev state=$scratch/nvml.state
	gpu=$sys/devices/pci0000:00/0000:03:00.0
	nvidia=$sys/devices/pci0000:80/0000:81:00.0
	cat >"$scratch/inside" <<-END
		#!/bin/sh
		echo \$\$ >$scratch/pid
		mount --bind $sys /sys && mount --bind $dev /dev/dri && mount --bind $proc /proc || exit 70
		exec \${BEFORE-} $real "\$@"
	END
	cat >"$scratch/bin/tuesday" <<-END
		#!/bin/sh
		exec unshare -m $scratch/inside "\$@"
	END
	chmod +x "$scratch/inside" "$scratch/bin/tuesday"
	BIN=$scratch/bin
	export LD_LIBRARY_PATH=$scratch/lib BEFORE=
}

# put FILE WORD...: a file of the GPU, changed at once.
put() {
	local file=$gpu/$1

	mkdir -p "${file%/*}"
	shift
	printf '%s\n' "$@" >"$file.new"
	mv "$file.new" "$file"
}

# new_machine: without anything. settle: what runs beside the tool is ended.
new_machine() {
	settle
	rm -rf "$sys" "$proc" "$dev"
	mkdir -p "$sys/class/drm" "$sys/bus/event_source/devices" "$proc/self/ns" "$dev"
	ln -s 'pid:[4026531836]' "$proc/self/ns/pid"
}

settle() {
	[ -z "${moving-}" ] || { kill "$moving" && wait "$moving"; } 2>/dev/null
	moving=
}

# new_gpu DRIVER: a discrete one with nodes, awake.
new_gpu() {
	local node

	mkdir -p "$sys/bus/pci/drivers/$1" "$gpu"
	ln -s "../../../bus/pci/drivers/$1" "$gpu/driver"
	for node in card0 renderD128; do
		mkdir -p "$gpu/drm/$node"
		ln -s ../../../0000:03:00.0 "$gpu/drm/$node/device"
		ln -s "../../devices/pci0000:00/0000:03:00.0/drm/$node" "$sys/class/drm/$node"
	done
	put power/runtime_status active
	mknod "$dev/renderD128" c 1 3
}

# new_xe [GT-DIRECTORY]: at full speed and without a reason to slow down.
new_xe() {
	new_gpu xe
	new_gt "${1:-tile0/gt0}"
}

# new_gt DIRECTORY: one more part with a clock of its own, of which the functions below speak from now on.
new_gt() {
	gt=$1
	frequencies 2400 2400
	put "$gt/freq0/max_freq" 2400
	put "$gt/freq0/rpe_freq" 1200
	put "$gt/freq0/rp0_freq" 2400
	put "$gt/gtidle/idle_residency_ms" 1000
	reasons
}

frequencies() {
	put "$gt/freq0/act_freq" "$1"
	put "$gt/freq0/cur_freq" "$2"
}

# reasons [NAME...]: these are set, and no other.
reasons() {
	local reason

	put "$gt/freq0/throttle/status" $(($# > 0))
	for reason in pl1 pl2 pl4 thermal prochot ratl vr_thermalert vr_tdc; do
		case " $* " in
		*" $reason "*) put "$gt/freq0/throttle/reason_$reason" 1 ;;
		*) put "$gt/freq0/throttle/reason_$reason" 0 ;;
		esac
	done
}

# client PID FD NAME LINE...: a process with a descriptor of the render node.
client() {
	local dir=$proc/$1 fd=$2 name=$3

	shift 3
	mkdir -p "$dir/fd" "$dir/fdinfo"
	echo "$name" >"$dir/comm"
	ln -sf /dev/dri/renderD128 "$dir/fd/$fd"
	printf 'pos:\t0\ndrm-driver:\txe\ndrm-pdev:\t0000:03:00.0\n' >"$dir/fdinfo/.$fd"
	[ $# = 0 ] || printf '%s\n' "$@" >>"$dir/fdinfo/.$fd"
	mv "$dir/fdinfo/.$fd" "$dir/fdinfo/$fd"
}

# works_at PERCENT [PID FD...]: from now on one client of xe's compute engine, seen through these
# descriptors (100 7 if not said), moves its counters so.
works_at() {
	local percent=$1 busy=0 total=0 i

	shift
	[ $# != 0 ] || set -- 100 7
	settle
	client "$1" "$2" matmul "drm-client-id: 5" "drm-cycles-ccs: 0" "drm-total-cycles-ccs: 0"
	while :; do
		busy=$((busy + percent * 1000))
		total=$((total + 100000))
		for ((i = 1; i < $#; i += 2)); do
			client "${!i}" "${@:i+1:1}" matmul "drm-client-id: 5" \
				"drm-cycles-ccs: $busy" "drm-total-cycles-ccs: $total" \
				"drm-engine-capacity-ccs: 1" "drm-resident-vram0: 512 MiB"
		done
		sleep 0.05
	done 8>&- &
	moving=$!
	undo_process "$moving"
}

# look [OPTION...]: long enough to judge a clock, which takes ten rounds of 80 ms, on a machine that loses
# half of them.
look() {
	examine --window 2 --windows 1 "$@" gpu
}

# meanwhile COMMAND...: when the run that is begun next has looked for a while, as $doing: its child has.
meanwhile() {
	rm -f "$scratch/pid"
	(
		for _ in {1..200}; do
			asking=$(pgrep -P "$(cat "$scratch/pid" 2>/dev/null)" 2>/dev/null | head -n 1)
			[ -n "$asking" ] && [ "$(cat "/proc/$asking/comm")" = tuesday ] && break
			sleep 0.05
		done
		sleep 0.5
		"$@"
	) 8>&- &
	doing=$!
}

# brief: a look that is too short to judge a clock.
brief() {
	examine --window 0.2 --windows 1 gpu
}

judged() {
	check_that "$1" gpu ".verdict == \"$2\""
}

# metric SENTENCE NAME CONDITION: of a value, or of a result, of this metric.
metric() {
	check_that "$1" gpu "[.metrics[] | select(.name == \"$2\")] | any(.[]; $3)"
}

of_intel() {
	new_machine
	look
	judged "a machine without a GPU is skipped" skip
	mkdir -p "$sys/class/drm/card0"
	look
	judged "one that only shows pictures is none" skip
	new_gpu virtio-pci
	brief
	judged "one that hands on to another machine is none" skip
	check_that "  and it is said so" gpu '.reason | contains("pictures")'

	new_machine
	new_xe
	works_at 95
	look
	judged "a busy GPU at its full clock is well" good
	metric "  and its time is told" least_busy_ratio '.value > 0.9 and .value < 0.99'
	metric "  and who uses it" process_busy_ratio '.label | contains("matmul (pid 100)")'
	metric "  and its memory" process_memory_bytes '.value == 536870912'

	frequencies 1000 2400
	reasons thermal
	look
	judged "one with flag and clock is throttled" bad
	accuses gpu thermal_throttle_ratio
	names gpu process matmul
	look --record "$scratch/recording"
	"$real" run gpu --replay "$scratch/recording" -o json >"$scratch/run.json" 2>"$scratch/run.err"
	judged "  and a replay of its recording says the same" bad

	frequencies 2300 2400
	look
	judged "a flag at full clock is no fault" good
	metric "  but told" flagged_ratio '.value == 1'
	frequencies 1000 2400
	reasons
	look
	judged "a low clock without a flag is maybe" maybe
	accuses gpu slow_clock_ratio
	reasons pl1
	frequencies 1500 2400
	look
	judged "one at its limit of power is maybe" maybe
	accuses gpu power_throttle_ratio
	frequencies 900 2400
	look
	judged "one held below its base clock is bad" bad
	accuses gpu below_base_ratio
	frequencies 1000 1000
	reasons thermal
	look
	check_that "one that nobody asks to be faster is not throttled" gpu '.verdict == "good"'
	frequencies 1000 2400
	put "$gt/freq0/max_freq" 1000
	reasons
	look
	judged "one that somebody limited is maybe" maybe
	accuses gpu capped_ratio
	put "$gt/freq0/max_freq" 2400
	works_at 2
	reasons thermal
	look
	check_that "an idle one with a flag and a low clock is well, but not exonerated while it is awake" gpu \
		'.verdict == "good" and (.exonerated | not)'
	metric "  since who came and went is not seen" busy_ratio '.value > 0.95'
	rm "$gpu/$gt/gtidle/idle_residency_ms"
	look
	check_that "  nor where nothing else is told than its clients" gpu '.verdict == "good" and (.exonerated | not)'
	metric "  which are idle" busy_ratio '.value < 0.05'
	works_at 30
	look
	judged "one that waits for its work most of the time is not judged by its clock" good
	frequencies 0 0
	works_at 95
	look
	judged "a part that sleeps has no clock to judge" good

	new_machine
	new_xe gt0
	works_at 95
	frequencies 1000 2400
	reasons prochot
	look
	judged "the files of older kernels are read" bad

	new_machine
	new_xe
	new_gt tile0/gt1
	new_gt tile1/gt2
	works_at 95
	frequencies 1000 2400
	reasons vr_tdc
	look
	judged "one part of three that is throttled is seen" bad
	metric "  and it is said which" thermal_throttle_ratio '.value > 0.9 and (.label | contains("gt2"))'
	metric "  and the others are not accused" slow_clock_ratio '.instances == 3'

	# Clients.
	new_machine
	new_xe
	works_at 40 100 7 100 8 101 9
	look
	metric "descriptors of one client count once" least_busy_ratio '.value > 0.3 and .value < 0.5'
	settle
	rm -r "$proc/100" "$proc/101"
	client 100 7 matmul "drm-client-id: 5" "drm-cycles-ccs: 90000" "drm-total-cycles-ccs: 100000"
	meanwhile client 100 7 matmul "drm-client-id: 5" "drm-cycles-ccs: 10" "drm-total-cycles-ccs: 200000"
	look
	wait "$doing"
	metric "a counter that steps back counts nothing" least_busy_ratio '.value == 0'
	meanwhile rm -rf "$proc/100"
	look
	wait "$doing"
	judged "a client that ends is no fault" good
	works_at 95
	chmod 0 "$proc/100/fd"
	BEFORE="setpriv --bounding-set -sys_ptrace,-dac_read_search,-dac_override --reuid 65534 --clear-groups"
	chmod 755 "$scratch"
	look
	metric "whose clients cannot be seen is not called idle" least_busy_ratio '.value == null'
	frequencies 1000 2400
	reasons thermal
	look
	check_that "  nor busy, and so not throttled" gpu '.verdict != "bad"'
	BEFORE="setpriv --reuid 65534 --clear-groups prlimit --nproc=1"
	brief
	judged "what cannot be read for want of a process is unknown" unknown
	check_that "  and it is said why" gpu '.reason | contains("could not be started")'
	BEFORE=
	chmod 755 "$proc/100/fd"
	settle
	rm -r "$proc/100"
	client 100 7 old "drm-client-id: 5"
	look
	metric "clients that tell nothing are not called idle" least_busy_ratio '.value == null'
}

# with_errors [KEY=VALUE]...: a look at a GPU of which the kernel tells these by drm-ras.
with_errors() {
	rm -f "$scratch/asked"
	BEFORE="${BEFORE-} $helpers/fake-xe ras=1 log=$scratch/asked $* --"
	brief
	BEFORE=
}

of_counted_errors() {
	new_machine
	new_xe
	with_errors ras_correctable=7
	judged "one that corrected all of its errors is well" good
	metric "  and told to have had none that it could not" uncorrectable_error_count '.value == 0'
	if grep -q '^counters of node 2$' "$scratch/asked" && ! grep -qE '^(VIOLATION|.*node [034]$)' "$scratch/asked"; then
		pass "  by the counters that are its own"
	else
		fail "  by the counters that are its own"
		why <"$scratch/asked"
	fi
	with_errors ras_uncorrectable=3
	judged "one that could not correct some is bad" bad
	accuses gpu uncorrectable_error_count
	metric "  with the sum of its parts" uncorrectable_error_count '.value == 3'
	with_errors ras_uncorrectable=3 ras_errno=5
	metric "counters that cannot be had are not taken for none" uncorrectable_error_count '.value == null'
	if grep -q 'drm-ras): Input/output error' "$scratch/run.json"; then pass "  and it is said why"; else fail "  and it is said why"; fi
	put power/runtime_status suspended
	with_errors ras_uncorrectable=3
	if grep -q counters "$scratch/asked"; then fail "one that sleeps is not asked"; else pass "one that sleeps is not asked"; fi
	put power/runtime_status active
	BEFORE="setpriv --bounding-set -net_admin --inh-caps -net_admin"
	with_errors ras_uncorrectable=3
	metric "nor is what may not be asked for" uncorrectable_error_count '.value == null'
	if grep -q 'CAP_NET_ADMIN' "$scratch/run.json"; then pass "  and it is said what that needs"; else fail "  and it is said what that needs"; fi
}

of_states_and_files() {
	# The state of the driver.
	new_machine
	new_xe
	works_at 95
	BEFORE="strace -f -o $scratch/trace -e trace=ioctl -e inject=ioctl:error=ECANCELED"
	brief
	BEFORE=
	judged "a wedged one is bad" bad
	accuses gpu wedged_count
	if grep -q 'ioctl.*ECANCELED' "$scratch/trace"; then pass "  by what the driver said"; else fail "  by what the driver said"; fi

	new_machine
	new_xe
	works_at 95
	meanwhile mkdir "$gpu/devcoredump"
	look
	wait "$doing"
	judged "one that hangs and is reset meanwhile is bad" bad
	accuses gpu reset_count
	look
	judged "  and only maybe when that was before" maybe
	accuses gpu crash_dump_count

	# One that sleeps is not touched, whoever has it open.
	new_machine
	new_xe
	client 100 7 matmul "drm-client-id: 5" "drm-cycles-ccs: 0" "drm-total-cycles-ccs: 0"
	put power/runtime_status suspended
	BEFORE="strace -f -o $scratch/trace -e trace=open,openat,openat2,ioctl,perf_event_open"
	look
	BEFORE=
	judged "one that sleeps is well" good
	metric "  and said to sleep" asleep_ratio '.value == 1'
	touched=$(grep -E 'openat?2?\(' "$scratch/trace" | grep -E '/dev/dri/|class/drm/[^"]*/|0000:03:00.0|fdinfo' |
		grep -v -e O_PATH -e O_DIRECTORY -e power/runtime_status)
	is "$touched" "" "  and no file of it was opened, but its state"
	put power/runtime_status error
	brief
	judged "one that could not be woken is maybe" maybe
	accuses gpu power_failed_count

	# One that hangs, here with the process that asks it; and one that is pulled out.
	new_machine
	new_xe
	# shellcheck disable=SC2016
	meanwhile eval 'kill -STOP "$asking"'
	before=$SECONDS
	examine --window 0.8 --windows 5 gpu
	wait "$doing"
	judged "one that does not answer is maybe" maybe
	accuses gpu hung_seconds
	if [ $((SECONDS - before)) -lt 15 ]; then pass "  and the run ends in time"; else fail "  and the run ends in time"; fi
	new_machine
	new_xe
	works_at 95
	if "$helpers/fake-xe" -- true 2>/dev/null; then
		BEFORE="$helpers/fake-xe stuck=/freq0/cur_freq --"
		before=$SECONDS
		examine --window 0.8 --windows 4 gpu
		judged "a file whose reading does not end is said to hang" maybe
		accuses gpu hung_seconds
		if [ $((SECONDS - before)) -lt 15 ]; then pass "  and is not waited for"; else fail "  and is not waited for"; fi
		frequencies 1000 2400
		reasons thermal
		BEFORE="$helpers/fake-xe broken=/freq0/act_freq --"
		look
		BEFORE=
		check_that "a file that cannot be read makes up no clock" gpu '.verdict != "bad" and
			([.metrics[] | select(.name == "slow_clock_ratio" and .value != null)] == [])'
		of_counted_errors
	else
		skip "files that cannot be read are no fault" "no seccomp notifications here"
	fi
	meanwhile rm -rf "$gpu"
	look
	wait "$doing"
	check_that "one that is pulled out is not throttled" gpu '.verdict != "bad"'

	# The commands of the experiment, as the shell gets them.
	# does KEY: of pinned_clock.
	does() {
		awk -v key="$1" '/^\[/ { on = $0 == "[experiment pinned_clock]" }
			/^[^ \t]/ { found = 0 }
			on && $1 == key && $2 == "=" { sub(/^[^=]*= */, ""); found = 1; printf "%s", $0; next }
			on && found { sub(/^[ \t]+/, ""); printf " %s", $0 }' "$root/checks.d/gpu.ini" >"$scratch/line"
		TUESDAY_SAVED=$saved unshare -m sh -c "mount --bind $sys /sys && sh $scratch/line"
	}
	new_machine
	new_xe
	put "$gt/freq0/min_freq" 300
	saved=
	saved=$(does save)
	does apply
	is "$(cat "$gpu/$gt/freq0/min_freq")" 2400 "the experiment keeps the clock at its highest"
	does restore
	is "$(cat "$gpu/$gt/freq0/min_freq")" 300 "  and puts it back"
	new_machine
	if does save; then fail "  and is none where there is no such GPU"; else pass "  and is none where there is no such GPU"; fi

	# What files may say.
	new_machine
	new_xe
	works_at 95
	for junk in "" N/A 65535x -5 "1 2 3" "$(head -c 5000 /dev/zero | tr '\0' 9)"; do
		for file in "$gt/freq0/act_freq" "$gt/freq0/throttle/reason_thermal" "$gt/gtidle/idle_residency_ms"; do
			put "$file" "$junk"
		done
		examine --window 0.9 --windows 1 gpu
		check_that "nonsense in its files ('${junk:0:8}') accuses nobody" gpu '.verdict != "bad"'
	done
	rm -r "${gpu:?}/tile0"
	look
	metric "without its files no clock is made up" thermal_throttle_ratio '.value == null'

	new_machine
	new_gpu amdgpu
	put gpu_busy_percent 99
	put pp_dpm_sclk "0: 500Mhz" "1: 2400Mhz *"
	# metrics_of CLOCK BYTE...: gpu_metrics v1_3 with these bytes of the status.
	metrics_of() {
		local clock=$1

		shift
		{
			printf '\x78\x00\x01\x03'
			head -c 50 /dev/zero
			# shellcheck disable=SC2059
			printf "\\x$(printf %x $((clock % 256)))\\x$(printf %x $((clock / 256)))"
			head -c 56 /dev/zero
			printf '%b' "$@"
		} >"$gpu/gpu_metrics"
	}
	# amd PID FD NAME LINE...: a client of that driver.
	amd() {
		client "$@"
		sed -i s/xe/amdgpu/ "$proc/$1/fdinfo/$2"
	}
	amd 200 4 trainer "drm-client-id: 5" "drm-memory-vram: 4 GiB"
	metrics_of 1000 '\x00\x00\x00\x00\x00\x00\x00\x00'
	look
	judged "a slow AMD GPU without a flag is maybe" maybe
	metrics_of 1000 '\x00\x00\x00\x00\x10\x00\x00\x00'
	look
	check_that "HOTSPOT alone is no evidence" gpu '[.metrics[] | select(.name == "thermal_throttle_ratio")] | all(.verdict == "good")'
	metrics_of 1000 '\x00\x00\x00\x00\x01\x00\x00\x00'
	look
	judged "heat and a low clock is throttled, though fdinfo tells nothing of compute" bad
	names gpu process trainer
	amd 200 4 trainer "drm-client-id: 5" "drm-memory-vram: 4 GiB" "drm-engine-gfx: 12345 ns"
	ln -s /dev/kfd "$proc/200/fd/5"
	look
	judged "  nor all where that is submitted past it" bad
	rm "$proc/200/fd/5"
	look
	check_that "  but one whose clients are idle is not throttled" gpu '.verdict == "good" and (.exonerated | not)'
	amd 200 4 trainer "drm-client-id: 5" "drm-memory-vram: 4 GiB"
	metrics_of 2400 '\x01\x00\x00\x00\x00\x00\x00\x00'
	mkdir "$gpu/ras"
	printf 'ue: 0\nce: 7\n' >"$gpu/ras/umc_err_count"
	look
	judged "a limit of power at full clock is no fault, nor are errors that were corrected" good
	printf 'ue: 1\nce: 7\n' >"$gpu/ras/umc_err_count"
	brief
	judged "an error that could not be corrected is bad" bad
	accuses gpu uncorrectable_error_count

	# The PMU: a type of 1 makes these the kernel's own clock, which is always busy.
	new_machine
	new_gpu i915
	pmu=$sys/bus/event_source/devices/i915_0000_03_00.0
	mkdir -p "$pmu/events" "$pmu/format"
	echo 1 >"$pmu/type"
	echo config=0x0 >"$pmu/events/rcs0-busy"
	echo ns >"$pmu/events/rcs0-busy.unit"
	put drm/card0/gt/gt0/rps_act_freq_mhz 500
	put drm/card0/gt/gt0/rps_cur_freq_mhz 1200
	put drm/card0/gt/gt0/rps_max_freq_mhz 1200
	put drm/card0/gt/gt0/throttle_reason_thermal 1
	put drm/card0/gt/gt0/throttle_reason_status 1
	look
	metric "the PMU says how busy an engine of i915 is" engine_busy_ratio '.value > 0.95 and (.label | contains("rcs0"))'
	judged "  and by it one is throttled that no client is seen of" bad
	echo 99 >"$pmu/type"
	look
	check_that "a PMU that the kernel does not know is none" gpu '[.metrics[] | select(.name == "engine_busy_ratio" and .value != null)] == []'

	new_machine
	new_xe
	mkdir -p "$gpu/tile0/gt0/engines/rcs" "$gpu/tile0/gt0/engines/odd"
	pmu=$sys/bus/event_source/devices/xe_0000_03_00.0
	mkdir -p "$pmu/events" "$pmu/format"
	echo 1 >"$pmu/type"
	echo event=0x00 | tee "$pmu/events/engine-active-ticks" >"$pmu/events/engine-total-ticks"
	echo config:0-11 >"$pmu/format/event"
	echo config:12-19 >"$pmu/format/engine_instance"
	echo config:20-27 >"$pmu/format/engine_class"
	echo config:60-63 >"$pmu/format/gt"
	BEFORE="setpriv --bounding-set -sys_ptrace"
	look
	metric "that of xe is counted where not every process may be seen" engine_busy_ratio '.value > 0.95 and (.label | contains("rcs0.0"))'
	BEFORE=
	look
	check_that "  and else not, since it keeps the GPU awake" gpu '[.metrics[] | select(.name == "engine_busy_ratio" and .value != null)] == []'
}

of_nvidia() {
	# The NVIDIA library.
	new_machine
	mkdir -p "$sys/bus/pci/drivers/nvidia" "$sys/bus/pci/devices" "$nvidia/power"
	for link in drivers/nvidia devices; do
		ln -s ../../../../devices/pci0000:80/0000:81:00.0 "$sys/bus/pci/$link/0000:81:00.0"
	done
	rm "$sys/bus/pci/devices/0000:81:00.0"
	ln -s ../../../devices/pci0000:80/0000:81:00.0 "$sys/bus/pci/devices/0000:81:00.0"
	echo active >"$nvidia/power/runtime_status"
	mkdir -p "$proc/1"
	echo trainer >"$proc/1/comm"
	brief
	judged "without its library an NVIDIA GPU is unknown" unknown
	check_that "  and it is said why" gpu '.reason | contains("libnvidia-ml.so.1")'

	# library [SYMBOL]: without this symbol.
	symbols=$(grep -o 'nvml[A-Za-z_0-9]*(' "$root/tests/faults/nvml/fake.c" | tr -d '(' | sort -u)
	library() {
		local symbol

		{
			echo '{ global:'
			for symbol in $symbols; do
				[ "$symbol" = "${1-}" ] || echo "$symbol;"
			done
			echo 'local: *; };'
		} >"$scratch/symbols"
		gcc -shared -fPIC -O1 -DSTATE="\"$state\"" -Wl,--version-script="$scratch/symbols" \
			-o "$scratch/lib/libnvidia-ml.so.1" "$root/tests/faults/nvml/fake.c" || bail "no library"
	}
	# says KEY NUMBER...: what the library says.
	says() {
		printf '%s %s\n' "$@" >"$state.new"
		mv "$state.new" "$state"
	}
	library
	says util 98 clock 1900 max 1980 reasons 4
	look
	judged "a busy NVIDIA GPU at its limit of power is well" good
	metric "  and it is told who has its memory" process_memory_bytes '.value == 1073741824 and (.label | contains("trainer (pid 1)"))'
	says util 98 clock 1200 max 1980 reasons 4
	look
	judged "SwPowerCap alone is at most maybe" maybe
	says util 98 clock 1200 max 1980 reasons 68
	look
	judged "a hardware slowdown with a low clock is bad" bad
	says util 0 clock 300 max 1980 reasons 65
	look
	judged "  but not of one that is idle" good
	says util 98 clock 1900 max 1980 ecc 2
	brief
	judged "an error beyond its ECC is bad" bad
	says util 98 clock 1900 max 1980 failed 1
	brief
	judged "a row that could not be remapped is bad" bad
	says lost 1
	brief
	judged "one that fell off its bus is bad" bad
	accuses gpu wedged_count
	says init 9
	brief
	judged "a driver that is not loaded is unknown" unknown
	check_that "  and it is said why" gpu '.reason | contains("Driver Not Loaded")'
	says util 98 clock 1200 max 1980 reasons 68
	for symbol in $symbols; do
		library "$symbol"
		brief
		check_that "without $symbol there is a result" gpu '.verdict != "absent" and .verdict != "skip"'
	done
	library nvmlDeviceGetCurrentClocksEventReasons
	look
	check_that "  and without the reasons none that accuses of heat" gpu '.verdict != "bad"'
	library
	says util 98 clock 1900 max 1980 hang 1
	before=$SECONDS
	examine --window 0.8 --windows 4 gpu
	judged "a library that hangs is said" maybe
	accuses gpu hung_seconds
	if [ $((SECONDS - before)) -lt 15 ]; then pass "  and does not make the run hang"; else fail "  and does not make the run hang"; fi
	echo suspended >"$nvidia/power/runtime_status"
	BEFORE="strace -f -o $scratch/trace -e trace=open,openat,execve,execveat"
	look
	BEFORE=
	judged "an NVIDIA GPU that sleeps is well" good
	if grep -q libnvidia "$scratch/trace"; then fail "  and the library is not loaded"; else pass "  and the library is not loaded"; fi
	if readlink /proc/[0-9]*/exe | grep -q nvml_helper; then fail "nothing is left running"; else pass "nothing is left running"; fi
}

# Most of the time is spent waiting, so they wait together; a recording is of the first run.
groups="of_intel of_states_and_files of_nvidia"
for group in $groups; do
	(
		settle_in "$group"
		"$group"
		settle
		echo complete
	) >"$scratch/$group.tap" 8>&- &
	[ -z "$RECORD_TO$TRUTH_TO" ] || wait $!
	waiting+=($!)
done
wait "${waiting[@]}"
for group in $groups; do
	while IFS= read -r line; do
		case $line in
		"ok "*) pass "${line#ok * - }" ;;
		"not ok "*) fail "${line#not ok * - }" ;;
		complete) ;;
		*) echo "$line" ;;
		esac
	done <"$scratch/$group.tap"
	works "the tests $group came to their end" grep -qx complete "$scratch/$group.tap"
done
plan
