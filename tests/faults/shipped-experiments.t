#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the shipped experiments say what they would change, refuse what they must, and leave nothing
# changed? Those that can be run here are run, with phases as short as they may be.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup ip unshare flock
begin
cd "$scratch" || exit 1
tuesday=$BIN/tuesday
# Beside those of the machine itself, and of other tests.
export TUESDAY_RUN_DIR=$scratch/run TUESDAY_STATE_DIR=$scratch/state
mkdir run state

# What a tool of its own looks at, a plain run knows nothing of.
mapfile -t files < <(grep -L '^enabled *= *given' "$root"/checks.d/*.ini)

# experiments [CHECK...]: CHECK/NAME of all that are shipped.
experiments() {
	awk 'FNR == 1 { check = FILENAME; sub(/.*\//, "", check); sub(/\.ini$/, "", check) }
		/^\[experiment / { sub(/\]$/, "", $2); print check "/" $2 }' "${files[@]}"
}

# A layer over all of them: phases as short as they may be, and no refusal or guard because there is
# nothing to do, since here there is not.
short_layer() {
	mkdir short
	awk 'FNR == 1 { check = FILENAME; sub(/.*\//, "", check); header = "" }
		/^\[/ { header = "" }
		/^\[experiment / { header = $0 }
		header && /^(knob|save|hold) / {
			print header "\nmeasure = 100ms\nsettle = 0\nrounds = 8" >>("short/" check)
		}
		header && /^(refuse|guard)\.[a-z]*\.(when|say) / && !/^refuse\.(dirty|off|lost|pool)\./ {
			print $1 " =" >>("short/" check)
		}' "$root"/checks.d/*.ini
}

# The part of the last dry run that is about one experiment.
part() {
	awk -v name="$1" '/^Experiment / { on = $2 == name ":" } on' out
}

# part_has CHECK/NAME PATTERN...: each on a line of that part.
part_has() {
	local name=$1 pattern

	shift
	for pattern; do
		part "$name" | grep -q -- "$pattern" || return 1
	done
}

is_offered() {
	! part "$1" | grep -q '^  refused'
}

# is_about_nothing CHECK: one of the paths that the check itself needs is not on this machine.
is_about_nothing() {
	local path

	while read -r path; do
		compgen -G "$path" >/dev/null || return 0
	done < <(awk '/^\[/ { on = $0 == "[check]" }
		on && $1 == "needs" { for (i = 3; i <= NF; i++) print $i }' "$root/checks.d/$1.ini")
	return 1
}

# What a person must see: the change, what it is put back to and the risk; or why it is refused.
says_all() {
	local name=$1

	if ! part "$name" | grep -q .; then
		is_about_nothing "${name%/*}"
	elif is_offered "$name"; then
		part_has "$name" '^  changes   .' '^  takes     .' '^  risk      [1-4] of 5' '^  warning   .' &&
			{ part_has "$name" 'closing it puts it back' || part_has "$name" '^  puts back .'; }
	else
		part_has "$name" '^  refused   .'
	fi
}

# dry_run CHECK...: all of them at the same time, since each looks for a second. In out as usual.
dry_run() {
	local check pids=()

	for check; do
		timeout 60 "$tuesday" run --quick --no-trace -c short --dry-run --metric "echo 1" \
			--instance "$disk" "$check" >"dry.$check" 2>&1 8>&- &
		pids+=($!)
	done
	wait "${pids[@]}"
	status=$?
	cat dry.* >out
}

# Knobs are the machine's: one test at a time, of all that turn some; sockets.t has the same lock.
exec 7</proc/sys/net/netfilter/nf_conntrack_max 2>/dev/null || exec 7</proc/version
flock -w 600 7 || bail "another test that turns knobs does not end"

short_layer
chmod -R go-w short
all=$(experiments)
checks=$(echo "$all" | sed 's|/.*||' | sort -u)

# Shipped: each is whole, none of risk 5, and the two that prove nothing say so.

risks=$(sed -n 's/^risk *= *//p' "$root"/checks.d/*.ini | sort -u | tr -d '\n')
is "$risks" 1234 "no experiment of risk 5 is shipped"
for name in $all; do
	[ -e "explained.${name%/*}" ] || "$tuesday" explain "${name%/*}" >"explained.${name%/*}"
	cp "explained.${name%/*}" out
	t "$name is explained" grep -q "${name#*/}" out
done

# A loop device of our own stands for the disk.

head -c 16M /dev/urandom >image
loop=$(losetup -f --show image) || bail "no loop device"
undo losetup -d "$loop"
disk=${loop#/dev/}

# shellcheck disable=SC2086
examine --quick --no-trace $checks
# shellcheck disable=SC2086
dry_run $checks
for name in $all; do
	t "$name says what it would change, or why not" says_all "$name"
done
t "switching THP is refused, since it proves nothing" part_has thp/enabled_never \
	'^  refused .*proves nothing'
t "a longer backlog is refused, since it changes nothing" part_has listen/larger_backlog \
	'^  refused .*changes nothing'
t "a property that holds for what is read later is refused" \
	grep -q 'secondarycache applies only to blocks that are read from' explained.l2arc
t "read-ahead names old and new value" part_has disk/less_read_ahead \
	"from $(cat "/sys/block/$disk/queue/read_ahead_kb") to 16\$" \
	"/sys/block/$disk/queue/read_ahead_kb" \
	"^  puts back $(cat "/sys/block/$disk/queue/read_ahead_kb")\$"
t "a held device names its number" part_has cpu/no_deep_idle '/dev/cpu_dma_latency is held open with 0'

# Refusals, in a mount namespace with a /sys of our own. The fake disk has the name of a knob, so
# that there is something to turn.

bcache_says() {
	rm -rf fake && mkdir -p fake
	cat >bcache/bcache.ini <<-END
		[experiment no_cache]
		knob = /proc/sys/vm/{instance}
		set = 1
	END
	# shellcheck disable=SC2016
	call timeout 30 unshare -m sh -c 'mount -t tmpfs none /sys && mkdir -p /sys/block/swappiness/bcache &&
		echo "$1" >/sys/block/swappiness/bcache/state && : >/sys/block/swappiness/bcache/cache_mode &&
		shift && exec "$@"' sh "$1" "$tuesday" run --quick --no-trace -c short -c bcache bcache \
		--dry-run --metric 'echo 1' --instance swappiness
}

mkdir bcache
bcache_says dirty
t "bcache with dirty data is refused" part_has bcache/no_cache '^  refused .*nowhere else'
bcache_says clean
t "bcache that is clean is not" is_offered bcache/no_cache
bcache_says 'no cache'
t "bcache without a cache is refused" part_has bcache/no_cache '^  refused '

# The commands of what is not here, with programs that answer as the real ones do.

# key CHECK/NAME KEY: in force, as the shell gets it.
key() {
	awk -v section="[experiment ${1#*/}]" -v key="$2" '
		/^\[/ { on = $0 == section; found = 0 }
		/^[^ \t]/ { found = 0 }
		on && $1 == key && $2 == "=" { sub(/^[^=]*= */, ""); found = 1; printf "%s", $0; next }
		on && found { sub(/^[ \t]+/, ""); printf " %s", $0 }' "$root/checks.d/${1%/*}.ini" |
		sed "s|{instance}|${3:-}|g"
}

# does CHECK/NAME KEY [INSTANCE]: runs that command with the programs in stub/.
does() {
	local line

	line=$(key "$@")
	PATH=$scratch/stub:$PATH TUESDAY_SAVED=$saved sh -c "$line" >out 2>err
	status=$?
}

# stub NAME <SCRIPT
stub() {
	mkdir -p stub
	{
		echo '#!/bin/sh'
		# shellcheck disable=SC2016
		echo 'echo "$(basename "$0") $*" >>'"$scratch/calls"
		cat
	} >"stub/$1"
	chmod +x "stub/$1"
}

stub zpool <<'END'
[ "$1" = status ] || exit 0
printf '  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n'
printf '\ttank        ONLINE       0     0     0\n\t  sda       ONLINE       0     0     0\n'
printf '\tlogs\n\t  sdl       ONLINE       0     0     0\n'
printf '\tcache\n\t  nvme0n1   ONLINE       0     0     0\n\t  nvme1n1   OFFLINE      0     0     0\n'
printf '\tspares\n\t  sdz       AVAIL\n\nerrors: No known data errors\n'
END
saved=
does l2arc/offline save
is "$(cat out)" "$(printf 'tank nvme0n1 ONLINE\ntank nvme1n1 OFFLINE')" \
	"l2arc/offline saves the cache devices, and nothing else"
saved=$(cat out)
: >calls
does l2arc/offline apply
does l2arc/offline restore
is "$(cat calls)" "$(printf 'zpool offline -t tank nvme0n1\nzpool online tank nvme0n1')" \
	"l2arc/offline takes those offline that were online, and brings them back"

# A path that leads out of /sys, which the engine would refuse, to a file of our own.
mkdir -p quota
echo "50000 100000" >quota/cpu.max
does throttle/double_quota save "/../../..$scratch/quota"
saved=$(cat out)
does throttle/double_quota apply "/../../..$scratch/quota"
is "$(cat quota/cpu.max)" "100000 100000" "a quota of cgroup v2 is doubled, and its period kept"
does throttle/double_quota restore "/../../..$scratch/quota"
is "$(cat quota/cpu.max)" "50000 100000" "and put back"
saved="max 100000"
does throttle/double_quota apply "/../../..$scratch/quota"
t "a cgroup without a quota is refused" test "$status:$(cat out)" = "1:it has no quota"

# dm_cache DIRTY MODE: a cache, as dmsetup shows it.
dm_cache() {
	stub dmsetup <<-END
		case "\$1" in
		status) echo "0 8192 cache 8 27/4096 128 64/64 10 20 30 40 0 0 $1 2 metadata2 $2 2 migration_threshold 2048 smq 0 rw - " ;;
		table) echo "0 8192 cache 253:1 253:0 253:2 128 2 metadata2 $2 smq 0" ;;
		esac
	END
}

# The commands read the device's name from /sys.
with_dm() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs none /sys && mkdir -p /sys/block/dm-3/dm &&
		echo vg-data >/sys/block/dm-3/dm/name && exec sh -c "$1"' sh "$1"
}

