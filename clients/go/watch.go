package inventory

import (
	"context"
	"errors"
	"iter"
	"time"

	"connectrpc.com/connect"

	inventoryv1 "inventory.example/client/gen/inventory/v1"
)

// WatchEvent is what a watch sends: a part of the stock, ready, or a change. Heartbeats are not events.
type WatchEvent struct {
	// Message has the event.
	Message *inventoryv1.WatchInventoryResponse
	// Reset says that the whole stock follows: discard your copy before you apply this event.
	Reset bool
	// ResumeToken continues the watch later, if you save it with your copy. It is empty until the whole stock has
	// arrived.
	ResumeToken string
}

// WatchOptions are the options of Watch. The zero value has the defaults.
type WatchOptions struct {
	// ResumeToken continues after the event that had this token.
	ResumeToken string
	// IdleTimeout is the time without an event or a heartbeat after which the client reconnects. The default is 45 s.
	IdleTimeout time.Duration
	// OnDisconnect is called after each lost connection, before the client reconnects.
	OnDisconnect func(*Error)
}

// Watch returns the whole stock, then every change once and in order, over as many connections as that takes. It ends
// without an error when the context is done. It ends with an error if reconnecting cannot help, such as after the key
// was revoked.
func (c *Client) Watch(ctx context.Context, options WatchOptions) iter.Seq2[WatchEvent, error] {
	if options.IdleTimeout == 0 {
		options.IdleTimeout = 45 * time.Second
	}
	return func(yield func(WatchEvent, error) bool) {
		token, failures := options.ResumeToken, 0
		for ctx.Err() == nil {
			reset, left := token == "", false
			err := c.watchOnce(ctx, token, options.IdleTimeout, func(message *inventoryv1.WatchInventoryResponse) bool {
				failures = 0
				if next := message.GetResumeToken(); next != "" {
					token = next
				}
				if message.GetEvent() == nil || message.GetHeartbeat() != nil {
					return true
				}
				left = !yield(WatchEvent{message, reset, token}, nil)
				reset = false
				return !left
			})
			if left || ctx.Err() != nil {
				return
			}
			failure := AsError(err)
			if failure.Reason == WatchExpired {
				token = ""
			} else if !failure.canReconnect() {
				yield(WatchEvent{}, failure)
				return
			}
			if options.OnDisconnect != nil {
				options.OnDisconnect(failure)
			}
			if !sleep(ctx, failure.RetryAfter+backoff(failures)) {
				return
			}
			failures++
		}
	}
}

var errWatchEnded = connect.NewError(connect.CodeUnavailable, errors.New("the watch ended"))

// watchOnce reads one connection until it ends or receive returns false.
func (c *Client) watchOnce(
	ctx context.Context,
	token string,
	idle time.Duration,
	receive func(*inventoryv1.WatchInventoryResponse) bool,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(idle, cancel)
	defer timer.Stop()
	stream, err := c.Inventory.WatchInventory(ctx, &inventoryv1.WatchInventoryRequest{ResumeToken: token})
	if err != nil {
		return err
	}
	defer stream.Close()
	defer cancel() // Before Close, which reads the rest of the stream.
	for stream.Receive() {
		timer.Stop()
		if !receive(stream.Msg()) {
			return nil
		}
		timer.Reset(idle)
	}
	if err := stream.Err(); err != nil {
		return err
	}
	return errWatchEnded
}

func (e *Error) canReconnect() bool {
	return e.isLostConnection() || e.Reason == WatchTooSlow || e.Code == connect.CodeUnavailable || e.asked
}
