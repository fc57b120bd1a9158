package inventory

import (
	"context"
	"time"

	storev1 "inventory.example/client/gen/store/v1"
)

// releaseTimeout is the time for a release. The caller waits for it, and the units return at the end of the hold anyway.
const releaseTimeout = 5 * time.Second

// HoldNotConfirmedError is the error of WithHold when the function has succeeded, but its hold is not confirmed. If the
// reason is HoldEnded, the units are for sale again. After any other error they may be ordered: call ConfirmHold again,
// or read the hold.
type HoldNotConfirmedError struct {
	HoldID string
	Cause  *Error
}

func (e *HoldNotConfirmedError) Error() string {
	return "hold " + e.HoldID + " is not confirmed: " + e.Cause.Error()
}

// Unwrap returns the cause, so that errors.Is compares its reason.
func (e *HoldNotConfirmedError) Unwrap() error { return e.Cause }

// WithHold holds units, and calls a function. When the function returns nil, WithHold confirms the hold and returns it
// with its orders. When the function returns an error or panics, WithHold releases the hold and returns that error.
//
// The context cancels only the hold, and what the function does with it. A release or a confirmation is made even if the
// context is done.
func (c *Client) WithHold(
	ctx context.Context,
	request *storev1.PutHoldRequest,
	f func(context.Context, *storev1.Hold) error,
) (*storev1.Hold, error) {
	lasting := context.WithoutCancel(ctx)
	id := request.GetHoldId()
	put, err := c.Store.PutHold(ctx, request)
	// After a refusal, the account may still have the hold from before.
	keep := err != nil && !AsError(err).isUncertain()
	defer func() {
		if !keep {
			limited, cancel := context.WithTimeout(lasting, releaseTimeout)
			defer cancel()
			_, _ = c.Store.ReleaseHold(limited, &storev1.ReleaseHoldRequest{HoldId: id})
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := f(ctx, put.GetHold()); err != nil {
		return nil, err
	}
	keep = true
	confirmed, err := c.Store.ConfirmHold(lasting, &storev1.ConfirmHoldRequest{HoldId: id})
	if err != nil {
		return nil, &HoldNotConfirmedError{id, AsError(err)}
	}
	return confirmed.GetHold(), nil
}
