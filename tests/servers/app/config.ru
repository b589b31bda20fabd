# SPDX-License-Identifier: GPL-2.0-only
# One request takes SERVICE_MS, SLOW_PERCENT of them ten times that; who has an id is written down
# when its service begins.
log = File.open(ENV.fetch("ORDER_LOG"), File::WRONLY | File::APPEND | File::CREAT)
service = ENV.fetch("SERVICE_MS").to_f / 1000
slow = ENV.fetch("SLOW_PERCENT").to_f / 100 * 65536

run lambda { |env|
	began = Process.clock_gettime(Process::CLOCK_REALTIME)
	id = env["QUERY_STRING"][/\Aid=(\d+)\z/, 1]
	log.syswrite(format("%s %.6f\n", id, began)) if id
	# A generator of the process would be the same in all that were forked.
	sleep(Random.urandom(2).unpack1("S") < slow ? 10 * service : service)
	[200, { "Content-Type" => "text/plain", "Content-Length" => "3" }, ["ok\n"]]
}
