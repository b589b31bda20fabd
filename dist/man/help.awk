# SPDX-License-Identifier: GPL-2.0-only
# A help text as a manual page: its first lines are the synopsis and what it does; "  --option  text" and
# "  command  text" are a list, what stands further in goes on; the rest is text.
function roff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	gsub(/`/, "\\(ga", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	sub(/^\./, "\\\\\\&.", text)
	return text
}
function section(title) {
	print ".SH " title
	paragraph = 0
}
function list_begin(title) {
	if (listed != title)
		section(title)
	listed = title
}
BEGIN {
	print ".TH " roff(toupper(name)) " 1 \"\" \"tuesday " roff(version) "\" \"Tuesday\""
	section("NAME")
	print roff(name) " \\- " roff(what)
}
NR == 1 {
	sub(/^Usage: /, "")
	section("SYNOPSIS")
	print ".B " roff($0)
	section("DESCRIPTION")
	next
}
/^What it looks at:$/ { section("WHAT IT LOOKS AT"); print ".nf"; verbatim = 1; next }
verbatim { print roff($0); next }
/^Exit status: / {
	sub(/^Exit status: /, "")
	section("EXIT STATUS")
	print roff($0)
	listed = "EXIT STATUS"
	next
}
/^ +-/ {
	list_begin("OPTIONS")
	sub(/^ +/, "")
	at = match($0, /  +/)
	if (!at && length($0) > 0)
		at = match($0, / [a-z]/)
	print ".TP"
	print ".B " roff(at ? substr($0, 1, at - 1) : $0)
	if (at) {
		rest = substr($0, at)
		sub(/^ +/, "", rest)
		print roff(rest)
	}
	next
}
/^[A-Z].*:$/ && name == "tuesday" {
	list_begin("COMMANDS")
	print ".SS " roff(substr($0, 1, length($0) - 1))
	next
}
/^  [a-z]+ / && name == "tuesday" {
	list_begin("COMMANDS")
	line = substr($0, 3)
	at = match(line, /  +/)
	if (!at) {
		at = match(line, /\] [a-z]/)
		at = at ? at + 1 : 0
	}
	print ".TP"
	print ".B " roff(at ? substr(line, 1, at - 1) : line)
	rest = at ? substr(line, at) : ""
	sub(/^ +/, "", rest)
	if (rest != "")
		print roff(rest)
	next
}
/^ {8,}/ && listed == "OPTIONS" {
	sub(/^ +/, "")
	print ".br"
	print roff($0)
	next
}
/^ +/ {
	sub(/^ +/, "")
	print ".PP"
	print ".RS 4"
	print roff($0)
	print ".RE"
	next
}
/^$/ { gap = 1; next }
{
	if (listed != "" && listed != "NOTES") {
		section("NOTES")
		listed = "NOTES"
	} else if (gap) {
		print ".PP"
	}
	gap = 0
	print roff($0)
}
END {
	if (verbatim)
		print ".fi"
	print ".SH SEE ALSO"
	print name == "tuesday" ? ".BR tuesday\\-checks (5)" : ".BR tuesday (1)"
}
