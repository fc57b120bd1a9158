package main

import (
	"context"
	_ "embed"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/redis/rueidis"
)

// The most requests of one script call, which blocks Redis.
const mostRequests = 64

//go:embed batch.lua
var batchLua string

var batchScript = rueidis.NewLuaScript(batchLua)

var (
	perMinuteText = strconv.Itoa(perMinute)
	perDayText    = strconv.Itoa(perDay)
)

// A request that waits for its script call, and what batch.lua replies to it.
type call struct {
	minuteKey, dayKey string
	pet, quantity     string

	minute int64
	result rueidis.RedisMessage
	err    error
	done   chan struct{}
}

// Sends requests that come at the same time in one script call.
type batcher struct {
	redis   rueidis.Client
	mutex   sync.Mutex
	waiting []*call
	wake    chan struct{}
}

func newBatcher(client rueidis.Client) *batcher {
	b := &batcher{redis: client, wake: make(chan struct{}, 1)}
	go b.sendAll()
	return b
}

// Sends a call together with others, and waits for its reply.
func (b *batcher) run(c *call) error {
	c.done = make(chan struct{})
	b.mutex.Lock()
	b.waiting = append(b.waiting, c)
	first := len(b.waiting) == 1
	b.mutex.Unlock()
	if first {
		b.wake <- struct{}{}
	}
	<-c.done
	return c.err
}

func (b *batcher) sendAll() {
	for range b.wake {
		// Every goroutine that can run now adds its call before this one goes on.
		runtime.Gosched()
		b.mutex.Lock()
		calls := b.waiting
		b.waiting = nil
		b.mutex.Unlock()
		for some := range slices.Chunk(calls, mostRequests) {
			go b.send(some)
		}
	}
}

func (b *batcher) send(calls []*call) {
	keys := make([]string, 1, 1+2*len(calls))
	args := make([]string, 2, 2+2*len(calls))
	keys[0], args[0], args[1] = itemsKey, perMinuteText, perDayText
	for _, c := range calls {
		keys = append(keys, c.minuteKey, c.dayKey)
		args = append(args, c.pet, c.quantity)
	}
	replies, err := batchScript.Exec(context.Background(), b.redis, keys, args).ToArray()
	for index, c := range calls {
		if err == nil {
			c.minute, err = replies[2*index].AsInt64()
			c.result = replies[2*index+1]
		}
		c.err = err
		close(c.done)
	}
}
