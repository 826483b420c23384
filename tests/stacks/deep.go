// Calls three deep. The functions are not inlined, so each has its frame.
package main

import "syscall"

var depth int

//go:noinline
func tell() {
	syscall.Write(-1, []byte("marked\n"))
	depth++
}

//go:noinline
func deep(n int) {
	if n > 0 {
		deep(n - 1)
	} else {
		tell()
	}
	depth--
}

func main() {
	for i := 0; i < 10; i++ {
		deep(2)
	}
}
