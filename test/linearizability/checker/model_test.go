package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// at gives an operation its times and its outcome.
func at(call, ret int64, e entry, told outcome) entry {
	e.Call, e.Return, e.Outcome = call, ret, told
	return e
}

func number(n int64) *int64 { return &n }

func told(quantity, version int64) outcome {
	return outcome{Kind: "item", Quantity: quantity, Version: version}
}

func listed(version int64, quantities ...int64) outcome {
	return outcome{Kind: "list", Version: version, Quantities: [petCount]int64(quantities)}
}

var (
	start = initial{Version: 3, Pets: [petCount]item{{10, 1}, {20, 2}, {30, 3}}}

	list    = entry{Op: "list"}
	get     = entry{Op: "get", Pet: 1}
	add     = entry{Op: "adjust", Pet: 1, Delta: 5}
	take    = entry{Op: "adjust", Pet: 1, Delta: -12}
	set     = entry{Op: "set", Pet: 2, Quantity: 7}
	unknown = outcome{Kind: "unknown"}
)

func TestHistories(t *testing.T) {
	ifFirst := set
	ifFirst.ExpectedVersion = number(2)
	ifTwenty := set
	ifTwenty.ExpectedQuantity = number(20)

	for name, c := range map[string]struct {
		history []entry
		want    bool
	}{
		"one after the other": {[]entry{
			at(1, 2, add, told(15, 4)), at(3, 4, take, told(3, 5)), at(5, 6, get, told(3, 5)),
		}, true},
		"a stale read": {[]entry{
			at(1, 2, add, told(15, 4)), at(3, 4, get, told(10, 1)),
		}, false},
		"a read beside the change sees it or not": {[]entry{
			at(1, 9, add, told(15, 4)), at(2, 3, get, told(10, 1)), at(4, 5, get, told(15, 4)),
		}, true},
		"a change is not undone": {[]entry{
			at(1, 9, add, told(15, 4)), at(2, 3, get, told(15, 4)), at(4, 5, get, told(10, 1)),
		}, false},
		"a lost adjustment": {[]entry{
			at(1, 9, add, told(15, 4)), at(1, 9, add, told(15, 5)),
		}, false},
		"a list of two times": {[]entry{
			at(1, 2, add, told(15, 4)), at(3, 4, set, told(7, 5)), at(1, 5, list, listed(5, 10, 7, 30)),
		}, false},
		"a list between two changes": {[]entry{
			at(1, 2, add, told(15, 4)), at(3, 4, set, told(7, 5)), at(1, 5, list, listed(4, 15, 20, 30)),
		}, true},
		"two conditional changes on one version": {[]entry{
			at(1, 9, ifFirst, told(7, 4)), at(1, 9, ifFirst, told(7, 5)),
		}, false},
		"the second of them is refused": {[]entry{
			at(1, 9, ifFirst, told(7, 4)),
			at(1, 9, ifFirst, outcome{Kind: "version_mismatch", Version: 4}),
			at(1, 9, ifTwenty, outcome{Kind: "quantity_mismatch", Quantity: 7}),
		}, true},
		"refused without a cause": {[]entry{
			at(1, 2, ifFirst, outcome{Kind: "version_mismatch", Version: 4}),
		}, false},
		"too little is not taken": {[]entry{
			at(1, 2, take, outcome{Kind: "too_small", Quantity: 10}), at(3, 4, get, told(10, 1)),
		}, true},
		"an unknown change was made, and is seen late": {[]entry{
			at(1, 2, add, unknown), at(3, 4, get, told(10, 1)), at(5, 6, get, told(15, 4)),
		}, true},
		"an unknown change was never made": {[]entry{
			at(1, 2, add, unknown), at(3, 4, set, told(7, 4)), at(5, 6, list, listed(4, 10, 7, 30)),
		}, true},
		"an unknown change was made between two others": {[]entry{
			at(1, 2, add, unknown), at(3, 4, set, told(7, 4)), at(5, 6, set, told(7, 6)),
		}, true},
		"an unknown change was made twice": {[]entry{
			at(1, 2, add, unknown), at(3, 4, get, told(20, 5)),
		}, false},
		"an unknown change was made before it was asked for": {[]entry{
			at(1, 2, get, told(15, 4)), at(3, 4, add, unknown),
		}, false},
		"an unknown change that was to be refused": {[]entry{
			at(1, 2, take, unknown), at(3, 4, get, told(10, 1)),
		}, true},
		"a version that nobody made": {[]entry{
			at(1, 2, add, told(15, 5)),
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := porcupine.CheckOperations(model(start, c.history), operations(c.history))
			if got != c.want {
				t.Errorf("linearizable: %v, want %v", got, c.want)
			}
		})
	}
}
