# SPDX-License-Identifier: GPL-2.0-only
# One request takes SERVICE_MS, SLOW_PERCENT of them ten times that; who has an id is written down
# when its service begins.
import os
import random
import re
import time

LOG = os.open(os.environ["ORDER_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
SERVICE = float(os.environ["SERVICE_MS"]) / 1000
SLOW = float(os.environ["SLOW_PERCENT"]) / 100
# A generator of the process would be the same in all that were forked.
CHANCE = random.SystemRandom()


def application(environ, start_response):
    began = time.time()
    request = re.fullmatch(r"id=(\d+)", environ["QUERY_STRING"])
    if request:
        os.write(LOG, b"%s %.6f\n" % (request.group(1).encode(), began))
    time.sleep(10 * SERVICE if CHANCE.random() < SLOW else SERVICE)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "3")])
    return [b"ok\n"]
