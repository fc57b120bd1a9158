package main

// unseen stands for what nobody was told of.
const unseen = -1

// observed is what the outcomes of a history say of the stock at each version, whatever the order of
// the operations was. A search that keeps to it finds the same orders, without the dead ends.
type observed struct {
	start int64
	// at holds for each version from the first to the last that anybody was told of what the pets
	// were then; unseen where that is not known.
	at [][petCount]item
	// acknowledged holds the changes whose client was told, by the version that they made.
	acknowledged map[int64]entry
}

func observe(start initial, entries []entry) observed {
	last := start.Version
	acknowledged := map[int64]entry{}
	for _, e := range entries {
		last = max(last, e.Outcome.Version)
		if e.isWrite() && e.Outcome.Kind == "item" {
			acknowledged[e.Outcome.Version] = e
		}
	}
	seen := observed{start.Version, make([][petCount]item, last-start.Version+1), acknowledged}
	for i := range seen.at {
		for pet := range petCount {
			seen.at[i][pet] = item{unseen, unseen}
		}
	}
	seen.at[0] = start.Pets
	for _, e := range entries {
		seen.learn(e)
	}
	seen.spread()
	return seen
}

// learn notes what the outcome of an operation says.
func (seen observed) learn(e entry) {
	version := e.Outcome.Version
	switch e.Outcome.Kind {
	case "item":
		seen.note(version, e.Pet-1, item{e.Outcome.Quantity, version})
	case "version_mismatch":
		seen.note(version, e.Pet-1, item{unseen, version})
	case "list":
		for pet, quantity := range e.Outcome.Quantities {
			seen.note(version, pet, item{quantity, unseen})
		}
	}
	if !e.isWrite() || e.Outcome.Kind != "item" {
		return
	}
	before := item{unseen, unseen}
	if e.Op == "adjust" {
		before.Quantity = e.Outcome.Quantity - e.Delta
	}
	if e.ExpectedQuantity != nil {
		before.Quantity = *e.ExpectedQuantity
	}
	if e.ExpectedVersion != nil {
		before.Version = *e.ExpectedVersion
	}
	seen.note(version-1, e.Pet-1, before)
}

// spread notes that an acknowledged change left the other pets as they were.
func (seen observed) spread() {
	last := seen.start + int64(len(seen.at)) - 1
	between := func(version, from, to int64) {
		if e, ok := seen.acknowledged[version]; ok {
			for pet := range petCount {
				if pet != e.Pet-1 && from >= seen.start {
					seen.note(to, pet, seen.at[from-seen.start][pet])
				}
			}
		}
	}
	for version := last; version > seen.start; version-- {
		between(version, version, version-1)
	}
	for version := seen.start + 1; version <= last; version++ {
		between(version, version-1, version)
	}
}

func (seen observed) note(version int64, pet int, told item) {
	if version < seen.start {
		return
	}
	known := &seen.at[version-seen.start][pet]
	if told.Quantity != unseen {
		known.Quantity = told.Quantity
	}
	if told.Version != unseen {
		known.Version = told.Version
	}
}

// allows tells whether the stock can have been so, by all that was observed.
func (seen observed) allows(s state) bool {
	i := s.version - seen.start
	if i >= int64(len(seen.at)) {
		return false
	}
	for pet, known := range seen.at[i] {
		is := s.pets[pet]
		if known.Quantity != unseen && known.Quantity != is.Quantity ||
			known.Version != unseen && known.Version != is.Version {
			return false
		}
	}
	return true
}

// lost counts the changes that were made, as later versions tell, and that nobody was told of.
func (seen observed) lost() int {
	return len(seen.at) - 1 - len(seen.acknowledged)
}
