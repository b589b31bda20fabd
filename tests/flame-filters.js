// SPDX-License-Identifier: GPL-2.0-only
// Put into a picture of tuesday flame behind its own script: its command, and for each set of filters, as the command line says it, the
// frames that the page draws, as tests/flame.t finds them in the picture that the command line makes.
(function () {
'use strict';
var svg = document.documentElement, said = [];
var fields = {'--hide': 'hide', '--only': 'only', '--without': 'without', '--focus': 'focus', '--focus-callers': 'callers',
	'--reverse': 'reverse', '--collapse-chains': 'collapse', '--inverted': 'inverted'};
function set(key, value) {
	var field = document.getElementById('c-' + key);
	if (field.type === 'checkbox') { field.checked = value; field.dispatchEvent(new Event('change')); }
	else { field.value = value; field.dispatchEvent(new Event('input')); }
}
function apply(options, on) {
	options.split(' ').forEach(function (word, i, words) {
		if (fields[word]) set(fields[word], words[i + 1] && words[i + 1][0] !== '-' ? on ? words[i + 1] : '' : on);
	});
}
said.push('command | ' + document.getElementById('command').textContent);
(window.flameFilters || []).forEach(function (options) {
	apply(options, true);
	said.push('filter ' + options + ' | ' + document.querySelector('#facts').textContent.trim());
	document.querySelectorAll('#legend > g').forEach(function (key) {
		if (key.style.display !== 'none') said.push('legend ' + key.getAttribute('transform') + ' ' + key.textContent.trim());
	});
	document.querySelectorAll('#frames > g').forEach(function (g) {
		var rect = g.querySelector('rect');
		said.push(['x', 'y', 'width'].map(function (key) { return (+rect.getAttribute(key)).toFixed(1); }).join(' ') + ' ' +
			g.querySelector('title').textContent.replace(/[0-9.]+ %, /, ''));
	});
	apply(options, false);
});
var result = document.createElementNS('http://www.w3.org/2000/svg', 'desc');
result.id = 'result';
result.textContent = '\n' + said.join('\n') + '\n';
svg.appendChild(result);
})();
