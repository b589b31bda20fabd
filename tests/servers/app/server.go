// SPDX-License-Identifier: GPL-2.0-only

// One request takes SERVICE_MS, SLOW_PERCENT of them ten times that, at most THREADS at once, first
// come, first served; who has an id is written down when its service begins.
package main

import (
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

func number(name string) float64 {
	value, err := strconv.ParseFloat(os.Getenv(name), 64)
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return value
}

func main() {
	service := time.Duration(number("SERVICE_MS") * 1e6)
	slow := number("SLOW_PERCENT") / 100
	slots := make(chan bool, int(number("THREADS")))
	log, err := os.OpenFile(os.Getenv("ORDER_LOG"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		slots <- true
		defer func() { <-slots }()
		if id := r.URL.Query().Get("id"); id != "" {
			fmt.Fprintf(log, "%s %.6f\n", id, float64(time.Now().UnixMicro())/1e6)
		}
		if rand.Float64() < slow {
			time.Sleep(10 * service)
		} else {
			time.Sleep(service)
		}
		fmt.Fprintln(w, "ok")
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
