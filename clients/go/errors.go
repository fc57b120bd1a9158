package inventory

import (
	"errors"
	"maps"
	"net/http"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// Reason says why the service refused a call. A newer service can send reasons that this version does not list.
//
// Reasons are errors, so that programs can compare them: errors.Is(err, inventory.PetNotFound).
type Reason string

func (r Reason) Error() string { return string(r) }

// Error is the error of every failed call, except for streams: see AsError.
type Error struct {
	// Code is the code of the RPC.
	Code connect.Code
	// Reason is why the service refused the call. It is empty if the error is not from the service: a lost connection,
	// a timeout of the client, or an error of a proxy.
	Reason Reason
	// Message is human-readable.
	Message string
	// Metadata has more about the reason, such as the petId of PetNotFound.
	Metadata map[string]string
	// FieldViolations are the invalid fields of FieldInvalid.
	FieldViolations []*errdetails.BadRequest_FieldViolation
	// RetryAfter is the time after which the service asks for a retry; 0 if it does not ask for one.
	RetryAfter time.Duration
	// RequestID identifies the request in the log of the service.
	RequestID string

	asked bool // The service asks for a retry.
	final bool // The service asks the client not to retry.
	cause error
}

func (e *Error) Error() string {
	if e.Reason == "" {
		return e.Code.String() + ": " + e.Message
	}
	return string(e.Reason) + ": " + e.Message
}

// Unwrap returns the *connect.Error.
func (e *Error) Unwrap() error { return e.cause }

// Is compares the error with a Reason.
func (e *Error) Is(target error) bool {
	reason, ok := target.(Reason)
	return ok && e.Reason == reason
}

// AsError converts an error of a call to an *Error. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var already *Error
	if errors.As(err, &already) {
		return already
	}
	result := &Error{Code: connect.CodeOf(err), Message: err.Error(), cause: err}
	var failure *connect.Error
	if !errors.As(err, &failure) {
		return result
	}
	result.Message = failure.Message()
	result.RequestID = failure.Meta().Get("X-Request-Id")
	result.readDetails(failure)
	result.readHeaders(failure.Meta())
	return result
}

func (e *Error) readDetails(failure *connect.Error) {
	for _, detail := range failure.Details() {
		value, err := detail.Value()
		if err != nil {
			continue // A detail of a newer service.
		}
		switch value := value.(type) {
		case *errdetails.ErrorInfo:
			if value.GetDomain() == "inventory" {
				e.Reason = Reason(value.GetReason())
				e.Metadata = value.GetMetadata()
			}
		case *errdetails.BadRequest:
			e.FieldViolations = value.GetFieldViolations()
		case *errdetails.RetryInfo:
			e.asked = true
			e.RetryAfter = value.GetRetryDelay().AsDuration()
		}
	}
}

func (e *Error) readHeaders(header http.Header) {
	if pushback := header.Get("Grpc-Retry-Pushback-Ms"); pushback != "" {
		ms, err := strconv.Atoi(pushback)
		e.asked = err == nil && ms >= 0
		e.final = !e.asked
		e.RetryAfter = max(0, time.Duration(ms)*time.Millisecond)
		return
	}
	if after := header.Get("Retry-After"); after != "" && !e.asked {
		if seconds, err := strconv.Atoi(after); err == nil && seconds >= 0 {
			e.asked, e.RetryAfter = true, time.Duration(seconds)*time.Second
		} else if at, err := http.ParseTime(after); err == nil {
			e.asked, e.RetryAfter = true, max(0, time.Until(at))
		}
	}
}

// isLostConnection reports whether an error is from the network or a proxy. Every error of the service has a reason.
func (e *Error) isLostConnection() bool {
	return e.Reason == "" && e.isUncertain()
}

// isUncertain reports whether the service may have made a change, although the call failed.
func (e *Error) isUncertain() bool {
	if outcome := e.Metadata[changeOutcome]; outcome != "" {
		return outcome == "unknown"
	}
	if e.Reason == IdempotencyKeyInUse {
		return true
	}
	switch e.Code {
	case connect.CodeUnavailable, connect.CodeUnknown, connect.CodeInternal, connect.CodeCanceled,
		connect.CodeDeadlineExceeded:
		return e.Reason != ServerOverloaded
	}
	return false
}

const changeOutcome = "changeOutcome"

// afterUncertainAttempt adds to the last error of a write that an earlier attempt may have made the change.
func (e *Error) afterUncertainAttempt() *Error {
	switch e.Code {
	case connect.CodeInvalidArgument, connect.CodeNotFound, connect.CodeAlreadyExists,
		connect.CodeFailedPrecondition, connect.CodeAborted:
		// The service looks for an earlier attempt before it refuses with these codes, or it refused that attempt, too.
		if e.Reason != "" && !e.isUncertain() {
			return e
		}
	}
	changed := *e
	changed.Message += " An earlier attempt may have made the change."
	changed.Metadata = map[string]string{}
	maps.Copy(changed.Metadata, e.Metadata)
	changed.Metadata[changeOutcome] = "unknown"
	return &changed
}
