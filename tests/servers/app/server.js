// SPDX-License-Identifier: GPL-2.0-only
// One request takes SERVICE_MS, SLOW_PERCENT of them ten times that, at most THREADS at once, first
// come, first served; who has an id is written down when its service begins.
const fs = require("fs");
const http = require("http");
const log = fs.openSync(process.env.ORDER_LOG, "a");
const service = Number(process.env.SERVICE_MS);
const slow = Number(process.env.SLOW_PERCENT) / 100;
const waiting = [];
let free = Number(process.env.THREADS);

function serveNext() {
	while (free > 0 && waiting.length > 0) {
		const [request, response] = waiting.shift();
		const id = /\?id=(\d+)$/.exec(request.url);

		free--;
		if (id)
			fs.writeSync(log, `${id[1]} ${((performance.timeOrigin + performance.now()) / 1000).toFixed(6)}\n`);
		setTimeout(() => {
			response.writeHead(200, {"Content-Type": "text/plain", "Content-Length": 3});
			response.end("ok\n");
			free++;
			serveNext();
		}, Math.random() < slow ? 10 * service : service);
	}
}

http.createServer((request, response) => {
	waiting.push([request, response]);
	serveNext();
}).listen({port: Number(process.env.PORT), host: "127.0.0.1", backlog: 1024});
