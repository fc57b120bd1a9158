// Checks whether a recorded history of the stock is linearizable.
//
// Exit status: 0 it is, 1 it is not, 2 that could not be told.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

func main() {
	html := flag.String("html", "", "where to draw a history that is not linearizable")
	timeout := flag.Duration("timeout", 3*time.Minute, "how long to search")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: checker [-html file] [-timeout duration] history.jsonl")
		os.Exit(2)
	}
	linearizable, err := run(flag.Arg(0), *html, *timeout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case !linearizable:
		os.Exit(1)
	}
}

func run(path, html string, timeout time.Duration) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	start, entries, err := readHistory(file)
	if err != nil {
		return false, err
	}

	begun := time.Now()
	m, ops := model(start, entries), operations(entries)
	result, info := porcupine.CheckOperationsVerbose(m, ops, timeout)
	took := time.Since(begun).Round(time.Millisecond)
	switch result {
	case porcupine.Ok:
		fmt.Printf("OK: %d operations are linearizable, %d changes among them whose answer was lost (%v)\n",
			len(entries), observe(start, entries).lost(), took)
		return true, nil
	case porcupine.Unknown:
		return false, fmt.Errorf("no result within %v for %s", timeout, path)
	}
	fmt.Printf("NOT LINEARIZABLE: %d operations (%v)\n", len(entries), took)
	part := offending(m, ops, info)
	fmt.Print(part.describe())
	if html != "" {
		if err := part.draw(html); err != nil {
			return false, err
		}
		fmt.Printf("picture: %s\n", html)
	}
	fmt.Printf("history: %s\n", path)
	return false, nil
}
