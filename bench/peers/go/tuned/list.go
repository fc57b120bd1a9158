package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/rueidis"
	"google.golang.org/protobuf/proto"

	inventoryv1 "inventory-gateway/gen/inventory/v1"
)

// Hash of all items: pet id to `<quantity>,<status>`. The field `version` counts their changes.
const itemsKey = "peer:tuned:items"

// The stock at one version, and its bytes in both protocols.
type list struct {
	version string
	message *inventoryv1.ListInventoryResponse
	binary  []byte
	json    []byte
	// The value of Content-Length for json.
	length []string
}

// Keeps the last list.
type listCache struct {
	redis   rueidis.Client
	last    atomic.Pointer[list]
	reading sync.Mutex
}

// Returns the list of a version, or a later one. Reads it from Redis unless it is the last list.
func (c *listCache) atVersion(version string) (*list, error) {
	if last := c.last.Load(); last != nil && last.version == version {
		return last, nil
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	if last := c.last.Load(); last != nil && last.version == version {
		return last, nil
	}
	stored, err := c.redis.Do(context.Background(), c.redis.B().Hgetall().Key(itemsKey).Build()).AsStrMap()
	if err != nil {
		return nil, errNoStore
	}
	read, err := newList(stored)
	if err != nil {
		return nil, errBadItems
	}
	c.last.Store(read)
	return read, nil
}

func newList(stored map[string]string) (*list, error) {
	version := stored["version"]
	delete(stored, "version")
	items := make([]*inventoryv1.InventoryItem, 0, len(stored))
	for petID, item := range stored {
		id, err := strconv.ParseInt(petID, 10, 64)
		if err != nil {
			return nil, err
		}
		text, word, _ := strings.Cut(item, ",")
		parsed, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, err
		}
		quantity := int32(parsed)
		items = append(items, &inventoryv1.InventoryItem{PetId: id, Quantity: &quantity, Status: statusOf(word)})
	}
	slices.SortFunc(items, func(a, b *inventoryv1.InventoryItem) int { return int(a.PetId - b.PetId) })
	message := &inventoryv1.ListInventoryResponse{Items: items}
	binary, err := proto.Marshal(message)
	json := appendList(nil, items)
	return &list{version, message, binary, json, []string{strconv.Itoa(len(json))}}, err
}

func appendList(json []byte, items []*inventoryv1.InventoryItem) []byte {
	json = append(json, '[')
	for index, item := range items {
		if index > 0 {
			json = append(json, ',')
		}
		json = appendItem(json, item)
	}
	return append(json, ']')
}

func appendItem(json []byte, item *inventoryv1.InventoryItem) []byte {
	json = append(json, `{"petId":`...)
	json = strconv.AppendInt(json, item.GetPetId(), 10)
	json = append(json, `,"quantity":`...)
	json = strconv.AppendInt(json, int64(item.GetQuantity()), 10)
	json = append(json, `,"status":"`...)
	json = append(json, words[item.GetStatus()]...)
	return append(json, `"}`...)
}

// The statuses in Redis and JSON, by their numbers.
var words = []string{"unspecified", "available", "pending", "sold"}

func statusOf(word string) inventoryv1.PetStatus {
	return inventoryv1.PetStatus(max(0, slices.Index(words, word)))
}