dm_does() {
	local line

	line=$(key "$1" "$2" dm-3)
	: >calls
	PATH=$scratch/stub:$PATH TUESDAY_SAVED=$saved with_dm "$line" >out 2>err
	status=$?
}

dm_cache 0 writethrough
dm_does disk/cache_passthrough save
saved=$(cat out)
is "$saved" "0 8192 cache 253:1 253:0 253:2 128 2 metadata2 writethrough smq 0" \
	"a clean dm-cache is saved as its table"
dm_does disk/cache_passthrough apply
t "a dm-cache is made to let everything through" grep -q \
	'^dmsetup load vg-data --table 0 8192 cache .* metadata2 passthrough smq 0' calls
dm_does disk/cache_passthrough restore
t "and gets its table back" grep -q \
	'^dmsetup load vg-data --table 0 8192 cache .* metadata2 writethrough smq 0' calls
dm_cache 7 writethrough
dm_does disk/cache_passthrough save
t "a dirty dm-cache is refused" test "$status:$(cut -d' ' -f1-2 out)" = "1:7 blocks"
dm_cache 0 writeback
dm_does disk/cache_passthrough save
t "a dm-cache in writeback mode is refused" test "$status:$(grep -c writeback out)" = 1:1
dm_does disk/cache_without_promotions save
is "$(cat out)" 2048 "migration_threshold is saved"

