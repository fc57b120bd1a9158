// The checker checks whether a recorded history of the stock is linearizable.
//
// Exit status: 0 linearizable, 1 not linearizable, 2 error or timeout.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

func main() {
	html := flag.String("html", "", "output `file` for a picture of a history that is not linearizable")
	timeout := flag.Duration("timeout", 3*time.Minute, "time limit of the search")
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
	start, steps, err := readHistory(file)
	if err != nil {
		return false, err
	}

	begun := time.Now()
	m, ops := model(start), operations(steps)
	result, info := porcupine.CheckOperationsVerbose(m, ops, timeout)
	took := time.Since(begun).Round(time.Millisecond)
	switch result {
	case porcupine.Ok:
		fmt.Printf("OK: %d steps are linearizable (%v)\n", len(ops), took)
		return true, nil
	case porcupine.Unknown:
		return false, fmt.Errorf("no result within %v for %s", timeout, path)
	}
	fmt.Printf("NOT LINEARIZABLE: %d steps (%v)\n", len(ops), took)
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
