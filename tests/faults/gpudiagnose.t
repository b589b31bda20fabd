#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does gpudiagnose say of a GPU, live and from a recording? The GPU is tests/fake-xe, or a model
# whose truth is known: no Intel GPU has ever been seen by it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq unshare setpriv
program=$BIN/gpudiagnose
fake=$helpers/fake-xe
recording=$helpers/lib/eustallrecording
[ -x "$recording" ] || skip_all "needs $recording: make first"
begin
chmod 755 "$scratch"
cd "$scratch" || exit 1

# says SENTENCE STATUS PATTERN ARGUMENT...: its exit status, and a line of its output or its messages.
says() {
	local sentence=$1 wanted=$2 pattern=$3

	shift 3
	call "$program" "$@"
	t "$sentence" said "$wanted" "$pattern"
}

said() {
	[ "$status" = "$1" ] && cat out err | grep -q -- "$2"
}

for one in "hot 0.9 0.6 0" "lost 0.9 0.6 30" "most 0.9 0.6 70" "idle 0.2 0.1 0"; do
	# shellcheck disable=SC2086
	"$recording" $one || bail "no recording could be made"
done

says "help says that no hardware has seen it" 0 "Never run on Intel hardware" --help
says "one instruction with most of the stalls is named" 1 '^It is: gemm<float>+0xa30, SbidStall' --replay hot
says "so is what it waits for, by its stage" 1 'SbidStall *starvation' --replay hot
says "who launched it is told, and is tame" 1 '^ *30  gemm<float>  by python$' --replay hot
says "where records were lost it may be" 1 '^It may be: gemm<float>+0xa30' --replay lost
says "and it is said that they were" 1 '^however: records were lost' --replay lost
says "where most were lost nothing is known" 3 '^unknown: too many records were lost' --replay most
says "little stall is good" 0 '^good: ' --replay idle
says "what is no recording is refused" 3 'not a recording of gpudiagnose' --replay /bin/sh
says "a recording that is not there is missed" 3 'nowhere: No such file' --replay nowhere
head -c 500000 hot >shorter
says "one that was cut is read as far as it goes" 1 '^however: the recording is cut off' --replay shorter
{ head -c 24 hot && printf '\0' && tail -c +26 hot; } >wrong
says "one whose format contradicts its GPU is refused" 3 'a damaged recording' --replay wrong
says "an unknown format of output is a mistake" 64 "'svg' is not text, json or folded" -o svg
says "so is a recording and a device" 64 'do not name a device' --replay hot 0000:03:00.0
says "so is an option that is mistyped" 64 "did you mean '--replay'" --repaly hot
says "a file that is no zebin is refused before anything is done" 64 'not a zebin' --zebin /bin/sh --replay hot
says "so is one that is not there" 64 'No such file' --zebin nowhere --replay hot
call setpriv --reuid=65534 --regid=65534 --clear-groups "$program" --replay hot
t "anybody may replay" [ "$status" = 1 ]
"$program" --replay hot -n 1000 | head -n 1 >out
is "$(cat out)" "$("$program" --replay hot | head -n 1)" "a reader that goes away is no harm"

says "a flame graph of it is drawn" 1 '^It is: gemm<float>+0xa30' --replay hot --svg hot.svg
t "  with its sentence and its kernel" sh -c 'grep -q "<title id=\"t\">maybe: of the time" hot.svg &&
	grep -q "gemm&lt;float&gt;: " hot.svg'
"$BIN/tuesday" flame --from svg hot.svg --svg again.svg >out
t "  and is made again from what is in it" cmp hot.svg again.svg
if command -v gcc >/dev/null; then
	cat >gemm.c <<-'END'
		__attribute__((section(".text.gemm<float>"))) void gemm(void)
		{
			__asm__(".skip 0xa20");
			__asm__(".skip 0x1000");
		}
	END
	gcc -g -O0 -c gemm.c -o gemm.bin
	printf '\022\377' | dd of=gemm.bin bs=1 seek=16 conv=notrunc status=none
	"$program" --replay hot --zebin gemm.bin -o folded >lines
	t "a zebin with source lines tells the line of an instruction" grep -q ';gemm<float>_\[g\];gemm.c:3_\[gl\];0xa30_\[gi\];' lines
	t "  and of each the one that is its own" grep -q ';gemm.c:2_\[gl\];0x30_\[gi\];' lines
