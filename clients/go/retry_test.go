package inventory

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
)

var codes = map[string]connect.Code{
	"ABORTED":             connect.CodeAborted,
	"CANCELLED":           connect.CodeCanceled,
	"DEADLINE_EXCEEDED":   connect.CodeDeadlineExceeded,
	"FAILED_PRECONDITION": connect.CodeFailedPrecondition,
	"INTERNAL":            connect.CodeInternal,
	"INVALID_ARGUMENT":    connect.CodeInvalidArgument,
	"PERMISSION_DENIED":   connect.CodePermissionDenied,
	"RESOURCE_EXHAUSTED":  connect.CodeResourceExhausted,
	"UNAUTHENTICATED":     connect.CodeUnauthenticated,
	"UNAVAILABLE":         connect.CodeUnavailable,
	"UNIMPLEMENTED":       connect.CodeUnimplemented,
	"UNKNOWN":             connect.CodeUnknown,
}

// The rules are in a file that the tests of all clients read.
func TestRetryDelay(t *testing.T) {
	table, err := os.ReadFile("../retry-cases.tsv")
	if err != nil {
		t.Skip("the rules are only in the repository: ", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		t.Run(line, func(t *testing.T) {
			columns := strings.Split(line, "\t")
			code, ok := codes[columns[1]]
			if !ok {
				t.Fatalf("unknown code %s", columns[1])
			}
			failure := &Error{Code: code, Reason: Reason(strings.Trim(columns[0], "-"))}
			if columns[2] == "never" {
				failure.final = true
			} else if columns[2] != "-" {
				ms, err := strconv.Atoi(columns[2])
				if err != nil {
					t.Fatal(err)
				}
				failure.asked, failure.RetryAfter = true, time.Duration(ms)*time.Millisecond
			}
			delay, repeated := failure.retryDelay(columns[3] == "yes", 0)
			if repeated != (columns[4] == "yes") {
				t.Errorf("repeated is %t", repeated)
			}
			if repeated && (delay < failure.RetryAfter || delay > failure.RetryAfter+firstBackoff) {
				t.Errorf("the delay is %s", delay)
			}
		})
	}
}

func TestBackoffIsBounded(t *testing.T) {
	for range 100 {
		if delay := backoff(20); delay > longestBackoff {
			t.Errorf("the delay is %s", delay)
		}
	}
}
