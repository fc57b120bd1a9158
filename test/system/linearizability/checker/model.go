package main

import (
	"fmt"
	"reflect"

	"github.com/anishathalye/porcupine"
)

// follows returns true if a step can come next, and the stock after it.
//
// The outcome must be that of the specification, unless it is open. The changes must be those that the service has
// recorded for the step: the last one has the recorded version, or there are none.
func follows(s state, e step) (bool, state) {
	result, next := s.apply(e)
	var made int64
	if next.version != s.version {
		made = next.version
	}
	return made == e.Made && (e.isOpen() || reflect.DeepEqual(result, e.Outcome)), next
}

// model is the Porcupine model of the stock.
func model(start initial) porcupine.Model {
	return porcupine.Model{
		Init: func() any {
			return state{version: start.Version, pets: start.Pets, others: start.Others}
		},
		Step: func(s, input, _ any) (bool, any) {
			return follows(s.(state), input.(step))
		},
		DescribeOperation: func(input, _ any) string {
			e := input.(step)
			return fmt.Sprintf("%v → %v", e, e.result())
		},
		DescribeState: func(s any) string { return s.(state).String() },
	}
}

// operations converts a history to Porcupine operations.
//
// A step with an open outcome is left out if the service has recorded no change for it: it was not made, or was
// refused. Otherwise it was made at any time after its call, and before it was settled, if it was.
func operations(steps []step) []porcupine.Operation {
	var all []porcupine.Operation
	var end int64
	for _, e := range steps {
		end = max(end, e.Call, e.Return)
	}
	for _, e := range steps {
		op := porcupine.Operation{ClientId: e.Client, Input: e, Call: e.Call, Return: e.Return}
		if e.isOpen() {
			// The service records no change for a confirmed hold. If it was not confirmed, the step can come last.
			if e.Made == 0 && e.Op != "confirm" {
				continue
			}
			op.Return = end + 1
			if e.Settled != 0 && e.Made != 0 {
				op.Return = e.Settled
			}
		}
		all = append(all, op)
	}
	return all
}
