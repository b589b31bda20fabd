#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does cpudiagnose name what a JVM and node have compiled, from the maps that these write, and nothing where there is
# none? What stackhealth says of both stands in stackhealth.t.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no types for the probe"
quiet
begin
cd "$scratch" || exit 1

# looks PID REGEX: whether most of what was seen runs in such a function; again where others kept it off the CPUs.
looks() {
	for _ in 1 2 3 4 5; do
		"$BIN/cpudiagnose" "$1" --for 0.5s --hertz 399 -o folded >look.folded 2>err
		awk -v wanted="$2" '{ all += $NF; n = $NF; $NF = ""; if ($0 ~ wanted) sum += n }
			END { exit !(all >= 20 && sum > all / 2) }' look.folded && return
	done
	return 1
}

# looked SENTENCE PID REGEX
looked() {
	if looks "$2" "$3"; then
		pass "$1"
	else
		fail "$1"
		cut -c 1-300 look.folded | head -n 5 | cat - err | why
	fi
}

cat >Busy.java <<-'END'
	public class Busy {
		static long burn(long n) {
			long sum = 0;
			for (long i = 0; i < n; i++)
				sum += i * i ^ sum >> 3;
			return sum;
		}
		public static void main(String[] arguments) {
			System.out.println("ready");
			for (long sum = 0;;)
				sum += burn(20000 + (sum & 1));
		}
	}
END
if ! command -v javac >/dev/null || ! command -v jcmd >/dev/null || ! javac Busy.java 2>err; then
	skip "of a JVM its methods have their names" "there is no JDK"
else
	start java java -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+PreserveFramePointer \
		-XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Busy::burn Busy
	java_pid=${started[java]}
	# It writes its map when it is asked, and of what it has compiled until then.
	for _ in {1..20}; do
		jcmd "$java_pid" Compiler.perfmap >out 2>&1 && grep -q 'Busy.burn' "/tmp/perf-$java_pid.map" 2>/dev/null && break
		sleep 0.2
	done
	if grep -q 'Unknown diagnostic command' out; then
		skip "of a JVM its methods have their names" "this JVM writes no map"
	else
		looked "of a JVM its methods have their names" "$java_pid" ';long Busy.burn[(]long[)]_.j. $'
	fi
	rm -f "/tmp/perf-$java_pid.map"
	stop java
fi

cat >busy.js <<-'END'
	function burn(n) {
		let sum = 0;
		for (let i = 0; i < n; i++) sum += i * i ^ sum >> 3;
		return sum;
	}
	function main() { for (let sum = 0;;) sum += burn(20000 + (sum & 1)); }
	console.log("ready");
	main();
END
if ! command -v node >/dev/null; then
	skip "of node its functions have their names and files" "node is not installed"
else
	start node node --perf-basic-prof --no-turbo-inlining busy.js
	looked "of node its functions have their names and files" "${started[node]}" ";[A-Za-z]*:.burn $scratch/busy.js:1:[0-9]*_.j. \$"
	is "$("$BIN/tuesday" flame look.folded --focus "^*:*burn *busy.js" -o folded | grep -c '^OTHER')" \
		"$("$BIN/tuesday" flame look.folded --only "burn" -o folded | grep -c '^OTHER')" "a pattern finds it"
	rm -f "/tmp/perf-${started[node]}.map"
	stop node
	start mapless node busy.js
	looked "without a map they have none" "${started[mapless]}" ';[[]unknown[]]_?[^;]* $'
	stop mapless
fi
plan
