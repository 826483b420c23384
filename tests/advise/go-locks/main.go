// Goroutines call a slow service while they hold one lock. With an argument, they call the service before they take the lock.
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

const goroutines, times = 8, 250

var lock sync.Mutex
var answers = map[int]int{}

func ask(question int) int {
	time.Sleep(time.Millisecond)
	return question + 1
}

func wasteful(question int) {
	lock.Lock()
	answers[question] = ask(question)
	lock.Unlock() // UNLOCK
}

func corrected(question int) {
	answer := ask(question)
	lock.Lock()
	answers[question] = answer
	lock.Unlock()
}

func main() {
	work := wasteful
	if len(os.Args) > 1 {
		work = corrected
	}
	var all sync.WaitGroup
	for i := range goroutines {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := range times {
				work(i*times + j)
			}
		}()
	}
	all.Wait()
	fmt.Println(len(answers))
}
