package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// at returns an operation with its times and outcome. Its recorded changes are those of the outcome.
func at(call, ret int64, e step, result outcome) step {
	e.Call, e.Return, e.Outcome = call, ret, result
	if e.Op == "set" || e.Op == "adjust" {
		if result.Kind == "item" {
			e.Made = result.Version
		}
	}
	if count := len(result.Items); count > 0 {
		e.Made = result.Items[count-1].Version
	}
	return e
}

// made returns a step for which the service has recorded changes up to a version.
func made(version int64, e step) step {
	e.Made = version
	return e
}

// settled returns a step that was made before a time, or never.
func settled(by int64, e step) step {
	e.Settled = by
	return e
}

func number(n int64) *int64 { return &n }

func changed(quantity, version int64) outcome {
	return outcome{Kind: "item", Quantity: quantity, Version: version}
}

func listed(version int64, quantities ...int64) outcome {
	return outcome{Kind: "list", Version: version, Quantities: [petCount]int64(quantities), Others: 5}
}

func listedOthers(others int64, list outcome) outcome {
	list.Others = others
	return list
}

func ordered(kind string, id int64) outcome {
	return outcome{Kind: kind, OrderID: id, Pet: 1, Quantity: 4}
}

var (
	start = initial{
		Version: 3,
		Pets:    [petCount]item{{10, 1}, {20, 2}, {30, 3}},
		Others:  others{Count: 100, Quantity: 5},
	}

	list  = step{Op: "list"}
	get   = step{Op: "get", Pet: 1}
	add   = step{Op: "adjust", Pet: 1, Delta: 5}
	take  = step{Op: "adjust", Pet: 1, Delta: -12}
	set   = step{Op: "set", Pet: 2, Quantity: 7}
	batch = step{Op: "batch", Updates: []update{{Pet: 3, Quantity: 1}, {Pet: 1, Quantity: 2}}}
	move  = step{Op: "transfer", Updates: []update{{Pet: 1, Quantity: -4}, {Pet: 3, Quantity: 4}}}
	put   = step{Op: "import", Updates: []update{{Pet: 1, Quantity: 8}, {Pet: 2, Quantity: 9}}, Others: number(6)}
	place = step{Op: "place", Pet: 1, Quantity: 4}

	unknown  = outcome{Kind: "unknown"}
	expired  = outcome{Kind: "expired"}
	imported = outcome{Kind: "imported"}
	batched  = outcome{Kind: "items", Items: []item{{1, 4}, {2, 5}}}
)

// holding returns a step that puts a hold, or replaces it.
func holding(number int, items ...[2]int64) step {
	e := step{Op: "hold", Hold: number}
	for _, item := range items {
		e.Updates = append(e.Updates, update{Pet: int(item[0]), Quantity: item[1]})
	}
	return e
}

func onHold(op string) step { return step{Op: op, Hold: 1} }

func held(state string, orders int64, items ...[2]int64) outcome {
	return outcome{Kind: "held", State: state, Orders: orders, Held: items}
}

func cancel(id int64) step {
	return step{Op: "cancel", Pet: 1, Quantity: 4, OrderID: id}
}

