package inventory

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	mathrand "math/rand/v2"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
)

type retryPolicy struct {
	timeout        time.Duration
	attemptTimeout time.Duration
	maxRetries     int
}

const (
	firstBackoff   = 250 * time.Millisecond
	longestBackoff = 8 * time.Second
)

// backoff returns a random time up to a bound that doubles with every retry, so that clients do not retry at the same
// moment ("full jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
func backoff(retry int) time.Duration {
	bound := min(longestBackoff, firstBackoff<<min(retry, 10))
	return mathrand.N(bound)
}

// retryDelay returns the time until a retry, and false if the call must not be repeated. A call is repeatable if a
// second execution changes nothing: it reads, or has an idempotency key.
func (e *Error) retryDelay(repeatable bool, retry int) (time.Duration, bool) {
	if e.final {
		return 0, false
	}
	transient := e.isLostConnection() || e.Reason != "" && (e.asked ||
		e.Code == connect.CodeUnavailable ||
		e.Code == connect.CodeDeadlineExceeded ||
		// An earlier attempt whose response was lost still runs.
		e.Reason == IdempotencyKeyInUse)
	refused := e.Reason == ServerOverloaded || e.Reason != "" && e.Code == connect.CodeResourceExhausted
	return e.RetryAfter + backoff(retry), transient && (repeatable || refused)
}

// retryInterceptor repeats calls as long as that can help and changes nothing twice.
type retryInterceptor struct {
	policy retryPolicy
}

func (r *retryInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		if _, limited := ctx.Deadline(); !limited {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, r.policy.timeout)
			defer cancel()
		}
		repeatable, mayHaveChanged := makeRepeatable(request), false
		for retry := 0; ; retry++ {
			response, err := r.attempt(ctx, request, next)
			if err == nil {
				return response, nil
			}
			failure := AsError(err)
			delay, ok := failure.retryDelay(repeatable, retry)
			if !ok || retry >= r.policy.maxRetries || !sleep(ctx, delay) {
				if mayHaveChanged {
					failure = failure.afterUncertainAttempt()
				}
				return nil, failure
			}
			mayHaveChanged = mayHaveChanged || !reads(request) && failure.isUncertain()
		}
	}
}

func (r *retryInterceptor) attempt(
	ctx context.Context,
	request connect.AnyRequest,
	next connect.UnaryFunc,
) (connect.AnyResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, r.policy.attemptTimeout)
	defer cancel()
	return next(ctx, request)
}

func (r *retryInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (r *retryInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// makeRepeatable adds an idempotency key to a write that takes one and has none. It reports whether the request can be
// repeated. The key is in the header, because the message belongs to the caller.
func makeRepeatable(request connect.AnyRequest) bool {
	message, ok := request.Any().(proto.Message)
	if !ok {
		return false
	}
	fields := message.ProtoReflect().Descriptor().Fields()
	field := fields.ByName("idempotency_key")
	if field == nil {
		// The id of a hold works like an idempotency key.
		return reads(request) || fields.ByName("hold_id") != nil
	}
	const header = "Idempotency-Key"
	if !message.ProtoReflect().Has(field) && request.Header().Get(header) == "" {
		var random [16]byte
		_, _ = rand.Read(random[:]) // It never returns an error.
		request.Header().Set(header, hex.EncodeToString(random[:]))
	}
	return true
}

func reads(request connect.AnyRequest) bool {
	return request.Spec().IdempotencyLevel == connect.IdempotencyNoSideEffects
}

// sleep waits. It reports whether the context outlasts the wait, and does not wait if it cannot.
func sleep(ctx context.Context, delay time.Duration) bool {
	if end, limited := ctx.Deadline(); limited && time.Until(end) <= delay {
		return false
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
