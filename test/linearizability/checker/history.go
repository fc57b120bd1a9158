package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// petCount is how many pets a history is about: 1 to petCount.
const petCount = 3

// item is a pet's entry of the stock.
type item struct {
	Quantity int64 `json:"quantity"`
	Version  int64 `json:"version"`
}

// initial is how the stock was before the first operation.
type initial struct {
	Version int64          `json:"version"`
	Pets    [petCount]item `json:"pets"`
}

// outcome is what a client was told of an operation.
type outcome struct {
	Kind       string          `json:"kind"`
	Quantity   int64           `json:"quantity"`
	Version    int64           `json:"version"`
	Quantities [petCount]int64 `json:"quantities"`
}

// entry is an operation of the history. Its names are those of ../history.ts.
type entry struct {
	Client           int     `json:"client"`
	Protocol         string  `json:"protocol"`
	Reference        string  `json:"reference"`
	Op               string  `json:"op"`
	Pet              int     `json:"pet"`
	Quantity         int64   `json:"quantity"`
	Delta            int64   `json:"delta"`
	ExpectedVersion  *int64  `json:"expectedVersion"`
	ExpectedQuantity *int64  `json:"expectedQuantity"`
	Call             int64   `json:"call"`
	Return           int64   `json:"return"`
	Outcome          outcome `json:"outcome"`
}

// readHistory reads JSON lines: how the stock was, then the operations.
func readHistory(r io.Reader) (initial, []entry, error) {
	var start initial
	var entries []entry
	decoder := json.NewDecoder(bufio.NewReader(r))
	if err := decoder.Decode(&start); err != nil {
		return start, nil, fmt.Errorf("reading how the stock was: %w", err)
	}
	for {
		var e entry
		err := decoder.Decode(&e)
		if err == io.EOF {
			return start, entries, nil
		}
		if err != nil {
			return start, nil, fmt.Errorf("reading operation %d: %w", len(entries)+1, err)
		}
		isList := e.Op == "list"
		if !isList && (e.Pet < 1 || e.Pet > petCount) {
			return start, nil, fmt.Errorf("operation %d is about pet %d", len(entries)+1, e.Pet)
		}
		entries = append(entries, e)
	}
}

// isWrite tells whether an operation would change something.
func (e entry) isWrite() bool {
	return e.Op == "set" || e.Op == "adjust"
}

func (e entry) String() string {
	text := e.Op
	if e.Op != "list" {
		text = fmt.Sprintf("%s %d", e.Op, e.Pet)
	}
	switch e.Op {
	case "set":
		text += fmt.Sprintf(" to %d", e.Quantity)
	case "adjust":
		text += fmt.Sprintf(" by %+d", e.Delta)
	}
	if e.ExpectedVersion != nil {
		text += fmt.Sprintf(" if version %d", *e.ExpectedVersion)
	}
	if e.ExpectedQuantity != nil {
		text += fmt.Sprintf(" if quantity %d", *e.ExpectedQuantity)
	}
	return text
}

func (o outcome) String() string {
	switch o.Kind {
	case "item":
		return fmt.Sprintf("%d @%d", o.Quantity, o.Version)
	case "list":
		return fmt.Sprintf("%v @%d", o.Quantities, o.Version)
	case "version_mismatch":
		return fmt.Sprintf("refused: version is %d", o.Version)
	case "quantity_mismatch", "too_small":
		return fmt.Sprintf("refused: quantity is %d", o.Quantity)
	default:
		return o.Kind
	}
}