func TestHistories(t *testing.T) {
	ifFirst := set
	ifFirst.ExpectedVersion = number(2)
	ifTwenty := set
	ifTwenty.ExpectedQuantity = number(20)
	ifBoth := step{Op: "batch", Updates: []update{
		{Pet: 1, Quantity: 1, conditions: conditions{ExpectedVersion: number(1)}},
		{Pet: 2, Quantity: 2, conditions: conditions{ExpectedQuantity: number(20)}},
	}}

	for name, c := range map[string]struct {
		history []step
		want    bool
	}{
		"one after the other": {[]step{
			at(1, 2, add, changed(15, 4)), at(3, 4, take, changed(3, 5)), at(5, 6, get, changed(3, 5)),
		}, true},
		"a hold takes the difference": {[]step{
			made(5, at(1, 2, holding(1, [2]int64{3, 2}, [2]int64{1, 4}), held("active", 0, [2]int64{3, 2}, [2]int64{1, 4}))),
			made(7, at(3, 4, holding(1, [2]int64{1, 9}), held("active", 0, [2]int64{1, 9}))),
			at(5, 6, list, listed(7, 1, 20, 30)),
		}, true},
		"a hold becomes orders once": {[]step{
			made(4, at(1, 2, holding(1, [2]int64{1, 4}), held("active", 0, [2]int64{1, 4}))),
			at(3, 9, onHold("confirm"), held("confirmed", 1, [2]int64{1, 4})),
			at(4, 5, onHold("confirm"), held("confirmed", 1, [2]int64{1, 4})),
			at(6, 7, onHold("release"), outcome{Kind: "hold_ended"}),
		}, true},
		"a released hold is not confirmed": {[]step{
			made(4, at(1, 2, holding(1, [2]int64{1, 4}), held("active", 0, [2]int64{1, 4}))),
			made(5, at(3, 4, onHold("release"), held("released", 0, [2]int64{1, 4}))),
			at(5, 6, onHold("confirm"), held("confirmed", 1, [2]int64{1, 4})),
		}, false},
		"a hold is not released twice": {[]step{
			made(4, at(1, 2, holding(1, [2]int64{1, 4}), held("active", 0, [2]int64{1, 4}))),
			made(5, at(3, 4, onHold("release"), held("released", 0, [2]int64{1, 4}))),
			made(6, at(5, 6, onHold("release"), held("released", 0, [2]int64{1, 4}))),
		}, false},
		"an unknown confirmation happens or not": {[]step{
			made(4, at(1, 2, holding(1, [2]int64{1, 4}), held("active", 0, [2]int64{1, 4}))),
			at(3, 4, onHold("confirm"), unknown),
			at(5, 6, onHold("look"), held("active", 0, [2]int64{1, 4})),
			at(7, 8, onHold("look"), held("confirmed", 1, [2]int64{1, 4})),
		}, true},
		"a hold of too many units": {[]step{
			at(1, 2, holding(1, [2]int64{2, 1}, [2]int64{1, 11}),
				outcome{Kind: "batch_refused", Refusals: []refusal{{Index: 1, Kind: "too_small", Quantity: 10}}}),
			at(3, 4, onHold("look"), outcome{Kind: "no_hold"}),
		}, true},
		"a stale read": {[]step{
			at(1, 2, add, changed(15, 4)), at(3, 4, get, changed(10, 1)),
		}, false},
		"a read concurrent with the change sees it or not": {[]step{
			at(1, 9, add, changed(15, 4)), at(2, 3, get, changed(10, 1)), at(4, 5, get, changed(15, 4)),
		}, true},
		"a change is not undone": {[]step{
			at(1, 9, add, changed(15, 4)), at(2, 3, get, changed(15, 4)), at(4, 5, get, changed(10, 1)),
		}, false},
		"a lost adjustment": {[]step{
			at(1, 9, add, changed(15, 4)), at(1, 9, add, changed(15, 5)),
		}, false},
		"a list of two times": {[]step{
			at(1, 2, add, changed(15, 4)), at(3, 4, set, changed(7, 5)), at(1, 5, list, listed(5, 10, 7, 30)),
		}, false},
		"a list between two changes": {[]step{
			at(1, 2, add, changed(15, 4)), at(3, 4, set, changed(7, 5)), at(1, 5, list, listed(4, 15, 20, 30)),
		}, true},
		"two conditional changes on one version": {[]step{
			at(1, 9, ifFirst, changed(7, 4)), at(1, 9, ifFirst, changed(7, 5)),
		}, false},
		"the second of them is refused": {[]step{
			at(1, 9, ifFirst, changed(7, 4)),
			at(1, 9, ifFirst, outcome{Kind: "version_mismatch", Version: 4}),
			at(1, 9, ifTwenty, outcome{Kind: "quantity_mismatch", Quantity: 7}),
		}, true},
		"refused without a cause": {[]step{
			at(1, 2, ifFirst, outcome{Kind: "version_mismatch", Version: 4}),
		}, false},
		"too little is not taken": {[]step{
			at(1, 2, take, outcome{Kind: "too_small", Quantity: 10}), at(3, 4, get, changed(10, 1)),
		}, true},
		"an unknown change was made, and is seen late": {[]step{
			made(4, at(1, 2, add, unknown)), at(3, 4, get, changed(10, 1)), at(5, 6, get, changed(15, 4)),
		}, true},
		"an unknown change was never made": {[]step{
			at(1, 2, add, unknown), at(3, 4, set, changed(7, 4)), at(5, 6, list, listed(4, 10, 7, 30)),
		}, true},
		"an unknown change was made between two others": {[]step{
			made(5, at(1, 2, add, unknown)), at(3, 4, set, changed(7, 4)), at(5, 6, set, changed(7, 6)),
		}, true},
		"an unknown change was made twice": {[]step{
			made(4, at(1, 2, add, unknown)), at(3, 4, get, changed(20, 5)),
		}, false},
		"an unknown change was made, and not recorded": {[]step{
			at(1, 2, add, unknown), at(3, 4, get, changed(15, 4)),
		}, false},
		"an unknown change was made before it was requested": {[]step{
			at(1, 2, get, changed(15, 4)), made(4, at(3, 4, add, unknown)),
		}, false},
		"an unknown change that had to be refused was recorded": {[]step{
			made(4, at(1, 2, take, unknown)), at(3, 4, get, changed(10, 1)),
		}, false},
		"an acknowledged change is recorded as another version": {[]step{
			made(5, at(1, 2, add, changed(15, 4))),
		}, false},
		"a refused change is recorded": {[]step{
			made(4, at(1, 2, take, outcome{Kind: "too_small", Quantity: 10})),
		}, false},
		"an expired change was made before it was settled": {[]step{
			settled(4, made(4, at(1, 2, add, expired))), at(3, 4, get, changed(15, 4)),
		}, true},
		"an expired change was made after it was settled": {[]step{
			settled(4, made(4, at(1, 2, add, expired))), at(5, 6, get, changed(10, 1)),
		}, false},
		"a batch changes all pets at once": {[]step{
			at(1, 4, batch, batched), at(2, 3, list, listed(5, 2, 20, 1)),
		}, true},
		"a list between the changes of a batch": {[]step{
			at(1, 4, batch, batched), at(2, 3, list, listed(4, 10, 20, 1)),
		}, false},
		"a batch with a refused update changes nothing": {[]step{
			at(1, 2, set, changed(7, 4)),
			at(3, 4, ifBoth, outcome{Kind: "batch_refused", Refusals: []refusal{
				{Index: 1, Kind: "quantity_mismatch", Quantity: 7},
			}}),
			at(5, 6, list, listed(4, 10, 7, 30)),
		}, true},
		"a refused batch changes a pet": {[]step{
			at(1, 2, set, changed(7, 4)),
			at(3, 4, ifBoth, outcome{Kind: "batch_refused", Refusals: []refusal{
				{Index: 1, Kind: "quantity_mismatch", Quantity: 7},
			}}),
			at(5, 6, get, changed(1, 5)),
		}, false},
		"a transfer moves units at once": {[]step{
			at(1, 4, move, outcome{Kind: "items", Items: []item{{6, 4}, {34, 5}}}), at(2, 3, list, listed(5, 6, 20, 34)),
		}, true},
		"a list has only one side of a transfer": {[]step{
			at(1, 4, move, outcome{Kind: "items", Items: []item{{6, 4}, {34, 5}}}), at(2, 3, list, listed(4, 6, 20, 30)),
		}, false},
		"a transfer of too many units changes nothing": {[]step{
			at(1, 2, take, outcome{Kind: "too_small", Quantity: 10}),
			at(3, 4, step{Op: "adjust", Pet: 1, Delta: -7}, changed(3, 4)),
			at(5, 6, move, outcome{Kind: "batch_refused", Refusals: []refusal{{Index: 0, Kind: "too_small", Quantity: 3}}}),
			at(7, 8, list, listed(4, 3, 20, 30)),
		}, true},
		"a transfer of too many units is made": {[]step{
			at(3, 4, step{Op: "adjust", Pet: 1, Delta: -7}, changed(3, 4)),
			at(5, 6, move, outcome{Kind: "items", Items: []item{{-1, 5}, {34, 6}}}),
		}, false},
		"a message of an import changes all pets at once": {[]step{
			made(105, at(1, 4, put, imported)), at(2, 3, list, listedOthers(6, listed(105, 8, 9, 30))),
		}, true},
		"a list within a message of an import": {[]step{
			made(105, at(1, 4, put, imported)), at(2, 3, list, listedOthers(6, listed(104, 8, 20, 30))),
		}, false},
		"a message of an import is applied twice": {[]step{
			made(105, at(1, 4, put, imported)), at(5, 6, set, changed(7, 106)),
			at(7, 8, step{Op: "get", Pet: 2}, changed(9, 208)),
		}, false},
		"an order takes its quantity, and gives it back": {[]step{
			made(4, at(1, 2, place, ordered("placed", 1))), at(3, 4, get, changed(6, 4)),
			made(5, at(5, 6, cancel(1), ordered("cancelled", 1))), at(7, 8, get, changed(10, 5)),
			at(9, 10, cancel(1), ordered("cancelled", 1)), at(11, 12, get, changed(10, 5)),
		}, true},
		"an order takes nothing": {[]step{
			made(4, at(1, 2, place, ordered("placed", 1))), at(3, 4, get, changed(10, 4)),
		}, false},
		"an order is given back twice": {[]step{
			made(4, at(1, 2, place, ordered("placed", 1))),
			made(5, at(3, 9, cancel(1), ordered("cancelled", 1))),
			made(6, at(3, 9, cancel(1), ordered("cancelled", 1))),
		}, false},
		"two orders have the same id": {[]step{
			made(4, at(1, 2, place, ordered("placed", 1))), made(5, at(3, 4, place, ordered("placed", 1))),
		}, false},
		"a version that nobody made": {[]step{
			at(1, 2, add, changed(15, 5)),
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := porcupine.CheckOperations(model(start), operations(c.history))
			if got != c.want {
				t.Errorf("linearizable: %v, want %v", got, c.want)
			}
		})
	}
}
