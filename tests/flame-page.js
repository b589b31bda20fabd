// SPDX-License-Identifier: GPL-2.0-only
// Put into a picture of tuesday flame behind its own script: types, clicks, and writes down what is then seen.
(function () {
'use strict';
var svg = document.documentElement, said = [];
function told(id) { return document.getElementById(id).textContent; }
function set(key, value) {
	var field = document.getElementById('c-' + key);
	if (field.type === 'checkbox') { field.checked = value; field.dispatchEvent(new Event('change')); }
	else { field.value = value; field.dispatchEvent(new Event('input')); }
}
function say(what) {
	said.push(what + ' | total ' + svg.getAttribute('data-total') + ' | ' + told('told') + ' | ' + told('command'));
}
function frame(name) {
	return Array.from(document.querySelectorAll('#frames > g')).find(function (g) {
		return g.querySelector('title').textContent.lastIndexOf(name + ': ', 0) === 0;
	});
}
function filter(key, value) {
	set(key, value);
	say(key);
	set(key, value === true ? false : '');
}
say('begin');
filter('search', 'x');
['only', 'without', 'focus', 'callers', 'hide'].forEach(function (key) { filter(key, 'x'); });
filter('reverse', true);
filter('collapse', true);
filter('hide', "it's <b>");
frame('m').dispatchEvent(new MouseEvent('click', {bubbles: true}));
set('search', 'x');
say('zoom');
svg.querySelector('#frames > g[tabindex="0"]').dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}));
set('search', '');
say('escape');
frame('all').focus();
frame('all').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true}));
said.push('focus on ' + document.activeElement.querySelector('title').textContent);
var result = document.createElementNS('http://www.w3.org/2000/svg', 'desc');
result.id = 'result';
result.textContent = '\n' + said.join('\n') + '\n';
svg.appendChild(result);
})();
