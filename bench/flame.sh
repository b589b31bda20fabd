# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does a flame graph cost, beside the algorithm of flamegraph.pl? That itself is in no package of
# Debian: its peer here, flame.pl, does the same with less. At least 40 times as fast is wanted, in a
# quarter of the memory.

# flame_cost COMMAND...: "SECONDS KIB" of CPU and of memory, of one run.
flame_cost() {
	/usr/bin/time -f '%U %S %M' -o "$TMP/cost" "$@" >/dev/null 2>&1
	awk '{ printf "%.2f %d\n", $1 + $2, $3 }' "$TMP/cost"
}

# How long each filter of the page takes, its layout by the browser included: of a profile with 50,000 frames.
# shellcheck disable=SC2154
flame_page() {
	if ! command -v chromium >/dev/null; then
		echo "  chromium is not installed"
		return
	fi
	"$here/stacks.pl" 4600 >"$TMP/stacks"
	"$BIN/tuesday" flame "$TMP/stacks" --svg "$TMP/ours.svg" >/dev/null
	{
		sed '$d' "$TMP/ours.svg"
		echo '<script><![CDATA['
		cat "$here/flame-page.js"
		echo ']]></script></svg>'
	} >"$TMP/page.svg"
	timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$TMP/chrome" --dump-dom "file://$TMP/page.svg" \
		2>/dev/null | sed -n 's/.*data-measured="\([^"]*\)".*/\1/p' >"$TMP/measured"
	echo "  a page of $(awk -F , '/^"depth"/ { print NF }' "$TMP/ours.svg") frames, laid out anew (ms): $(cat "$TMP/measured")"
	rm -rf "$TMP/stacks" "$TMP/ours.svg" "$TMP/page.svg" "$TMP/chrome" "$TMP/measured"
}

# shellcheck disable=SC2016,SC2154
bench_flame() {
	echo "Flame graphs (seconds of CPU, MiB):"
	if ! command -v perl >/dev/null || [ ! -x /usr/bin/time ]; then
		echo "  perl or time is not installed"
		return
	fi
	for lines in ${BENCH_STACKS:-100000 1000000}; do
		"$here/stacks.pl" "$lines" >"$TMP/stacks"
		ours=
		for _ in 1 2 3; do
			ours=$(printf '%s\n%s' "$ours" "$(flame_cost "$BIN/tuesday" flame "$TMP/stacks" --svg "$TMP/ours.svg")" |
				grep . | sort -n | head -n 1)
		done
		peer=$(flame_cost sh -c '"$1" <"$2"' - "$here/flame.pl" "$TMP/stacks")
		echo "$lines $ours $peer" | awk '{
			printf "  %d stacks: tuesday %.2f s, %d MiB; flame.pl %.1f s, %d MiB: %.0f times as fast in %.0f times less memory\n",
				$1, $2, $3 / 1024, $4, $5 / 1024, $4 / $2, $5 / $3
		}'
		rm -f "$TMP/stacks" "$TMP/ours.svg"
	done
	flame_page
}