else
	skip "a zebin with source lines tells the line of an instruction" "gcc is not installed"
fi
says "a picture that cannot be written is told" 3 'nowhere/x.svg: ' --replay hot --svg nowhere/x.svg

"$program" --replay hot -o folded >lines
# As flamegraph.pl and its like take a line apart: the count is behind the last blank, the frames before it,
# and what has the same frames is one line.
awk '{ count = $NF; sub(/ [^ ]*$/, ""); n = split($0, frame, ";")
	for (i = 1; i <= n; i++) bad += frame[i] ~ /^ *$/ || frame[i] ~ /^ | $|  /
	bad += count !~ /^[1-9][0-9]*$/ || n < 2 || seen[$0]++ }
	END { print bad + 0, (NR > 10) }' lines >folded
is "$(cat folded)" "0 1" "each folded line is frames, a blank and a count, as those who draw them need it"
is "$(awk '{ sub(/ [^ ]*$/, ""); n = split($0, frame, ";"); bad += frame[n] !~ /_\[gr\]$/ } END { print bad + 0 }' lines)" \
	0 "  and ends with the reason"
"$program" --replay hot -o json >hot.json
is "$(awk '{ n += $NF } END { print n }' lines)" "$(jq .sample.samples hot.json)" \
	"the counts of all lines are all samples"
is "$(LC_ALL=C grep -ac '[^ -~]' lines)" 0 "no name brings a byte that a terminal minds"
is "$(grep -c '^python;main_\[u\];infer_\[u\];-;gemm<float>_\[g\];0xa30_\[gi\];SbidStall_\[gr\] ' lines)" 1 \
	"frames lead from the program over the boundary to the instruction and its reason"
awk '/;gemm<float>_/ { split($0, f, ";"); n[f[1]] += $NF } END { print n["python"] / n["ev?il?[31m 7"] }' \
	lines >ratio
# shellcheck disable=SC2016
works "a kernel's samples are divided among its launches" awk '{ exit !($1 > 1.9 && $1 < 2.1) }' ratio
works "the true share is in its interval" jq -e '.stalled | .share_low <= 0.9 and .share_high >= 0.9' hot.json
works "so is the instruction's" \
	jq -e '.instructions[0] | .offset == "0xa30" and .share_low <= 0.6 and .share_high >= 0.6' hot.json
works "json says who is named, and why not to believe it" \
	jq -e '.conclusion.first_instruction == "it is" and (.howevers | length >= 4)' hot.json
# flamegraph.pl is what most people draw with; any renderer of folded lines will do.
if command -v flamegraph.pl >/dev/null; then
	flamegraph.pl lines >svg 2>/dev/null
	works "a flame graph is drawn of it" grep -q 'SbidStall' svg
else
	skip "a flame graph is drawn of it" "needs flamegraph.pl"
fi

# Live, on a driver that is not there.
# What a script starts in the background would ignore an interrupt.
live() {
	# shellcheck disable=SC2016
	timeout 60 env --default-signal=INT unshare -m sh -c 'mount --make-rprivate / && mount --bind "$1" /sys || exit 99
		shift; exec "$@"' sh "$scratch/sys" "$fake" "log=$scratch/log" "${keys[@]}" -- "$@"
}
if ! { [ -x "$fake" ] && "$fake" -- true && unshare -m true 2>/dev/null; }; then
	skip "a live GPU is sampled" "no seccomp notifications or mount namespaces here"
	plan
	exit
fi
device=$scratch/sys/devices/0000:03:00.0
mkdir -p "$scratch/sys/class/drm" "$scratch/sys/bus/xe" "$device/power" "$device/drm/renderD128"
ln -s ../../bus/xe "$device/driver"
ln -s "../../devices/0000:03:00.0/drm/renderD128" "$scratch/sys/class/drm/renderD128"
ln -s "../../../0000:03:00.0" "$device/drm/renderD128/device"
echo active >"$device/power/runtime_status"
mkdir -p "$scratch/empty/class/drm"

