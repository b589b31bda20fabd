// SPDX-License-Identifier: GPL-2.0-only
// What does a server look like whose requests wait on purpose, on whatever thread the runtime
// chooses? A request for /wait is answered at every twentieth other one. An older one is so
// answered after later ones, often by the thread that has just served several of these in a row.
package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

const wakeEvery = 20
const service = 2 * time.Millisecond

func main() {
	var lock sync.Mutex
	served := 0
	woken := make(chan struct{})

	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/wait", func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		until := woken
		lock.Unlock()
		<-until
		io.WriteString(w, "ok\n")
	})
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(service)
		lock.Lock()
		served++
		if served%wakeEvery == 0 {
			close(woken)
			woken = make(chan struct{})
		}
		lock.Unlock()
		io.WriteString(w, "ok\n")
	})
	os.Stdout.WriteString("ready\n")
	log.Fatal(http.Serve(listener, nil))
}
