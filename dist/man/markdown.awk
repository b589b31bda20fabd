# SPDX-License-Identifier: GPL-2.0-only
# A document of docs/ as a manual page: headings, paragraphs, lists, tables of keys and blocks of code.
function roff(text) {
	gsub(/\[|\]\([^)]*\)/, "", text)
	gsub(/\\\|/, "|", text)
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	gsub(/\*\*/, "", text)
	gsub(/`/, "", text)
	sub(/^\./, "\\\\\\&.", text)
	return text
}
function plain(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	gsub(/`/, "\\(ga", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	sub(/^\./, "\\\\\\&.", text)
	return text
}
function code_end() {
	if (code) {
		print ".fi"
		print ".RE"
	}
	code = 0
}
BEGIN {
	print ".TH " plain(toupper(name)) " 5 \"\" \"tuesday " plain(version) "\" \"Tuesday\""
	print ".SH NAME"
	print plain(name) " \\- check files of tuesday"
	print ".SH DESCRIPTION"
}
/^```/ {
	if (code)
		code_end()
	else {
		print ".PP"
		print ".RS 4"
		print ".nf"
		code = 1
	}
	fenced = code
	next
}
fenced { print plain($0); next }
/^    / && !code && (blank || NR == 1) { print ".PP"; print ".RS 4"; print ".nf"; code = 1 }
code && /^    / {
	for (; waiting > 0; waiting--)
		print ""
	print plain(substr($0, 5))
	next
}
code && /^$/ { waiting++; blank = 1; next }
{ waiting = 0; code_end() }
/^# / { next }
/^## / { print ".SH " roff(toupper(substr($0, 4))); blank = 0; next }
/^###+ / { sub(/^#+ /, ""); print ".SS " roff($0); blank = 0; next }
/^\|[-|: ]+\|$/ { next }
/^\|/ {
	line = substr($0, 2)
	gsub(/\\\|/, "\001", line)
	n = split(line, cell, / *\| */)
	for (i = 1; i <= n; i++)
		gsub(/\001/, "|", cell[i])
	print ".TP"
	sub(/^ */, "", cell[1])
	print ".B " (cell[1] == "" ? "\\&" : roff(cell[1]))
	text = ""
	for (i = 2; i < n; i++)
		text = text (text == "" ? "" : "; ") cell[i]
	print text == "" ? "\\&" : roff(text)
	next
}
/^[*-] / || /^[0-9]+\. / {
	print ".IP \\(bu 2"
	sub(/^[*-] |^[0-9]+\. /, "")
	print roff($0)
	blank = 0
	next
}
/^$/ { blank = 1; next }
{
	if (blank)
		print ".PP"
	blank = 0
	sub(/^ +/, "")
	print roff($0)
}
END { code_end() }
