// Does what ../wasteful does, and asks the kernel only for what it needs: no parents, each file in one piece, and no poller,
// which os.Open would offer each file to.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

func main() {
	lines, buffer := 0, make([]byte, 64<<10)
	err := filepath.WalkDir(os.Args[1], func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		n, err := count(path, buffer)
		lines += n
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(lines)
}

func count(path string, buffer []byte) (int, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	lines, begun := 0, []byte(nil)
	for {
		n, err := syscall.Read(fd, buffer)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		if n == 0 {
			break
		}
		parts := bytes.Split(buffer[:n], []byte{'\n'})
		parts[0] = append(begun, parts[0]...)
		for _, line := range parts[:len(parts)-1] {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		begun = bytes.Clone(parts[len(parts)-1])
	}
	if len(bytes.TrimSpace(begun)) > 0 {
		lines++
	}
	return lines, nil
}
