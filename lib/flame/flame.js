// SPDX-License-Identifier: GPL-2.0-only
// Zoom, search and filters of a flame graph, within its own file. The stacks come in the element "data":
// frames in the order in which they stand on each other, each with its depth, its name and the weight of
// what ends in it. What the filters do is what lib/flame/reshape.c does, in the same order.
(function () {
'use strict';
var svg = document.documentElement, NS = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';
var data = JSON.parse(document.getElementById('data').textContent);
var frames = document.getElementById('frames'), LEFT = 10, WIDTH = 1180, ROW = 16, HEAD = 188, LEGEND_RIGHT = 1010, CHARACTER = 6.62, THIN = 30, FOLLOWED = 5000;
var names = data.names.slice(), source, state, unturned, shown, view = 0, focused = 0, pool = [], boxes = [], thin = [], rows = 1, fields = {};
var scale = 1, origin = 0, order, isDiff = !!data.before, gone = document.getElementById('gone'), goneTop = 0, goneHeight = 0, facts;
var KINDS = [['_[u]', 'u'], ['_[k]', 'k'], ['_[i]', 'i'], ['_[j]', 'j'], ['_[p]', 'p'], ['_[w]', 'w'],
	['_[g]', 'g'], ['_[gl]', 'l'], ['_[gi]', 'n'], ['_[gr]', 'r']];

// The same rules as lib/flame/pattern.c.
function alternatives(pattern) {
	var all = [], now = {parts: [], first: false, last: false}, i, c, n = 0;
	function end() {
		var parts = now.parts;
		if (parts.length && parts[0] === '^ ') { now.first = true; parts.shift(); }
		if (parts.length && parts[parts.length - 1] === '$ ') { now.last = true; parts.pop(); }
		// Elsewhere these two are nothing special.
		now.parts = parts.map(function (p) { return p === '^ ' ? '^' : p === '$ ' ? '$' : p; });
		all.push(now);
		now = {parts: [], first: false, last: false};
		n = 0;
	}
	for (i = 0; i < pattern.length; i++, n++) {
		c = pattern[i];
		if (c === '\\' && i + 1 < pattern.length) now.parts.push(pattern[++i]);
		else if (c === '|') end();
		else if (c === '*') now.parts.push('* ');
		else if (c === '^') now.parts.push('^ ');
		else if (c === '$') now.parts.push('$ ');
		else now.parts.push(c);
	}
	end();
	return all;
}
function matchesOne(one, name) {
	var at = 0, i = 0, star = one.first ? -1 : 0, starName = 0, parts = one.parts;
	for (;;) {
		if (at < parts.length && parts[at] === '* ') { star = ++at; starName = i; continue; }
		if (at === parts.length && (!one.last || i === name.length)) return true;
		if (at < parts.length && i < name.length && parts[at] === name[i]) { at++; i++; continue; }
		if (star < 0 || starName >= name.length) return false;
		at = star;
		i = ++starName;
	}
}
function matcher(pattern) {
	var all, plain, found;
	if (!pattern) return null;
	all = alternatives(pattern);
	plain = all.length === 1 && !all[0].first && !all[0].last &&
		all[0].parts.every(function (p) { return p.length === 1; }) ? all[0].parts.join('') : null;
	found = new Uint8Array(names.length);
	names.forEach(function (name, i) {
		found[i] = plain !== null ? name.indexOf(plain) >= 0 :
			all.some(function (one) { return matchesOne(one, name); });
	});
	return found;
}

// A tree as arrays: each node after its parent. Node 0 is what all stand on.
function Tree(room) {
	this.n = 1;
	this.parent = new Int32Array(room);
	this.name = new Int32Array(room);
	this.self = new Float64Array(room);
	this.then = isDiff ? new Float64Array(room) : null;
	this.lost = new Float64Array(room); // of self: what goes on in frames that were not followed
	this.name[0] = -1;
	this.slots = null;
}
// A place in a table of a power of two, most of it free, for two numbers.
function placeOf(a, b, mask) {
	var hash = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
	return (hash ^ hash >>> 15) & mask;
}
function tableFor(n) {
	var size = 1024;
	while (size < n * 2) size *= 2;
	return new Int32Array(size);
}
// The node of this name on that one, which is made where there is none. There is room for it.
Tree.prototype.child = function (parent, name) {
	var slots = this.slots || (this.slots = tableFor(this.parent.length)), mask = slots.length - 1, at = placeOf(parent, name, mask), node;
	for (; (node = slots[at]); at = (at + 1) & mask)
		if (this.parent[node] === parent && this.name[node] === name) return node;
	node = slots[at] = this.n++;
	this.parent[node] = parent;
	this.name[node] = name;
	return node;
};
Tree.prototype.sum = function () {
	var i, n = this.n;
	this.total = this.self.slice(0, n);
	this.totalThen = isDiff ? this.then.slice(0, n) : null;
	for (i = n - 1; i > 0; i--) {
		this.total[this.parent[i]] += this.total[i];
		if (isDiff) this.totalThen[this.parent[i]] += this.totalThen[i];
	}
	return this;
};
function load() {
	var n = data.depth.length, tree = new Tree(n), stack = [0], i;
	for (i = 0; i < n; i++) {
		stack[data.depth[i]] = i;
		tree.parent[i] = i ? stack[data.depth[i] - 1] : 0;
		tree.name[i] = data.name[i];
		tree.self[i] = data.self[i];
		if (isDiff) tree.then[i] = data.before[i];
	}
	tree.n = n;
	return tree.sum();
}
var numbers = new Map();
names.forEach(function (name, i) { numbers.set(name, i); });
function nameNumber(text) {
	var i = numbers.get(text);
	if (i === undefined) numbers.set(text, i = names.push(text) - 1);
	return i;
}

// From the root on: what of each stack stays, and where it goes.
function filtered(tree, want) {
	var hide = matcher(want.hide), only = matcher(want.only), without = matcher(want.without);
	var focus = matcher(want.focus), callers = matcher(want.callers), n = tree.n, i, name, below, seen;
	var to, place, marks, ends, other;
	if (!hide && !only && !without && !focus && !callers) return tree;
	to = new Tree(n + 1);
	place = new Int32Array(n);
	marks = new Uint8Array(n); // 1 only, 2 without, 4 focus, 8 callers
	ends = new Int32Array(n);
	other = nameNumber('OTHER');
	for (i = 0; i < n; i++) {
		below = tree.parent[i];
		seen = i ? marks[below] : 0;
		place[i] = i ? place[below] : 0;
		if (i) {
			name = tree.name[i];
			if (!(hide && hide[name])) {
				if (only && only[name]) seen |= 1;
				if (without && without[name]) seen |= 2;
				if (focus && focus[name]) seen |= 4;
				// What is above the first of the callers' frames is not theirs.
				if (!(callers && (seen & 8)) && (!focus || (seen & 4)))
					place[i] = to.child(place[below], name);
				if (callers && callers[name] && (!focus || (seen & 4))) seen |= 8;
				// Without a frame from the focus on the stack is left out as a whole.
				else if (callers && callers[name]) seen |= 16;
			}
		}
		marks[i] = seen;
		ends[i] = (only && !(seen & 1)) || (without && (seen & 2)) || (focus && !(seen & 4)) ||
			(callers && !(seen & 24)) ? -1 : place[i];
	}
	for (i = 0; i < n; i++) {
		if (!tree.self[i] && !(isDiff && tree.then[i])) continue;
		below = ends[i] < 0 ? to.child(0, other) : ends[i];
		to.self[below] += tree.self[i];
		if (isDiff) to.then[below] += tree.then[i];
	}
	return to.sum();
}

// From the ends on, a row at a time: the stacks of a row are what is left of those that end in its frames. In a large
// page what would be too narrow to draw is not followed: it stays with what it ends in, as a gap to the right.
function turned(tree) {
	var least = tree.n > FOLLOWED ? tree.total[0] * data.least / WIDTH : 0, n = 0, kept, i, k, name, slot;
	var at = new Int32Array(tree.n), on = new Int32Array(tree.n), weight = new Float64Array(tree.n), then = isDiff ? new Float64Array(tree.n) : null;
	var to = new Tree(1024), place = new Int32Array(tree.n), row = {}, slots, mask, made, base;
	function grow() {
		var bigger = new Tree(to.parent.length * 2);
		['parent', 'name', 'self', 'then', 'lost'].forEach(function (key) { if (to[key]) bigger[key].set(to[key]); });
		bigger.n = to.n;
		to = bigger;
	}
	for (i = 0; i < tree.n; i++)
		if (tree.self[i] || (isDiff && tree.then[i])) {
			at[n] = i;
			weight[n] = tree.self[i];
			if (isDiff) then[n] = tree.then[i];
			n++;
		}
	while (n) {
		// The frames of this row: on what, of which name, how heavy.
		row = {on: new Int32Array(n), name: new Int32Array(n), sum: new Float64Array(n), sumThen: new Float64Array(n), node: new Int32Array(n)};
		slots = tableFor(n);
		mask = slots.length - 1;
		made = 0;
		for (i = 0; i < n; i++) {
			if (!at[i]) { place[i] = -1; continue; }
			name = tree.name[at[i]];
			for (slot = placeOf(on[i], name, mask); (k = slots[slot] - 1) >= 0; slot = (slot + 1) & mask)
				if (row.on[k] === on[i] && row.name[k] === name) break;
			if (k < 0) {
				k = made++;
				slots[slot] = made;
				row.on[k] = on[i];
				row.name[k] = name;
			}
			row.sum[k] += weight[i];
			if (isDiff) row.sumThen[k] += then[i];
			place[i] = k;
		}
		for (k = 0; k < made; k++) {
			row.node[k] = row.on[k];
			if (row.sum[k] < least && row.sumThen[k] < least) continue;
			if (to.n === to.parent.length) grow();
			row.node[k] = to.n;
			to.parent[to.n] = row.on[k];
			to.name[to.n++] = row.name[k];
		}
		kept = 0;
		for (i = 0; i < n; i++) {
			k = place[i];
			base = k < 0 ? on[i] : row.node[k];
			if (k < 0 || base === row.on[k]) {
				to.self[base] += weight[i];
				if (k >= 0) to.lost[base] += weight[i];
				if (isDiff) to.then[base] += then[i];
				continue;
			}
			at[kept] = tree.parent[at[i]];
			on[kept] = base;
			weight[kept] = weight[i];
			if (isDiff) then[kept] = then[i];
			kept++;
		}
		n = kept;
	}
	return to.sum();
}

function collapsed(tree) {
	var n = tree.n, above = new Int32Array(n), head = new Int32Array(n), last = new Int32Array(n), links = new Int32Array(n);
	var to = new Tree(n), place = new Int32Array(n), i, below, name, alive = new Uint8Array(n);
	for (i = 1; i < n; i++) alive[i] = tree.total[i] || (isDiff && tree.totalThen[i]) ? 1 : 0;
	for (i = 1; i < n; i++) above[tree.parent[i]] += alive[i];
	for (i = 1; i < n; i++) {
		below = tree.parent[i];
		head[i] = below && above[below] === 1 && !tree.self[below] && !(isDiff && tree.then[below]) ? head[below] : i;
		if (!alive[i]) continue;
		last[head[i]] = i;
		links[head[i]]++;
	}
	for (i = 0; i < n; i++) {
		if (i && !alive[i]) continue;
		if (i && head[i] === i) {
			name = tree.name[i];
			if (links[i] > 1)
				name = nameNumber(names[name] + ' > ' + (links[i] > 2 ? links[i] - 2 + ' more > ' : '') + names[tree.name[last[i]]]);
			place[i] = to.child(place[tree.parent[i]], name);
		} else if (i) {
			place[i] = place[head[i]];
		}
		to.self[place[i]] += tree.self[i];
		to.lost[place[i]] += tree.lost[i];
		if (isDiff) to.then[place[i]] += tree.then[i];
	}
	return to.sum();
}

// Frames on the same one in the order of their names. Returns the children of each node, as a list
// of nodes by parent.
function layOut(tree) {
	var n = tree.n, i, first = new Int32Array(n + 1), list = new Int32Array(n), start = new Float64Array(n), depth = new Int32Array(n), next, a;
	var byName = new Int32Array(n), ranks = new Int32Array(names.length + 1);
	for (i = 1; i < n; i++) ranks[order[tree.name[i]] + 1]++;
	for (i = 0; i < names.length; i++) ranks[i + 1] += ranks[i];
	for (i = 1; i < n; i++) byName[ranks[order[tree.name[i]]]++] = i;
	for (i = 1; i < n; i++) first[tree.parent[i] + 1]++;
	for (i = 0; i < n; i++) first[i + 1] += first[i];
	next = first.slice();
	for (i = 0; i < n - 1; i++) { a = byName[i]; list[next[tree.parent[a]]++] = a; }
	for (i = 0; i < n; i++) {
		next = start[i] + tree.self[i] - tree.lost[i];
		for (a = first[i]; a < first[i + 1]; a++) {
			start[list[a]] = next;
			depth[list[a]] = depth[i] + 1;
			next += tree.total[list[a]];
		}
	}
	tree.first = first;
	tree.list = list;
	tree.start = start;
	tree.depth = depth;
	return tree;
}
function rankNames() {
	if (order && order.length === names.length) return;
	var sorted = names.map(function (_, i) { return i; });
	sorted.sort(function (a, b) { return names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0; });
	order = new Int32Array(names.length);
	sorted.forEach(function (name, at) { order[name] = at; });
}

// Benjamini and Hochberg at 5 %, as lib/flame/difference.c has it.
function complementOfErrorFunction(x) {
	var t = 1 / (1 + 0.5 * x);
	return t * Math.exp(-x * x - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 +
		t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))))));
}
function judge(tree) {
	var n = tree.n, now = tree.total[0], then = data.then, sample = data.sample, p = new Float64Array(n), sorted, border = -1, i, a, b, s, v;
	tree.points = new Float64Array(n);
	tree.step = new Int8Array(n);
	for (i = 0; i < n; i++) {
		a = tree.total[i] / now;
		b = tree.totalThen[i] / then;
		tree.points[i] = a - b;
		s = (tree.total[i] + tree.totalThen[i]) / (now + then);
		v = s * (1 - s) * (sample / now + sample / then);
		p[i] = tree.total[i] + tree.totalThen[i] < 10 * sample || !(v > 0) ? 1 :
			complementOfErrorFunction(Math.abs(a - b) / Math.sqrt(2 * v));
	}
	sorted = p.slice().sort();
	sorted.forEach(function (x, k) { if (x <= 0.05 * (k + 1) / n) border = x; });
	for (i = 1; i < n; i++)
		if (tree.points[i] && p[i] <= border) {
			a = Math.abs(tree.points[i]);
			tree.step[i] = (a >= 0.05 ? 3 : a >= 0.01 ? 2 : 1) * (tree.points[i] > 0 ? 1 : -1);
		}
}

