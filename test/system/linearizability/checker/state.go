package main

import "math"

// maxQuantity is the largest quantity of a pet.
const maxQuantity = math.MaxInt32

// maxOrders is the most orders that a history can have.
const maxOrders = 4096

// state is the whole stock. It is one object, because a list reads all of it atomically, batches, transfers and imports
// change several pets atomically, and all changes share one version counter.
type state struct {
	version int64
	pets    [petCount]item
	others  others
	// orders is the number of orders. Their ids are 1 to orders.
	orders int64
	// cancelled has a bit for each order.
	cancelled [maxOrders / 64]uint64
	// holds has holdSize bytes for each hold: its state, and pet and quantity of each item. It is text, so that states
	// can be compared and share it.
	holds string
}

// holdSize is the number of bytes of a hold.
const holdSize = 1 + 2*petCount

// The states of a hold. A hold that was never put has none.
const (
	noHold = iota
	active
	confirmed
	released
)

var holdStates = [...]string{active: "active", confirmed: "confirmed", released: "released"}

// hold is one hold. Its items keep the order of the request, in which the pets change.
type hold struct {
	state byte
	items [][2]int64
}

// apply is the sequential specification: the outcome of a step, and the stock after it.
func (s state) apply(e step) (outcome, state) {
	switch e.Op {
	case "list":
		result := outcome{Kind: "list", Version: s.version, Others: s.others.Quantity}
		for i, pet := range s.pets {
			result.Quantities[i] = pet.Quantity
		}
		return result, s
	case "get":
		pet := s.pets[e.Pet-1]
		return outcome{Kind: "item", Quantity: pet.Quantity, Version: pet.Version}, s
	case "batch", "transfer":
		return s.batch(e)
	case "count":
		return s.count(e)
	case "import":
		s.put(e)
		return outcome{Kind: "imported"}, s
	case "place":
		return s.place(e)
	case "cancel":
		return s.cancel(e)
	case "hold":
		return s.hold(e)
	case "confirm":
		return s.confirm(e)
	case "release":
		return s.release(e)
	case "look":
		h := s.holdOf(e.Hold)
		if h.state == noHold {
			return outcome{Kind: "no_hold"}, s
		}
		return h.outcome(), s
	default:
		return s.change(e)
	}
}

// change sets or adjusts the quantity of one pet.
func (s state) change(e step) (outcome, state) {
	pet := s.pets[e.Pet-1]
	quantity := e.Quantity
	if e.Op == "adjust" {
		quantity = pet.Quantity + e.Delta
	}
	if r, refused := e.refuse(pet); refused {
		return outcome{Kind: r.Kind, Version: r.Version, Quantity: r.Quantity}, s
	}
	switch {
	case quantity < 0:
		return outcome{Kind: "too_small", Quantity: pet.Quantity}, s
	case quantity > maxQuantity:
		return outcome{Kind: "too_large", Quantity: pet.Quantity}, s
	}
	s.write(e.Pet, quantity)
	return outcome{Kind: "item", Quantity: quantity, Version: s.version}, s
}

// batch sets the quantities of several pets, or adds to them: all or none.
func (s state) batch(e step) (outcome, state) {
	var refusals []refusal
	after := func(u update) int64 {
		if e.Op == "transfer" {
			return s.pets[u.Pet-1].Quantity + u.Quantity
		}
		return u.Quantity
	}
	for i, u := range e.Updates {
		pet := s.pets[u.Pet-1]
		r, refused := u.refuse(pet)
		if !refused && after(u) < 0 {
			r, refused = refusal{Kind: "too_small", Quantity: pet.Quantity}, true
		}
		if refused {
			r.Index = i
			refusals = append(refusals, r)
		}
	}
	if refusals != nil {
		return outcome{Kind: "batch_refused", Refusals: refusals}, s
	}
	result := outcome{Kind: "items"}
	for _, u := range e.Updates {
		s.write(u.Pet, after(u))
		result.Items = append(result.Items, s.pets[u.Pet-1])
	}
	return result, s
}

// count sets the quantities of several pets to what was counted, without the held units: all or none.
func (s state) count(e step) (outcome, state) {
	var refusals []refusal
	for i, u := range e.Updates {
		held := s.held(u.Pet)
		shelf := item{Quantity: s.pets[u.Pet-1].Quantity + held}
		r, refused := u.refuse(shelf)
		if !refused && u.Quantity < held {
			r, refused = refusal{Kind: "below_held", Quantity: held}, true
		}
		if refused {
			r.Index = i
			refusals = append(refusals, r)
		}
	}
	if refusals != nil {
		return outcome{Kind: "batch_refused", Refusals: refusals}, s
	}
	result := outcome{Kind: "items"}
	for _, u := range e.Updates {
		s.write(u.Pet, u.Quantity-s.held(u.Pet))
		result.Items = append(result.Items, s.pets[u.Pet-1])
	}
	return result, s
}

// held returns the number of units of a pet in active holds.
func (s state) held(pet int) int64 {
	var units int64
	for number := 1; number <= len(s.holds)/holdSize; number++ {
		h := s.holdOf(number)
		for _, item := range h.items {
			if h.state == active && item[0] == int64(pet) {
				units += item[1]
			}
		}
	}
	return units
}

