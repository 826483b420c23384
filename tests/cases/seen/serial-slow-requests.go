// case: ten slow requests that do not depend on each other are made one after another
// peer: server
// first: one after|in turn|serial|at the same time|at once
// first: 127.0.0.1
// useful: 127.0.0.1
// saves: time
package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

func server() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	os.WriteFile("peer.new", []byte(l.Addr().String()), 0o644)
	os.Rename("peer.new", "peer.ready")
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			buf := make([]byte, 512)
			c.Read(buf)
			time.Sleep(100 * time.Millisecond)
			c.Write([]byte("answer\n"))
			c.Close()
		}()
	}
}

func ask(addr string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "question\n")
	buf := make([]byte, 512)
	c.Read(buf)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "server" {
		server()
		return
	}
	data, err := os.ReadFile("peer.ready")
	if err != nil {
		panic(err)
	}
	addr := strings.TrimSpace(string(data))
	if len(os.Args) > 1 && os.Args[1] == "corrected" {
		var all sync.WaitGroup
		for i := 0; i < 10; i++ {
			all.Add(1)
			go func() { defer all.Done(); ask(addr) }()
		}
		all.Wait()
		return
	}
	for i := 0; i < 10; i++ {
		ask(addr)
	}
}