function kindOf(name) {
	var i, end;
	if (name === '-' || name === '--') return ['s', name];
	if (name === 'OTHER') return ['o', name];
	if (name.lastIndexOf('[broken', 0) === 0 || name.lastIndexOf('[truncated', 0) === 0) return ['b', name];
	for (i = 0; i < KINDS.length; i++) {
		end = KINDS[i][0];
		if (name.length >= end.length && name.slice(-end.length) === end) {
			name = name.slice(0, -end.length);
			return [i < 6 && (!name || /^\[unknown\]|^0x[0-9a-fA-F]+$/.test(name)) ? 'x' : KINDS[i][1], name];
		}
	}
	return [!name || /^\[unknown\]|^0x[0-9a-fA-F]+$/.test(name) ? 'x' : 'u', name];
}
function tint(name) {
	var end = name.length, i, hash = 2166136261;
	for (i = 0; i < name.length && name[i] !== '(' && name[i] !== ' '; i++)
		if ('/.:`'.indexOf(name[i]) >= 0) end = i;
	for (i = 0; i < end; i++) hash = Math.imul(hash ^ (name.charCodeAt(i) & 255), 16777619);
	return 'u' + (hash >>> 0) % 6;
}
var kindCache = [];
function kindOfNumber(number) {
	if (!kindCache[number]) {
		var kind = kindOf(names[number]);
		kindCache[number] = [kind[0] === 'u' ? tint(kind[1]) : kind[0], kind[1] || '[unknown]'];
	}
	return kindCache[number];
}
function seconds(x) {
	return x >= 1 ? x.toPrecision(3) + ' s' : x >= 1e-3 ? (x * 1e3).toPrecision(3) + ' ms' : (x * 1e6).toPrecision(3) + ' us';
}
function weightText(weight, all) {
	return (all ? 100 * weight / all : 0).toFixed(2) + ' %, ' + weight + ' ' + (weight === 1 && data.unit === 'samples' ? 'sample' : data.unit) +
		(data.each > 0 ? ', ' + seconds(weight * data.each) + ' ' + data.of : '');
}
function pointsText(tree, i) {
	var points = 100 * tree.points[i];
	return tree.step[i] ? ', ' + Math.abs(points).toFixed(2) + ' points ' + (points > 0 ? 'more' : 'less') + ' than before' :
		', ' + (points < 0 ? '' : '+') + points.toFixed(2) + ' points' + (data.sample > 0 ? ', which chance may do' : '');
}
function describe(i) {
	return (i ? kindOfNumber(shown.name[i])[1] : 'all') + ': ' + weightText(shown.total[i], shown.total[0]) +
		(isDiff && i ? pointsText(shown, i) : '');
}