// put sets the quantities of one message of an import, in which all other pets follow the first update.
func (s *state) put(e step) {
	for i, u := range e.Updates {
		s.write(u.Pet, u.Quantity)
		if i == 0 && e.Others != nil {
			s.others.Quantity = *e.Others
			s.version += s.others.Count
		}
	}
}

// place takes the quantity of an order out of the stock.
func (s state) place(e step) (outcome, state) {
	quantity := s.pets[e.Pet-1].Quantity
	if quantity < e.Quantity {
		return outcome{Kind: "too_small", Quantity: quantity}, s
	}
	s.write(e.Pet, quantity-e.Quantity)
	s.orders++
	return outcome{Kind: "placed", OrderID: s.orders, Pet: e.Pet, Quantity: e.Quantity}, s
}

// cancel puts the quantity of an order back into the stock, once.
func (s state) cancel(e step) (outcome, state) {
	if e.OrderID > s.orders {
		return outcome{Kind: "no_order"}, s
	}
	word, bit := e.OrderID/64, uint64(1)<<(e.OrderID%64)
	if s.cancelled[word]&bit == 0 {
		s.cancelled[word] |= bit
		s.write(e.Pet, s.pets[e.Pet-1].Quantity+e.Quantity)
	}
	return outcome{Kind: "cancelled", OrderID: e.OrderID, Pet: e.Pet, Quantity: e.Quantity}, s
}

// hold takes the units of a hold out of the stock: the difference to what an active hold has.
func (s state) hold(e step) (outcome, state) {
	before := s.holdOf(e.Hold)
	if before.state == confirmed {
		return outcome{Kind: "hold_ended"}, s
	}
	// The pets of the request come first, then those that the hold does not want any more.
	after := hold{state: active}
	var pets []int64
	deltas := map[int64]int64{}
	for _, u := range e.Updates {
		pet := int64(u.Pet)
		after.items = append(after.items, [2]int64{pet, u.Quantity})
		pets = append(pets, pet)
		deltas[pet] = u.Quantity
	}
	if before.state == active {
		for _, item := range before.items {
			if _, known := deltas[item[0]]; !known {
				pets = append(pets, item[0])
			}
			deltas[item[0]] -= item[1]
		}
	}
	var refusals []refusal
	for i, u := range e.Updates {
		if quantity := s.pets[u.Pet-1].Quantity; quantity < deltas[int64(u.Pet)] {
			refusals = append(refusals, refusal{Index: i, Kind: "too_small", Quantity: quantity})
		}
	}
	if refusals != nil {
		return outcome{Kind: "batch_refused", Refusals: refusals}, s
	}
	for _, pet := range pets {
		if delta := deltas[pet]; delta != 0 {
			s.write(int(pet), s.pets[pet-1].Quantity-delta)
		}
	}
	s.setHold(e.Hold, after)
	return after.outcome(), s
}

// confirm places an order for each item of an active hold. The stock does not change.
func (s state) confirm(e step) (outcome, state) {
	h := s.holdOf(e.Hold)
	switch h.state {
	case noHold:
		return outcome{Kind: "no_hold"}, s
	case released:
		return outcome{Kind: "hold_ended"}, s
	}
	h.state = confirmed
	s.setHold(e.Hold, h)
	return h.outcome(), s
}

// release puts the units of an active hold back into the stock.
func (s state) release(e step) (outcome, state) {
	h := s.holdOf(e.Hold)
	switch h.state {
	case noHold:
		return outcome{Kind: "no_hold"}, s
	case confirmed:
		return outcome{Kind: "hold_ended"}, s
	case active:
		for _, item := range h.items {
			s.write(int(item[0]), s.pets[item[0]-1].Quantity+item[1])
		}
	}
	h.state = released
	s.setHold(e.Hold, h)
	return h.outcome(), s
}

func (s state) holdOf(number int) hold {
	var h hold
	at := (number - 1) * holdSize
	if at >= len(s.holds) {
		return h
	}
	h.state = s.holds[at]
	for i := at + 1; i < at+holdSize && s.holds[i] != 0; i += 2 {
		h.items = append(h.items, [2]int64{int64(s.holds[i]), int64(s.holds[i+1])})
	}
	return h
}

func (s *state) setHold(number int, h hold) {
	at := (number - 1) * holdSize
	all := make([]byte, max(len(s.holds), at+holdSize))
	copy(all, s.holds)
	clear(all[at : at+holdSize])
	all[at] = h.state
	for i, item := range h.items {
		all[at+1+2*i], all[at+2+2*i] = byte(item[0]), byte(item[1])
	}
	s.holds = string(all)
}

func (h hold) outcome() outcome {
	result := outcome{Kind: "held", State: holdStates[h.state], Held: h.items}
	if h.state == confirmed {
		result.Orders = int64(len(h.items))
	}
	return result
}

func (s *state) write(pet int, quantity int64) {
	s.version++
	s.pets[pet-1] = item{Quantity: quantity, Version: s.version}
}

// refuse returns the reason why the conditions refuse a pet, and true if they do.
func (c conditions) refuse(pet item) (refusal, bool) {
	switch {
	case c.ExpectedVersion != nil && *c.ExpectedVersion != pet.Version:
		return refusal{Kind: "version_mismatch", Version: pet.Version}, true
	case c.ExpectedQuantity != nil && *c.ExpectedQuantity != pet.Quantity:
		return refusal{Kind: "quantity_mismatch", Quantity: pet.Quantity}, true
	}
	return refusal{}, false
}
