package main

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

// maxQuantity is the largest quantity of a pet.
const maxQuantity = math.MaxInt32

// state is the whole stock: one object, because a list reads all of it at once and all changes
// share one count of versions.
type state struct {
	version int64
	pets    [petCount]item
	// over: every operation whose outcome is known lies before.
	over bool
}

// apply is the sequential specification: what a single client is told, and how the stock is then.
func (s state) apply(e entry) (outcome, state) {
	if e.Op == "list" {
		told := outcome{Kind: "list", Version: s.version}
		for i, pet := range s.pets {
			told.Quantities[i] = pet.Quantity
		}
		return told, s
	}
	pet := &s.pets[e.Pet-1]
	quantity := pet.Quantity
	if e.isWrite() {
		switch e.Op {
		case "set":
			quantity = e.Quantity
		case "adjust":
			quantity += e.Delta
		}
		switch {
		case e.ExpectedVersion != nil && *e.ExpectedVersion != pet.Version:
			return outcome{Kind: "version_mismatch", Version: pet.Version}, s
		case e.ExpectedQuantity != nil && *e.ExpectedQuantity != pet.Quantity:
			return outcome{Kind: "quantity_mismatch", Quantity: pet.Quantity}, s
		case quantity < 0:
			return outcome{Kind: "too_small", Quantity: pet.Quantity}, s
		case quantity > maxQuantity:
			return outcome{Kind: "too_large", Quantity: pet.Quantity}, s
		}
		s.version++
		*pet = item{Quantity: quantity, Version: s.version}
	}
	return outcome{Kind: "item", Quantity: pet.Quantity, Version: pet.Version}, s
}

// step tells whether an operation with its outcome can come next, and how the stock is then.
//
// An operation whose outcome is unknown may have happened at any time since its call, or never. Never
// is the same as after all others, when nobody looks any more, and so is being refused. So before that
// it changes something, and makes a version that no acknowledged change makes.
func (seen observed) step(s state, e entry) (bool, state) {
	switch {
	case e.Op == "end":
		s.over = true
		return true, s
	case e.Outcome.Kind != "unknown":
		told, next := s.apply(e)
		return told == e.Outcome && seen.allows(next), next
	case s.over:
		return true, s
	}
	told, next := s.apply(e)
	_, taken := seen.acknowledged[next.version]
	return told.Kind == "item" && !taken && seen.allows(next), next
}

// model is the stock as Porcupine takes it.
func model(start initial, entries []entry) porcupine.Model {
	seen := observe(start, entries)
	return porcupine.Model{
		Init: func() any { return state{version: start.Version, pets: start.Pets} },
		Step: func(s, input, _ any) (bool, any) {
			return seen.step(s.(state), input.(entry))
		},
		DescribeOperation: func(input, _ any) string {
			e := input.(entry)
			return fmt.Sprintf("%v → %v", e, e.Outcome)
		},
		DescribeState: func(s any) string { return s.(state).String() },
	}
}

// operations makes Porcupine's operations of a history, with one more that ends it: of those whose
// outcome is unknown, the writes return after it and the reads are left out.
func operations(entries []entry) []porcupine.Operation {
	var all []porcupine.Operation
	var end int64
	for _, e := range entries {
		if e.Outcome.Kind != "unknown" {
			end = max(end, e.Return+1)
		}
		end = max(end, e.Call+1)
	}
	for _, e := range entries {
		op := porcupine.Operation{ClientId: e.Client, Input: e, Call: e.Call, Return: e.Return}
		if e.Outcome.Kind == "unknown" {
			if !e.isWrite() {
				continue
			}
			op.Return = end + 2
		}
		all = append(all, op)
	}
	last := entry{Op: "end", Outcome: outcome{Kind: "end"}}
	return append(all, porcupine.Operation{Input: last, Call: end, Return: end + 1})
}

func (s state) String() string {
	text := fmt.Sprintf("version %d:", s.version)
	for i, pet := range s.pets {
		text += fmt.Sprintf(" pet %d %d @%d", i+1, pet.Quantity, pet.Version)
	}
	return text
}
