// Counts the lines of all files below a directory that are not empty. It makes sure of every parent of every file, and reads
// through a small buffer: what --advise is to say. See ../corrected for how it is done well.
package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	lines := 0
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		panic(err)
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return fmt.Errorf("%s is no directory: %w", dir, err)
			}
		}
		n, err := count(path)
		lines += n
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(lines)
}

func count(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	reader, lines := bufio.NewReaderSize(file, 1024), 0
	for {
		line, err := reader.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			lines++
		}
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
