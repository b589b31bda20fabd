# SPDX-License-Identifier: GPL-2.0-only
# The frames of a picture of tuesday flame, as lines "DEPTH WIDTH". Those that are too narrow for a name
# are parts of paths. The root is the lowest row.
BEGIN { n = 0 }
function frame(y, width) {
	rows[n] = y
	widths[n++] = width
	if (y > lowest)
		lowest = y
}
/^<g id="frames"/ { inside = 1 }
/^<\/g>$/ { inside = 0 }
inside && /<rect/ {
	match($0, / y="[0-9]+"/)
	y = substr($0, RSTART + 4, RLENGTH - 5)
	match($0, / width="[0-9.]+"/)
	frame(y + 0, substr($0, RSTART + 8, RLENGTH - 9))
}
inside && /<path/ {
	sub(/.* d="M/, "")
	sub(/".*/, "")
	parts = split($0, part, "M")
	for (i = 1; i <= parts; i++) {
		split(part[i], number, /[ hv]/)
		frame(number[2] + 0, number[3])
	}
}
END {
	for (i = 0; i < n; i++)
		print (lowest - rows[i]) / 16, widths[i]
}
