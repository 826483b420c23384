// case: numbers are scanned from a file without a buffer, so each byte is a read
// first: numbers.txt
// first: byte
// useful: numbers.txt
// saves: calls
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	os.WriteFile("numbers.txt", []byte(strings.Repeat("12345 67890\n", 1500)), 0o644)
	f, err := os.Open("numbers.txt")
	if err != nil {
		panic(err)
	}
	var in io.Reader = f
	if len(os.Args) > 1 && os.Args[1] == "corrected" {
		in = bufio.NewReader(f)
	}
	sum := 0
	for {
		var a, b int
		if _, err := fmt.Fscan(in, &a, &b); err != nil {
			break
		}
		sum += a + b
	}
	fmt.Println(sum)
}
