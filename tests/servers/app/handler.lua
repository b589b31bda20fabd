-- SPDX-License-Identifier: GPL-2.0-only
-- One request takes SERVICE_MS, SLOW_PERCENT of them ten times that; who has an id is written down
-- when its service begins.
local service = tonumber(os.getenv("SERVICE_MS")) * 1000
local slow = tonumber(os.getenv("SLOW_PERCENT"))

function handle(r)
	local began = r:clock()
	local id = string.match(r.args or "", "^id=(%d+)$")

	if id then
		local log = io.open(os.getenv("ORDER_LOG"), "a")
		log:write(string.format("%s %.6f\n", id, began / 1e6))
		log:close()
	end
	-- The state is made anew for each request, so its generator would begin anew.
	r.usleep(began % 100 < slow and 10 * service or service)
	r.content_type = "text/plain"
	r:puts("ok\n")
	return apache2.OK
end
