package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// leadingUp is the number of explained operations in the picture.
const leadingUp = 12

// offence is the part of a history that no order explains.
type offence struct {
	model porcupine.Model
	// before is the stock before the last explained operations; now is the stock after them.
	before, now state
	explained   []porcupine.Operation
	// stuck has the operations of which one must be next, but none can be.
	stuck []porcupine.Operation
}

// identity identifies a step: the messages of an import have the same reference, but different versions.
type identity struct {
	reference string
	made      int64
}

func (e step) identity() identity {
	return identity{e.Reference, e.Made}
}

// offending finds the end of the longest explained prefix of a history.
func offending(m porcupine.Model, ops []porcupine.Operation, info porcupine.LinearizationInfo) offence {
	var longest []porcupine.Operation
	for _, each := range info.PartialLinearizationsOperations()[0] {
		if len(each) > len(longest) {
			longest = each
		}
	}
	from := max(0, len(longest)-leadingUp)
	part := offence{model: m, explained: longest[from:]}
	part.before = replay(m, m.Init().(state), longest[:from])
	part.now = replay(m, part.before, part.explained)

	done := map[identity]bool{}
	for _, op := range longest {
		done[op.Input.(step).identity()] = true
	}
	rest := slices.DeleteFunc(slices.Clone(ops), func(op porcupine.Operation) bool {
		return done[op.Input.(step).identity()]
	})
	first := int64(math.MaxInt64)
	for _, op := range rest {
		first = min(first, op.Return)
	}
	for _, op := range rest {
		if op.Call <= first {
			part.stuck = append(part.stuck, op)
		}
	}
	return part
}

func replay(m porcupine.Model, s state, ops []porcupine.Operation) state {
	for _, op := range ops {
		_, next := m.Step(s, op.Input, op.Output)
		s = next.(state)
	}
	return s
}

func (o offence) describe() string {
	var text strings.Builder
	fmt.Fprintln(&text, "the last operations that an order explains:")
	for _, op := range o.explained[max(0, len(o.explained)-5):] {
		fmt.Fprintf(&text, "  %s\n", line(op))
	}
	fmt.Fprintf(&text, "the stock after them:\n  %v\none of these operations must be next, but none has a possible outcome:\n", o.now)
	for _, op := range o.stuck {
		fmt.Fprintf(&text, "  %s\n", line(op))
	}
	return text.String()
}

func line(op porcupine.Operation) string {
	e := op.Input.(step)
	return fmt.Sprintf("%-8s %-8s %v → %v", e.Reference, e.Protocol, e, e.result())
}

// draw writes a picture of this part only, because a whole history would be too large to read.
func (o offence) draw(path string) error {
	part := o.model
	part.Init = func() any { return o.before }
	_, info := porcupine.CheckOperationsVerbose(part, slices.Concat(o.explained, o.stuck), 0)
	return porcupine.VisualizePath(part, info, path)
}
