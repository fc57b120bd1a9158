package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// leadingUp is how many operations before the offending ones are shown.
const leadingUp = 12

// offence is the part of a history where no order explains what was observed.
type offence struct {
	model porcupine.Model
	// before is the stock ahead of the last explained operations; now is the stock after them.
	before, now state
	explained   []porcupine.Operation
	// stuck holds the operations of which one has to be next, and none can.
	stuck []porcupine.Operation
}

// offending finds where the longest explanation of a history ends.
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

	done := map[string]bool{}
	for _, op := range longest {
		done[op.Input.(entry).Reference] = true
	}
	rest := slices.DeleteFunc(slices.Clone(ops), func(op porcupine.Operation) bool {
		return done[op.Input.(entry).Reference]
	})
	first := int64(math.MaxInt64)
	for _, op := range rest {
		first = min(first, op.Return)
	}
	for _, op := range rest {
		if op.Call <= first && op.Input.(entry).Outcome.Kind != "unknown" {
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
	fmt.Fprintln(&text, "explained until:")
	for _, op := range o.explained[max(0, len(o.explained)-5):] {
		fmt.Fprintf(&text, "  %s\n", line(op))
	}
	fmt.Fprintf(&text, "then the stock is\n  %v\nand the next must be one of these, but can't be:\n", o.now)
	for _, op := range o.stuck {
		fmt.Fprintf(&text, "  %s\n", line(op))
	}
	return text.String()
}

func line(op porcupine.Operation) string {
	e := op.Input.(entry)
	return fmt.Sprintf("%-6s %-8s %v → %v", e.Reference, e.Protocol, e, e.Outcome)
}

// draw writes a picture of the part alone: a whole history would be too large to look at.
func (o offence) draw(path string) error {
	part := o.model
	part.Init = func() any { return o.before }
	_, info := porcupine.CheckOperationsVerbose(part, slices.Concat(o.explained, o.stuck), 0)
	return porcupine.VisualizePath(part, info, path)
}
