// case: a client tries to reach a service that is not up, again and again with hardly a pause
// first: 127.0.0.1
// first: refused|ECONNREFUSED|failed
// useful: connect
// saves: calls
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	// A port that was free a moment ago.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	addr := l.Addr().String()
	l.Close()
	tries, pause := 800, 200*time.Microsecond
	if len(os.Args) > 1 && os.Args[1] == "corrected" {
		// Each pause is twice as long as the one before.
		tries, pause = 8, time.Millisecond
	}
	for i := 0; i < tries; i++ {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return
		}
		time.Sleep(pause)
		if tries == 8 {
			pause *= 2
		}
	}
	fmt.Println("gave up")
}
