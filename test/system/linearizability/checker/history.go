package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// petCount is the number of pets in a history. Their ids are 1 to petCount.
const petCount = 3

// item is the stock entry of a pet.
type item struct {
	Quantity int64 `json:"quantity"`
	Version  int64 `json:"version"`
}

// others is the stock of all other pets, which change only together.
type others struct {
	Count    int64 `json:"count"`
	Quantity int64 `json:"quantity"`
}

// initial is the stock before the first step.
type initial struct {
	Version int64          `json:"version"`
	Pets    [petCount]item `json:"pets"`
	Others  others         `json:"others"`
}

// conditions are the preconditions of a change.
type conditions struct {
	ExpectedVersion  *int64 `json:"expectedVersion"`
	ExpectedQuantity *int64 `json:"expectedQuantity"`
}

// update sets the quantity of one of several pets. In a transfer, the quantity is the amount to add. In a count, it is
// what was counted, and the expected quantity is what is on hand.
type update struct {
	conditions
	Pet      int   `json:"pet"`
	Quantity int64 `json:"quantity"`
}

// refusal is the reason why one update of a batch or a transfer was refused.
type refusal struct {
	Index    int    `json:"index"`
	Kind     string `json:"kind"`
	Version  int64  `json:"version"`
	Quantity int64  `json:"quantity"`
}

// outcome is the result of a step, as its client received it.
type outcome struct {
	Kind       string          `json:"kind"`
	OrderID    int64           `json:"orderId"`
	Pet        int             `json:"pet"`
	Quantity   int64           `json:"quantity"`
	Version    int64           `json:"version"`
	Quantities [petCount]int64 `json:"quantities"`
	Others     int64           `json:"others"`
	Items      []item          `json:"items"`
	Refusals   []refusal       `json:"refusals"`
	State      string          `json:"state"`
	Held       [][2]int64      `json:"held"`
	Orders     int64           `json:"orders"`
}

// step is an atomic step: an operation, or one message of an import. The JSON names are those of ../recorded.ts.
type step struct {
	conditions
	Client    int      `json:"client"`
	Protocol  string   `json:"protocol"`
	Reference string   `json:"reference"`
	Op        string   `json:"op"`
	Pet       int      `json:"pet"`
	Quantity  int64    `json:"quantity"`
	Delta     int64    `json:"delta"`
	OrderID   int64    `json:"orderId"`
	Hold      int      `json:"hold"`
	Updates   []update `json:"updates"`
	Others    *int64   `json:"others"`
	Call      int64    `json:"call"`
	Return    int64    `json:"return"`
	Settled   int64    `json:"settled"`
	Made      int64    `json:"made"`
	Outcome   outcome  `json:"outcome"`
}

// readHistory reads JSON lines: the initial stock, then the steps.
func readHistory(r io.Reader) (initial, []step, error) {
	var start initial
	var steps []step
	decoder := json.NewDecoder(bufio.NewReader(r))
	if err := decoder.Decode(&start); err != nil {
		return start, nil, fmt.Errorf("reading the initial stock: %w", err)
	}
	for {
		var e step
		err := decoder.Decode(&e)
		if err == io.EOF {
			return start, steps, nil
		}
		if err == nil {
			err = e.validate()
		}
		if err != nil {
			return start, nil, fmt.Errorf("reading step %d: %w", len(steps)+1, err)
		}
		steps = append(steps, e)
	}
}

// validate returns an error if the model does not have a pet or order of a step.
func (e step) validate() error {
	pets := []int{e.Pet}
	switch e.Op {
	case "list":
		return nil
	case "confirm", "release", "look":
		if e.Hold < 1 {
			return fmt.Errorf("there is no hold %d", e.Hold)
		}
		return nil
	case "cancel":
		if e.OrderID >= maxOrders {
			return fmt.Errorf("order %d is too many", e.OrderID)
		}
	case "batch", "transfer", "count", "import", "hold":
		pets = nil
		for _, u := range e.Updates {
			pets = append(pets, u.Pet)
		}
	}
	for _, pet := range pets {
		if pet < 1 || pet > petCount {
			return fmt.Errorf("there is no pet %d", pet)
		}
	}
	return nil
}

// isOpen returns true if the client does not know whether the step was made.
func (e step) isOpen() bool {
	return e.Outcome.Kind == "unknown" || e.Outcome.Kind == "expired"
}
