// case: a settings file is written whole, synced and renamed for each changed setting
// first: settings.json
// first: rename|rewritten|replaced|sync|whole
// useful: settings.json|sync
// saves: calls
package main

import (
	"encoding/json"
	"os"
)

func save(settings map[int]string) {
	data, _ := json.Marshal(settings)
	f, err := os.Create("settings.json.new")
	if err != nil {
		panic(err)
	}
	f.Write(data)
	f.Sync()
	f.Close()
	if err := os.Rename("settings.json.new", "settings.json"); err != nil {
		panic(err)
	}
}

func main() {
	corrected := len(os.Args) > 1 && os.Args[1] == "corrected"
	settings := map[int]string{}
	for i := 0; i < 200; i++ {
		settings[i] = "a value of some length"
		if !corrected {
			save(settings)
		}
	}
	if corrected {
		save(settings)
	}
}