# For real: each knob is watched by the metric, which writes down what it finds, and is afterwards as
# it was before.

# knobs FILE...: a metric that says 1 and notes what these hold. Not by read of the shell, which takes a
# byte at a time: files of /proc/sys have one byte then.
knobs() {
	printf '%s\n' "$@" | sort -u >watched
	cat >note <<-END
		while read -r file; do
			echo "\$file \$(head -n 1 "\$file")"
		done <"$scratch/watched"
	END
	printf 'sh %s >>%s\necho 1\n' "$scratch/note" "$scratch/seen" >metric
	sh note >before
	: >seen
}

within=()
# run_for_real CHECK/NAME... -- OPTION...: in a run directory of its own, so that several may go on at
# the same time.
run_for_real() {
	local yes=() check=() own=run/${1//\//.}

	while [ "$1" != -- ]; do
		yes+=(--yes "$1")
		check+=("${1%/*}")
		shift
	done
	shift
	mkdir -p "$own"
	TUESDAY_RUN_DIR=$scratch/$own timeout 120 "${within[@]}" "$tuesday" run --quick --no-trace \
		-c short -o json "${yes[@]}" "$@" --metric "sh $scratch/metric" "${check[@]}" \
		>"$own.json" 2>"$own.err" 8>&-
}

# changed_and_back CHECK/NAME FILE: it was turned, held another value in between, and holds the old one.
changed_and_back() {
	local was

	was=$(grep -F "$2 " before)
	# shellcheck disable=SC2016
	jq -es --arg name "${1#*/}" '[.[].checks[].experiments[]? | select(.name == $name)] |
		length == 1 and .[0].turned and .[0].restored' run/*.json >/dev/null || return 1
	grep -F "$2 " seen | grep -Fvxq "$was" && [ "$2 $(head -n 1 "$2")" = "$was" ]
}

wanted=()
files=()
# add CHECK/NAME FILE: to those that are run, if the knob is here and can be turned.
add() {
	if [ -w "$2" ]; then
		wanted+=("$1")
		files+=("$2")
	else
		skip "$1 is in force, and gone afterwards" "no $2 here"
	fi
}

# judge OPTION...: runs those that were added; one after the other where an option says of what.
judge() {
	local i pids=()

	rm -rf run/*.json
	knobs "${files[@]}"
	if [ $# = 0 ]; then
		for i in "${wanted[@]}"; do
			run_for_real "$i" -- &
			pids+=($!)
		done
		wait "${pids[@]}"
	else
		run_for_real "${wanted[@]}" -- "$@"
	fi
	jq -c '.checks[].experiments' run/*.json >out
	cat run/*.err >err
	for i in "${!wanted[@]}"; do
		t "${wanted[i]} is in force, and gone afterwards" \
			changed_and_back "${wanted[i]}" "${files[i]}"
	done
	wanted=()
	files=()
}

queue=/sys/block/$disk/queue
add swap/swap_less /proc/sys/vm/swappiness
add swap/no_swap_readahead /proc/sys/vm/page-cluster
add cpu/no_autogroup /proc/sys/kernel/sched_autogroup_enabled
add net/larger_budget /proc/sys/net/core/netdev_budget
add net/longer_budget /proc/sys/net/core/netdev_budget_usecs
add conntrack/larger_table /proc/sys/net/netfilter/nf_conntrack_max
add tcp/no_ecn /proc/sys/net/ipv4/tcp_ecn
add thp/defer_defrag /sys/kernel/mm/transparent_hugepage/defrag
add thp/rest_khugepaged /sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs
add compaction/no_proactive_compaction /proc/sys/vm/compaction_proactiveness
ksm=/sys/kernel/mm/ksm/run
ksm_on=
# For ksmd to have something to stop.
if [ "$(cat $ksm 2>/dev/null)" = 0 ] && echo 1 >$ksm; then
	ksm_on=1
	undo sh -c "echo 0 >$ksm"
	add ksm/stop_scanning $ksm
else
	skip "ksm/stop_scanning is in force, and gone afterwards" "no KSM that is off"
fi
judge
[ -z "$ksm_on" ] || echo 0 >$ksm

add disk/less_read_ahead "$queue/read_ahead_kb"
add disk/more_read_ahead "$queue/read_ahead_kb"
add disk/another_scheduler "$queue/scheduler"
add disk/no_writeback_throttling "$queue/wbt_lat_usec"
add disk/fewer_requests "$queue/nr_requests"
judge --instance "$disk"

if controller=$(v1_root cpu); then
	new_cgroup "$controller"
	echo 20000 >"$cgroup/cpu.cfs_quota_us"
	add throttle/double_quota_v1 "$cgroup/cpu.cfs_quota_us"
	add cpu/lighter_neighbour_v1 "$cgroup/cpu.shares"
	judge --instance "/$cgroup_name"
else
	skip "cgroup v1 quota and shares" "no cpu controller of v1"
fi

if controller=$(v1_root freezer); then
	new_cgroup "$controller"
	sleep 300 &
	started[sleeper]=$!
	echo "${started[sleeper]}" >"$cgroup/cgroup.procs"
	add cpu/freeze_neighbour_v1 "$cgroup/freezer.state"
	judge --instance "/$cgroup_name"
	stop sleeper
	saved=
	for path in "/$cgroup_name" "/$cgroup_name/" /; do
		line=$(key cpu/freeze_neighbour_v1 save "$path")
		: >out
		in_cgroup "$cgroup" sh -c "$line; :" >out 2>err &
		wait $!
		t "it does not freeze itself ($path)" grep -Eq 'stand still too|whole machine' out
	done
else
	skip "a frozen neighbour" "no freezer of v1"
fi

# noted CHECK/NAME PATTERN INSTANCE COMMAND...: what COMMAND says has PATTERN in between, and is as it
# was afterwards.
noted() {
	local name=$1 pattern=$2 instance=$3

	shift 3
	echo "$*" >note
	printf 'sh %s >>%s\necho 1\n' "$scratch/note" "$scratch/seen" >metric
	: >seen
	"${within[@]}" sh note >before
	run_for_real "$name" -- --instance "$instance"
	"${within[@]}" sh note >after
	cp seen out
	cp "run/${name//\//.}.err" err
	t "$name is in force" grep -Eq -- "$pattern" seen
	t "$name is gone afterwards" cmp -s before after
}

if [ -e /dev/cpu_dma_latency ]; then
	noted cpu/no_deep_idle '^ +0$' none 'od -An -t d4 -N 4 /dev/cpu_dma_latency'
else
	skip "cpu/no_deep_idle is in force" "no /dev/cpu_dma_latency here"
fi

# cgroup v2 where everybody else has it, at /sys/fs/cgroup, in a mount namespace.
if unified=$(awk '$3 == "cgroup2" { print $2; found = 1; exit } END { exit !found }' /proc/self/mounts) &&
	[ -e "$unified/cgroup.subtree_control" ]; then
	new_cgroup "$unified"
	sleep 300 &
	started[sleeper]=$!
	echo "${started[sleeper]}" >"$cgroup/cgroup.procs"
	# shellcheck disable=SC2016
	within=(unshare -m sh -c 'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' sh)
	noted cpu/freeze_neighbour '^1$' "/$cgroup_name" "cat /sys/fs/cgroup/$cgroup_name/cgroup.freeze"
	stop sleeper
	line=$(key cpu/freeze_neighbour save "/$cgroup_name")
	in_cgroup "$cgroup" "${within[@]}" sh -c "$line; :" >out 2>err &
	wait $!
	t "it does not freeze itself by cgroup v2" grep -q 'stand still too' out
	within=()
else
	skip "a frozen neighbour of cgroup v2" "no cgroup v2"
fi

# Network: in a namespace of its own, with a cable.

one=tuesday-one-$$ two=tuesday-two-$$
new_netns $one $two
join_netns $one $two
ip -n $one route add 10.231.8.0/24 via 10.231.7.2
within=(ip netns exec "$one")

if command -v ethtool >/dev/null; then
	noted nic/no_gro 'generic-receive-offload: off' wire 'ethtool -k wire | grep generic-receive'
	noted nic/no_tso 'tcp-segmentation-offload: off' wire 'ethtool -k wire | grep ^tcp-seg'
else
	skip "GRO and TSO" "ethtool is not installed"
fi
noted tcp/other_congestion_control 'congctl' 10.231.8.0/24 'ip route show 10.231.8.0/24'
noted tcp/ecn_on_route 'features ecn' 10.231.8.0/24 'ip route show 10.231.8.0/24'

is "$(find run state -name '*.undo')" "" "the journals are empty"

plan