// The frames in view: what it stands on in full width, what stands on it in proportion.
function visible() {
	var seen = new Int32Array(shown.n), n = 0, at, work = new Int32Array(shown.n + 1), left, i, a, deepest = 0, least;
	scale = WIDTH / shown.total[view];
	origin = shown.start[view];
	least = data.least / scale;
	for (at = view; at; at = shown.parent[at]) seen[n++] = shown.parent[at];
	seen.subarray(0, n).reverse();
	work[0] = view;
	for (left = 1; left;) {
		i = seen[n++] = work[--left];
		if (shown.depth[i] > deepest) deepest = shown.depth[i];
		for (a = shown.first[i + 1] - 1; a >= shown.first[i]; a--)
			if (shown.total[shown.list[a]] >= least) work[left++] = shown.list[a];
	}
	return {list: seen.subarray(0, n), depth: deepest};
}
function isBelow(i) {
	return shown.depth[i] < shown.depth[view];
}
// In tenths of a pixel, as the picture is written: widths are between these, so that frames meet. What lies just
// between two is rounded to the even one, as the C library does.
function tenths(pixels) {
	var ten = pixels * 10, whole = Math.floor(ten), rest = ten - whole;
	if (Math.abs(rest - 0.5) > 1e-6) return whole + (rest > 0.5 ? 1 : 0);
	return pixels * 4 === Math.floor(pixels * 4) ? whole + (whole & 1) : Math.round(+pixels.toFixed(1) * 10);
}
function leftOf(i) {
	return isBelow(i) ? LEFT * 10 : tenths(LEFT + (shown.start[i] - origin) * scale);
}
function rightOf(i) {
	return isBelow(i) ? (LEFT + WIDTH) * 10 : tenths(LEFT + (shown.start[i] + shown.total[i] - origin) * scale);
}
function element(name, attributes, parent) {
	var made = document.createElementNS(NS, name);
	Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
	if (parent) parent.appendChild(made);
	return made;
}
function slot(k) {
	var g, s = pool[k];
	if (s) return s;
	g = element('g', {'class': 'f', role: 'treeitem', tabindex: '-1'});
	s = pool[k] = {g: g, title: element('title', {}, g), rect: element('rect', {height: 15}, g), text: element('text', {}, g)};
	g.flameSlot = k;
	return s;
}
function classOf(i) {
	if (!i) return 'o';
	if (isDiff) return shown.step[i] > 0 ? 'd' + shown.step[i] : shown.step[i] < 0 ? 'e' + -shown.step[i] : 'z';
	return kindOfNumber(shown.name[i])[0];
}
function rowAt(depth) {
	return HEAD + ROW * (state.inverted ? depth : rows - 1 - depth);
}
function drawBox(i, at, hit) {
	var s = slot(at), x = leftOf(i) / 10, w = (rightOf(i) - leftOf(i)) / 10, y = rowAt(shown.depth[i]), fits = Math.floor((w - 6) / CHARACTER), name;
	s.g.setAttribute('class', 'f' + (w >= 4 ? ' c' : '') + (isBelow(i) ? ' a' : '') + (hit ? ' m' : ''));
	s.g.setAttribute('aria-level', shown.depth[i] + 1);
	s.rect.setAttribute('class', classOf(i));
	s.rect.setAttribute('x', x.toFixed(1));
	s.rect.setAttribute('y', y);
	s.rect.setAttribute('width', w.toFixed(1));
	s.title.textContent = describe(i);
	name = fits >= 3 ? (i ? kindOfNumber(shown.name[i])[1] : 'all') : '';
	s.text.textContent = name.length > fits ? name.slice(0, fits - 2) + '..' : name;
	if (name) { s.text.setAttribute('x', (x + 3).toFixed(1)); s.text.setAttribute('y', y + 11.5); }
	return s.g;
}
// Frames that are too narrow for a name are one path of each colour; what is where is asked of thin.
function drawThin(fragment, found) {
	var paths = new Map();
	function end(run) {
		if (run.end > run.x) run.parts.push('M' + run.x / 10 + ' ' + run.y + 'h' + (run.end - run.x) / 10 + 'v15H' + run.x / 10 + 'z');
	}
	thin.forEach(function (row, depth) {
		var y = rowAt(depth), j, i, kind, run, x;
		for (j = 0; j < row.length; j++) {
			i = row[j];
			kind = found && found[shown.name[i]] ? 'm' : classOf(i);
			run = paths.get(kind);
			x = leftOf(i);
			if (!run) paths.set(kind, run = {x: 0, end: 0, y: -1, parts: []});
			if (run.y !== y || run.end !== x) { end(run); run.y = y; run.x = x; }
			run.end = rightOf(i);
		}
	});
	paths.forEach(function (run, kind) {
		end(run);
		var path = element('path', {'class': kind, d: run.parts.join('')}, fragment);
		path.flameThin = element('title', {}, path);
	});
}
function draw() {
	var seen = visible(), height, k, fragment = document.createDocumentFragment();
	var found = state.search ? matcher(state.search) : null;
	rows = Math.min(seen.depth + 1, 2000);
	boxes = [];
	thin = [];
	seen.list.forEach(function (i) {
		var depth = shown.depth[i];
		if (depth >= rows) return;
		if (rightOf(i) - leftOf(i) < THIN) (thin[depth] = thin[depth] || []).push(i);
		else boxes.push(i);
	});
	drawThin(fragment, found);
	boxes.forEach(function (i, at) { fragment.appendChild(drawBox(i, at, found && i && found[shown.name[i]])); });
	frames.textContent = '';
	frames.appendChild(fragment);
	k = boxes.indexOf(focused);
	if (k < 0) { k = 0; focused = boxes[0]; }
	boxes.forEach(function (_, at) { pool[at].g.setAttribute('tabindex', at === k ? '0' : '-1'); });
	height = HEAD + ROW * rows + 12;
	if (gone) {
		gone.style.display = plain() ? '' : 'none';
		gone.setAttribute('transform', 'translate(0,' + (height - goneTop) + ')');
		if (plain()) height += goneHeight;
	}
	svg.setAttribute('viewBox', '0 0 1200 ' + height);
	svg.setAttribute('height', height);
	document.getElementById('paper').setAttribute('height', height);
	drawLegend(seen.list);
	tellNarrow(seen.list);
	tell(found);
}
// The narrow frame under a pointer, or -1.
function thinAt(event) {
	var point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
	var row = Math.floor((point.y - HEAD) / ROW), list = thin[state.inverted ? row : rows - 1 - row] || [], low = 0, high = list.length, middle;
	while (low < high) {
		middle = (low + high) >> 1;
		if (rightOf(list[middle]) < point.x * 10) low = middle + 1;
		else high = middle;
	}
	return low < list.length && leftOf(list[low]) <= point.x * 10 + 5 ? list[low] : -1;
}
function plain() {
	return !state.hide && !state.only && !state.without && !state.focus && !state.callers && !state.reverse && !state.collapse;
}
// Each stack counts once, however many of its frames match.
function searched(found) {
	var tree = unturned, hit = new Uint8Array(tree.n), sum = 0, i;
	for (i = 1; i < tree.n; i++) {
		hit[i] = hit[tree.parent[i]] | found[tree.name[i]];
		if (hit[i]) sum += tree.self[i];
	}
	return sum;
}
function searchedInView(found) {
	var work = [view], sum = 0, i, a;
	while (work.length) {
		i = work.pop();
		if (i && found[shown.name[i]]) { sum += shown.total[i]; continue; }
		for (a = shown.first[i]; a < shown.first[i + 1]; a++) work.push(shown.list[a]);
	}
	return sum;
}
// The kinds of the frames that are drawn, as the picture has them.
function drawLegend(list) {
	var kinds = {}, x = LEFT, y = HEAD - 26;
	list.forEach(function (i) {
		if (i && shown.depth[i] < rows) kinds[kindOfNumber(shown.name[i])[0][0]] = true;
	});
	document.querySelectorAll('#legend > g[data-kind]').forEach(function (key) {
		var here = kinds[key.getAttribute('data-kind')];
		key.style.display = here ? '' : 'none';
		if (!here) return;
		if (x > LEGEND_RIGHT) { x = LEFT; y += 17; }
		key.setAttribute('transform', 'translate(' + x + ',' + y + ')');
		x += +key.getAttribute('data-width');
	});
}
// What the picture says of weight that it does not show is of this view, too.
function tellNarrow(list) {
	var told = document.querySelector('#facts text'), narrow = shown.total[view], i, parts, words;
	if (facts === undefined) facts = told.textContent;
	for (i = 0; i < list.length; i++)
		if (!isBelow(list[i]) && shown.depth[list[i]] < rows) narrow -= shown.self[list[i]] - shown.lost[list[i]];
	words = (data.cut ? 'at least ' : '') + (100 * narrow / shown.total[view]).toFixed(1) + (view ? ' % of what is in view' : ' % of them') +
		' in frames that are too narrow to draw, or too many';
	parts = facts.split('; ').filter(function (part) { return part.indexOf(' too narrow to draw') < 0; });
	if (narrow > 0) parts.splice(1, 0, words);
	told.textContent = plain() && !view ? facts : parts.join('; ');
}
function tell(found) {
	var text = [], about = view ? 'Zoomed: ' + describe(view) + '.' : '';
	if (about) text.push(about);
	if (found) {
		text.push('"' + state.search + '" is in ' + (data.cut ? 'at least ' : '') +
			weightText(searched(found), shown.total[0]) + ' of all.');
		if (view) text.push('In view: ' + (100 * searchedInView(found) / shown.total[view]).toFixed(2) + ' %.');
	}
	if (data.cut) text.push((100 * data.cut / source.total[0]).toFixed(1) +
		' % of the weight ends in frames too light for this page: the command has them all.');
	if (fields.told) fields.told.textContent = text.join(' ');
	if (fields.same) fields.same.textContent = view ? 'The same on the command line, not zoomed: ' : 'The same on the command line: ';
	if (fields.command) fields.command.textContent = command();
}
function word(text) {
	return /^[A-Za-z0-9_\/.,:+@%-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}
function option(name, value) {
	return ' ' + name + (value[0] === '-' ? '=' : ' ') + word(value);
}
function optionsOf(want) {
	var text = '';
	[['hide', '--hide'], ['only', '--only'], ['without', '--without'], ['focus', '--focus'], ['callers', '--focus-callers']].forEach(function (pair) {
		if (want[pair[0]]) text += option(pair[1], want[pair[0]]);
	});
	return text + (want.reverse ? ' --reverse' : '') + (want.collapse ? ' --collapse-chains' : '');
}
// This file: where it lies, or what it is called.
function ownFile() {
	var path = location.pathname;
	try { path = decodeURIComponent(path); } catch (wrong) { /* It is as it stands. */ }
	path = location.protocol === 'file:' ? path : path.slice(path.lastIndexOf('/') + 1);
	return path || 'FILE.svg';
}
// What makes this picture. A look cannot be had again, and what was filtered before it came to this page is no more:
// then the stacks are taken from the page itself, which has not both of two profiles.
function command() {
	var tail = optionsOf(state) + (state.inverted ? ' --inverted' : '') + (state.search ? option('--search', state.search) : ''), made = data.made ? optionsOf(data.made) : '';
	// One filter after another one of the same kind is no single command.
	if (data.input && !(made && optionsOf(state)))
		return 'tuesday flame' + (data.options ? ' ' + data.options : '') + made + tail + ' ' + data.input + ' --svg new.svg';
	return isDiff ? 'none: the two profiles are not at hand' : 'tuesday flame --from svg' + tail + ' ' + word(ownFile()) + ' --svg new.svg';
}

function change() {
	var begun = performance.now();
	unturned = filtered(source, state);
	// Callers are upside down by themselves.
	shown = state.reverse !== !!state.callers ? turned(unturned) : unturned;
	if (state.collapse) shown = collapsed(shown);
	rankNames();
	layOut(shown);
	if (isDiff) judge(shown);
	view = focused = 0;
	draw();
	svg.setAttribute('data-ms', (performance.now() - begun).toFixed(1));
	svg.setAttribute('data-total', shown.total[0]);
}
function zoom(i) {
	view = focused = i;
	draw();
}

function html(name, attributes, parent, text) {
	var made = document.createElementNS(XHTML, name);
	Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
	if (text) made.textContent = text;
	if (parent) parent.appendChild(made);
	return made;
}
function control(form, key, label, type, help) {
	var holder = html('label', {title: help}, form), input;
	if (type === 'checkbox') {
		input = html('input', {type: type, id: 'c-' + key}, holder);
		input.checked = state[key];
		html('span', {}, holder, label);
	} else {
		html('span', {}, holder, label);
		input = html('input', {type: type, id: 'c-' + key, spellcheck: 'false', autocomplete: 'off'}, holder);
		input.value = state[key];
	}
	fields[key] = input;
	input.addEventListener(type === 'checkbox' ? 'change' : 'input', function () {
		state[key] = type === 'checkbox' ? input.checked : input.value;
		if (key === 'search' || key === 'inverted') draw();
		else change();
	});
}
function reset() {
	['search', 'only', 'without', 'focus', 'callers', 'hide'].forEach(function (key) { state[key] = fields[key].value = ''; });
	['reverse', 'inverted', 'collapse'].forEach(function (key) { state[key] = fields[key].checked = false; });
	change();
}
function controls() {
	var holder = document.getElementById('controls'), foreign, form, line;
	holder.textContent = '';
	foreign = element('foreignObject', {x: LEFT, y: 70, width: WIDTH, height: 84}, holder);
	form = html('form', {'aria-label': 'search and filters'}, foreign);
	form.addEventListener('submit', function (event) { event.preventDefault(); });
	control(form, 'search', 'search', 'text', 'a piece of a name; ^ begins it, $ ends it, * is anything, | is between several');
	control(form, 'only', 'only stacks with', 'text', 'stacks without such a frame become OTHER');
	control(form, 'without', 'without', 'text', 'stacks with such a frame become OTHER');
	control(form, 'focus', 'from', 'text', 'stacks begin with the first such frame; those without it become OTHER');
	control(form, 'callers', 'callers of', 'text', 'what leads to such a frame');
	control(form, 'hide', 'hide', 'text', 'such frames are taken out of their stacks');
	control(form, 'reverse', 'reverse', 'checkbox', 'stacks begin where they ended');
	control(form, 'inverted', 'upside down', 'checkbox', 'roots are at the top');
	control(form, 'collapse', 'collapse chains', 'checkbox', 'frames that are always called by the one below are one with it');
	line = html('button', {type: 'button'}, form, 'reset');
	line.addEventListener('click', reset);
	fields.told = html('div', {'class': 'wide', id: 'told', 'aria-live': 'polite'}, form);
	line = html('div', {'class': 'wide'}, form);
	fields.same = html('span', {}, line);
	fields.command = html('code', {id: 'command'}, line);
}

function slotOf(target) {
	while (target && target !== frames) {
		if (target.flameSlot !== undefined) return target.flameSlot;
		target = target.parentNode;
	}
	return -1;
}
function focusOn(node) {
	var k = boxes.indexOf(node);
	if (k < 0) return;
	pool.forEach(function (s) { s.g.setAttribute('tabindex', '-1'); });
	pool[k].g.setAttribute('tabindex', '0');
	focused = node;
	pool[k].g.focus();
}
// The neighbour of a frame, of those that are drawn.
function neighbour(node, step) {
	var below = shown.parent[node], a, drawn = new Set(boxes);
	for (a = shown.first[below]; a < shown.first[below + 1]; a++)
		if (shown.list[a] === node) break;
	for (a += step; a >= shown.first[below] && a < shown.first[below + 1]; a += step)
		if (drawn.has(shown.list[a])) return shown.list[a];
	return node;
}
function widestAbove(node) {
	var best = node, a, drawn = new Set(boxes);
	for (a = shown.first[node]; a < shown.first[node + 1]; a++)
		if (drawn.has(shown.list[a]) && (best === node || shown.total[shown.list[a]] > shown.total[best])) best = shown.list[a];
	return best;
}
function pressed(event) {
	var key = event.key, typing = event.target && event.target.localName === 'input' && event.target.type === 'text', up = state.inverted ? 'ArrowDown' : 'ArrowUp';
	if (event.ctrlKey || event.altKey || event.metaKey) return;
	if (key === 'Escape' && typing) { event.target.blur(); return; }
	if (typing || (event.target && event.target.localName === 'button')) return;
	if (key === '/') fields.search.focus();
	else if (key === 'Escape' || key === 'Backspace') { zoom(0); focusOn(0); }
	else if (slotOf(event.target) < 0) return;
	else if (key === 'Enter' || key === ' ') { key = focused; zoom(key); focusOn(key); }
	else if (key === up) focusOn(widestAbove(focused));
	else if (key === 'ArrowUp' || key === 'ArrowDown') focusOn(shown.parent[focused]);
	else if (key === 'ArrowLeft') focusOn(neighbour(focused, -1));
	else if (key === 'ArrowRight') focusOn(neighbour(focused, 1));
	else return;
	event.preventDefault();
}

function begin() {
	var first = data.filters || {}, box;
	state = {search: data.search || '', only: first.only || '', without: first.without || '', focus: first.focus || '',
		callers: first.callers || '', hide: first.hide || '', reverse: !!first.reverse, collapse: !!first.collapse, inverted: data.inverted};
	if (gone) {
		box = svg.getAttribute('viewBox').split(' ');
		goneTop = +gone.getAttribute('data-top');
		goneHeight = +box[3] - goneTop;
	}
	source = load();
	if (!source.total[0]) return;
	controls();
	frames.addEventListener('click', function (event) {
		var k = slotOf(event.target), node = k >= 0 ? boxes[k] : event.target.flameThin ? thinAt(event) : -1;
		if (node >= 0) zoom(node);
	});
	frames.addEventListener('mousemove', function (event) {
		var node = event.target.flameThin ? thinAt(event) : -1;
		if (node >= 0) event.target.flameThin.textContent = describe(node);
	});
	frames.addEventListener('focusin', function (event) {
		var k = slotOf(event.target);
		if (k >= 0) focused = boxes[k];
	});
	svg.addEventListener('keydown', pressed);
	change();
}
begin();
})();
