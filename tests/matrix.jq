# SPDX-License-Identifier: GPL-2.0-only
# The table of tests/matrix, from what it measured.
include "order";

def percent: "\((. * 1000 | round) / 10) %";
def share: if . == null or .begun == 0 then "–" else .overtaking / .begun | percent end;
def order: {overload: 0, busy: 1, idle: 2}[.load];

# Whether a verdict fits the truth; null where the truth has no word for it.
def fits(truth): if truth == "starving" then . == "bad" elif truth == "unfair" then . == "bad" or . == "maybe"
	elif truth == "slight" then null elif truth == "fair" and (. == "maybe" or . == "unknown") then null
	else . != "bad" end;
def passive_fits: .truth as $truth | .passive | (.verdict | fits($truth)) as $fits |
	if $fits == null then null else $fits and (.verdict != "bad" or .seconds <= 10) end;
# "I do not know" is no wrong answer beside other people's load, or about a fair server; nor a right one.
def does_not_know($able): .invasive != null and ($able == "fair" or .load != "idle") and
	(.invasive.verdict | . == "maybe" or . == "unknown");
def invasive_fits($able): if .invasive == null or does_not_know($able) then null
	else .invasive.verdict | fits($able) end;
def word: if . == null then "–" elif . then "yes" else "**no**" end;

# A fair server has nothing that hey could show.
def hey_word($able; $hey): $hey.requests //
	if $able == "starving" and ($hey | has("requests")) then "> 1600" else "–" end;

def rows($able; $hey): sort_by(order)[] |
	"| \(.server) | \(.mix) | \(.load) | \(.kept | share) / \(.closed | share) " +
	"| \(.kept.longest_seconds // 0) s | \(.truth) " +
	"| \(.passive.verdict), \(.passive.seconds * 10 | round / 10) s " +
	"| \(if .invasive then "\(.invasive.verdict), \(if .invasive.inside.decides then "inside, " else "" end)\(.invasive.requests)" else "–" end) " +
	"| \(if .load == "idle" then hey_word($able; $hey) else "" end) " +
	"| \(passive_fits | word) / \(invasive_fits($able) | word) |";

def mixes: [.[] | select(.load)] | group_by([.server, .mix])[] | sort_by(order);
def able: [.[] | select(.load == "overload") | .truth][0] // "few";
def servers: [.[] | select(.load)] | group_by(.server)[];

"| server | mix | load | overtook: kept / closed | longest | truth | passive | invasive | hey | agree |",
"|---|---|---|---|---|---|---|---|---|---|",
(map(if .load then .closed as $closed | .truth = (.kept | truth_of($closed)) else . end) | . as $all | mixes | .[0].server as $server | .[0].mix as $mix |
	([$all[] | select(.server == $server and .mix == $mix and has("requests"))][0] // {}) as $hey |
	rows(able; $hey)),
"",
([.[] | select(.why)] | if length > 0 then
	"Skipped: " + ([.[] | "\(.server), \(.mix) (\(.why))"] | join("; ")) + ".", "" else empty end),
(map(if .load then .closed as $closed | .truth = (.kept | truth_of($closed)) else . end) | [mixes | able as $able | .[] | select(does_not_know($able))] | if length > 0 then
	"Where `keepalivediagnose` did not know:", "",
	(.[] | "* \(.server), \(.mix), \(.load): \(.invasive.verdict), \(.invasive.summary)"), ""
	else empty end),
"What `keepalivediagnose` knows of each, from the process that listens:",
"",
"| server | version | recognised as | version, threads, workers | mechanism |",
"|---|---|---|---|---|",
(. as $all | servers | .[0].server as $server |
	([$all[] | select(.server == $server and .version) | .version][0] // "") as $version |
	([.[] | .invasive.server? // empty][0] // {}) as $known |
	"| \($server) | \($version) | \($known.name // "not recognised") " +
	"| \($known.version // "–"), \($known.threads // "–"), \($known.workers // "–") " +
	"| \(if ($known.suffers // "no") == "no" or $known.name == null then "–" else $known.mechanism // "–" end) |")
