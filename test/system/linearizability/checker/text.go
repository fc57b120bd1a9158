package main

import (
	"fmt"
	"strings"
)

func (e step) String() string {
	text := e.Op
	if e.Pet != 0 {
		text += fmt.Sprintf(" %d", e.Pet)
	}
	if e.Hold != 0 {
		text += fmt.Sprintf(" %d", e.Hold)
	}
	switch e.Op {
	case "set":
		text += fmt.Sprintf(" to %d", e.Quantity)
	case "adjust":
		text += fmt.Sprintf(" by %+d", e.Delta)
	case "place":
		text += fmt.Sprintf(": %d", e.Quantity)
	case "cancel":
		text += fmt.Sprintf(": %d of order %d", e.Quantity, e.OrderID)
	}
	text += e.conditions.String()
	form := " %d to %d%v"
	if e.Op == "transfer" {
		form = " %d by %+d%v"
	}
	var updates []string
	for _, u := range e.Updates {
		updates = append(updates, fmt.Sprintf(form, u.Pet, u.Quantity, u.conditions))
	}
	text += strings.Join(updates, ",")
	if e.Others != nil {
		text += fmt.Sprintf(", others to %d", *e.Others)
	}
	return text
}

func (c conditions) String() string {
	text := ""
	if c.ExpectedVersion != nil {
		text += fmt.Sprintf(" if version %d", *c.ExpectedVersion)
	}
	if c.ExpectedQuantity != nil {
		text += fmt.Sprintf(" if quantity %d", *c.ExpectedQuantity)
	}
	return text
}

// result describes the outcome and the recorded changes.
func (e step) result() string {
	text := e.Outcome.String()
	if e.Made != 0 {
		text += fmt.Sprintf(" (recorded @%d)", e.Made)
	}
	return text
}

func (o outcome) String() string {
	switch o.Kind {
	case "item":
		return fmt.Sprintf("%d @%d", o.Quantity, o.Version)
	case "items":
		var texts []string
		for _, i := range o.Items {
			texts = append(texts, fmt.Sprintf("%d @%d", i.Quantity, i.Version))
		}
		return strings.Join(texts, ", ")
	case "list":
		return fmt.Sprintf("%v, others %d @%d", o.Quantities, o.Others, o.Version)
	case "placed", "cancelled":
		return fmt.Sprintf("%s: order %d, %d of pet %d", o.Kind, o.OrderID, o.Quantity, o.Pet)
	case "held":
		return fmt.Sprintf("%s: %v, %d orders", o.State, o.Held, o.Orders)
	case "version_mismatch":
		return fmt.Sprintf("refused: version is %d", o.Version)
	case "quantity_mismatch", "too_small":
		return fmt.Sprintf("refused: quantity is %d", o.Quantity)
	case "batch_refused":
		return fmt.Sprintf("refused: %+v", o.Refusals)
	default:
		return o.Kind
	}
}

func (s state) String() string {
	text := fmt.Sprintf("version %d:", s.version)
	for i, pet := range s.pets {
		text += fmt.Sprintf(" pet %d %d @%d", i+1, pet.Quantity, pet.Version)
	}
	return text + fmt.Sprintf(", others %d, %d orders", s.others.Quantity, s.orders)
}
