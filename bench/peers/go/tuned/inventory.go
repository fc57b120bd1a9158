package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	inventoryv1 "inventory-gateway/gen/inventory/v1"
)

// The limits of every account.
const (
	perMinute = 1_000_000
	perDay    = 1_000_000_000
)

// How long a key record is cached at most. Redis reports a change of the record at once.
const keyCacheTime = 10 * time.Minute

var (
	errNoKey    = status.Error(codes.Unauthenticated, "no such key")
	errLimited  = status.Error(codes.ResourceExhausted, "too many requests")
	errArgument = status.Error(codes.InvalidArgument, "pet_id must be at least 1, and quantity at least 0")
	errNoPet    = status.Error(codes.NotFound, "no such pet")
	errNoStore  = status.Error(codes.Unavailable, "no store")
	errBadItems = status.Error(codes.Internal, "stored items are malformed")
)

// What is left of the minute of an account.
type limits struct {
	remaining    int64
	resetSeconds int64
}

// Returns the values of both headers.
func (l limits) values() (remaining, reset []string) {
	texts := []string{strconv.FormatInt(l.remaining, 10), strconv.FormatInt(l.resetSeconds, 10)}
	return texts[0:1:1], texts[1:2:2]
}

// The methods of the service for all protocols.
type inventory struct {
	redis rueidis.Client
	batch *batcher
	lists *listCache
}

func newInventory(client rueidis.Client) *inventory {
	return &inventory{redis: client, batch: newBatcher(client), lists: &listCache{redis: client}}
}

func (i *inventory) list(authorization string) (*list, limits, error) {
	c := call{}
	limits, err := i.admit(authorization, &c)
	if err != nil {
		return nil, limits, err
	}
	version, err := c.result.ToString()
	if err != nil {
		return nil, limits, errBadItems
	}
	list, err := i.lists.atVersion(version)
	return list, limits, err
}

func (i *inventory) update(authorization string, petID int64, quantity *int32) (*inventoryv1.InventoryItem, limits, error) {
	if petID < 1 || quantity == nil || *quantity < 0 {
		return nil, limits{}, errArgument
	}
	c := call{pet: strconv.FormatInt(petID, 10), quantity: strconv.FormatInt(int64(*quantity), 10)}
	limits, err := i.admit(authorization, &c)
	if err != nil {
		return nil, limits, err
	}
	word, err := c.result.ToString()
	if err != nil {
		return nil, limits, errNoPet
	}
	return &inventoryv1.InventoryItem{PetId: petID, Quantity: quantity, Status: statusOf(word)}, limits, nil
}

// Looks up the account of a bearer key, and runs the call for it.
func (i *inventory) admit(authorization string, c *call) (limits, error) {
	secret, found := strings.CutPrefix(authorization, "Bearer ")
	if !found {
		return limits{}, errNoKey
	}
	hash := sha256.Sum256([]byte(secret))
	read := i.redis.B().Get().Key("peer:key:" + hex.EncodeToString(hash[:])).Cache()
	account, err := i.redis.DoCache(context.Background(), read, keyCacheTime).ToString()
	if rueidis.IsRedisNil(err) {
		return limits{}, errNoKey
	}
	if err != nil {
		return limits{}, errNoStore
	}
	now := time.Now().Unix()
	c.minuteKey = "peer:tuned:minute:" + strconv.FormatInt(now/60, 10) + ":" + account
	c.dayKey = "peer:tuned:day:" + strconv.FormatInt(now/86_400, 10) + ":" + account
	if i.batch.run(c) != nil {
		return limits{}, errNoStore
	}
	if c.result.IsInt64() {
		return limits{}, errLimited
	}
	return limits{remaining: perMinute - c.minute, resetSeconds: 60 - now%60}, nil
}
