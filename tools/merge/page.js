// SPDX-License-Identifier: GPL-2.0-only
// Which of ten thousand hosts does somebody look for? Fifty are shown at a time. Whatever a host says
// of itself is text here and never markup.
"use strict";
(function () {
	const ROWS = 50;
	const VERDICTS = ["good", "maybe", "bad", "unknown", "skip"];
	const data = JSON.parse(document.getElementById("data").textContent);
	const body = document.querySelector("table.hosts tbody");
	const form = document.querySelector("form.search");
	const input = form.querySelector("input");
	const status = form.querySelector("[role=status]");
	const pages = document.querySelector(".pages");
	const [previous, next] = pages.querySelectorAll("button");
	const more = document.querySelector(".more");
	let found = data.hosts;
	let page = 0;

	function text(tag, content, name) {
		const element = document.createElement(tag);
		element.textContent = content;
		if (name)
			element.className = name;
		return element;
	}

	// What a search may hit: name, verdict, stale, bad:disk, disk, kernel=6.1.0.
	function words(host) {
		const list = [host[0], VERDICTS[host[1]]];
		if (host[2])
			list.push("stale");
		data.labels.forEach(function (label, i) {
			if (host[3][i])
				list.push(label + "=" + data.texts[host[3][i]]);
		});
		for (let i = 0; i < host[4].length; i += 4)
			list.push(VERDICTS[host[4][i + 1]] + ":" + data.checks[host[4][i]],
				data.texts[host[4][i + 2]], data.texts[host[4][i + 3]]);
		return list.join("\n").toLowerCase();
	}

	// What is accused stands there; what could not be looked at is a number that opens.
	function accusations(host) {
		const cell = document.createElement("td");
		const unknown = document.createElement("details");
		let gaps = 0;
		for (let i = 0; i < host[4].length; i += 4) {
			const check = host[4][i];
			const said = VERDICTS[host[4][i + 1]];
			const line = document.createElement("div");
			line.append(text("b", data.checks[check], said), " ",
				text("span", said, "faint"), " ", data.texts[host[4][i + 2]]);
			if (host[4][i + 3])
				line.append(text("span", " · " + data.texts[host[4][i + 3]], "faint"));
			(said === "unknown" ? unknown : cell).append(line);
			gaps += said === "unknown";
		}
		if (gaps) {
			unknown.prepend(text("summary", (cell.hasChildNodes() ? "+ " : "") + gaps + " unknown"));
			cell.append(unknown);
		}
		cell.append(labels(host));
		return cell;
	}

	function labels(host) {
		const details = document.createElement("details");
		const list = document.createElement("dl");
		data.labels.forEach(function (label, i) {
			if (host[3][i])
				list.append(text("dt", label), text("dd", data.texts[host[3][i]]));
		});
		details.append(text("summary", "labels"), list);
		return details;
	}

	function row(host) {
		const line = document.createElement("tr");
		const name = text("th", host[0]);
		const verdict = document.createElement("td");
		name.scope = "row";
		verdict.append(text("span", VERDICTS[host[1]], "badge " + VERDICTS[host[1]]));
		if (host[2])
			verdict.append(text("span", " stale", "faint"));
		line.append(name, verdict, accusations(host));
		return line;
	}

	function show() {
		const from = page * ROWS;
		const to = Math.min(from + ROWS, found.length);
		body.replaceChildren(...found.slice(from, to).map(row));
		status.textContent = found.length
			? (from + 1) + " to " + to + " of " + found.length + ", the worst first"
			: "no host is found";
		previous.disabled = !page;
		next.disabled = to >= found.length;
		pages.hidden = found.length <= ROWS;
	}

	function search() {
		const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		found = data.hosts.filter(function (host) {
			if (wanted.length && host[5] === undefined)
				host[5] = words(host);
			return wanted.every(function (word) {
				return host[5].includes(word);
			});
		});
		page = 0;
		show();
	}

	function turn(by) {
		page += by;
		show();
		document.getElementById("hosts").scrollIntoView();
	}

	form.hidden = false;
	if (more)
		more.hidden = true;
	form.addEventListener("submit", function (event) {
		event.preventDefault();
	});
	input.addEventListener("input", search);
	previous.addEventListener("click", function () {
		turn(-1);
	});
	next.addEventListener("click", function () {
		turn(1);
	});
	show();
})();