# Ten parts: active, and the stalls in the order of the record.
keys=(gpus=1 "mix=2,0,1,0,0,4,0,13,0,0")
live "$program" --record live.rec -o json >live.json 2>live.err
is "$?" 1 "a live GPU is sampled"
is "$(grep -c VIOLATION log)" 0 "and nothing is done that the driver forbids"
works "who launches kernels is told not to be known" grep -q 'cannot see which program launches kernels' live.err
"$program" --replay live.rec -o json >replayed.json
works "a recording gives the answer that the stream gave" cmp live.json replayed.json
works "of all windows but the first" jq -e '.sample.windows == 10 and .sample.records > 1000' live.json
works "and no other file is left" [ "$(find . -name 'live.rec*' | wc -l)" = 1 ]
# With the probes of the kernel that this runs on, on a program that is there.
uprobe=bus/event_source/devices/uprobe
if [ -r "/sys/$uprobe/type" ]; then
	mkdir -p "$scratch/sys/$uprobe/format"
	cat "/sys/$uprobe/type" >"$scratch/sys/$uprobe/type"
	cat "/sys/$uprobe/format/retprobe" >"$scratch/sys/$uprobe/format/retprobe"
	"$helpers/launcher" 20 >launcher.out &
	launcher=$!
	live "$program" --library "$helpers/launcher" --record stacks.rec -o json >stacks.json 2>err
	works "who launches kernels is seen, by the path to it" jq -e '.kernels | length == 1 and
		.[0].name == "saxpy" and .[0].launches > 50 and
		(.[0].stacks[0].frames | test("^launcher;.*main_.u.;train_step_.u.;clEnqueueNDRangeKernel_.u.$"))' stacks.json
	live "$program" --library "$helpers/launcher" -o folded >lines 2>err
	works "the GPU's samples are above it" grep -q '^launcher;.*;train_step_\[u\];.*;-;saxpy_\[g\];0x' lines
	kill "$launcher"
	wait "$launcher" 2>/dev/null
	"$program" --replay stacks.rec -o json >replayed.json
	works "a recording has the stacks too" cmp stacks.json replayed.json
else
	skip "who launches kernels is seen" "this kernel has no uprobes"
fi
keys=(gpus=1 eio=2)
live "$program" --record never.rec >out 2>err
is "$?" 3 "a GPU that loses everything is not known"
keys=(gpus=1 version=12)
live "$program" --record never.rec >out 2>err
works "a GPU whose records are not known is not guessed at" grep -q 'format that is not known' err
keys=(gpus=1 open_errno=16)
live "$program" --record busy.rec >out 2>err
is "$? $(ls busy.rec* 2>/dev/null)" "3 " "where the stream is another's, no recording is left"
keys=(gpus=1 "mix=2,0,1,0,0,4,0,13,0,0")
live "$program" 0000:99:00.0 >out 2>err
is "$? $(grep -c 'no such GPU' err)$(grep -c ' 0000:03:00.0' err)" "3 11" \
	"a device that is not there is not found, and those that are are named"
live "$program" --windows 200 >interrupted 2>err &
pid=$!
sleep 3
# below PID: the first gpudiagnose among its descendants; that one has a child of its own.
below() {
	local child

	for child in $(pgrep -P "$1"); do
		if [ "$(cat "/proc/$child/comm" 2>/dev/null)" = gpudiagnose ]; then
			echo "$child"
		else
			below "$child"
		fi
	done
}
sampler=$(below "$pid")
[ -z "$sampler" ] || kill -INT "$sampler"
wait "$pid"
is "$(grep -c '^maybe: ' interrupted)" 1 "who interrupts it gets what is known by then"
echo suspended >"$device/power/runtime_status"
keys=(gpus=1 asleep=1)
live "$program" -o json >out 2>err
is "$? $(grep -c 'it is suspended' err) $(grep -c VIOLATION log)" "3 1 0" "a GPU that sleeps is not woken"
is "$(cat out)" "" "  and nothing is said of its stalls"
plan
