// Package clients calls a running inventory service with clients generated from its contract.
//
// The environment variables INVENTORY_* describe the service and its data. `npm run task clients`
// sets them.
package clients

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	inventoryv1 "inventory.example/clients/gen/inventory/v1"
	storev1 "inventory.example/clients/gen/store/v1"
)

func env(t testing.TB, name string) string {
	t.Helper()
	value, found := os.LookupEnv("INVENTORY_" + name)
	if !found {
		t.Fatalf("INVENTORY_%s is not set: run `npm run task clients`", name)
	}
	return value
}

func envInt(t testing.TB, name string) int64 {
	t.Helper()
	value, err := strconv.ParseInt(env(t, name), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// A well-formed id that does not exist.
const unknownPet = math.MaxInt64

type method[Q, A any] func(context.Context, *Q) (*A, error)

// api has the methods that the checks call.
type api struct {
	listInventory   method[inventoryv1.ListInventoryRequest, inventoryv1.ListInventoryResponse]
	updateInventory method[inventoryv1.UpdateInventoryRequest, inventoryv1.UpdateInventoryResponse]
	// watchInventory returns the error that ends the watch.
	watchInventory func(context.Context) error
	placeOrder     method[storev1.PlaceOrderRequest, storev1.PlaceOrderResponse]
}

// library hides the differences between connect-go and grpc-go.
type library struct {
	service func(t *testing.T, url string) api
	// with returns the context of a call with headers, given as names and values.
	with func(header ...string) context.Context
	// limits lists the account's orders and returns a lookup function for the response headers.
	limits func(t *testing.T, key string) func(name string) string
	read   func(error) refusal
}

func (l library) key(key string) context.Context {
	return l.with("authorization", "Bearer "+key)
}

func check(t *testing.T, l library) {
	service := l.service(t, env(t, "URL"))
	pet := envInt(t, "PET")
	key := env(t, "API_KEY")

	list := func(ctx context.Context) error {
		_, err := service.listInventory(ctx, &inventoryv1.ListInventoryRequest{})
		return err
	}
	update := func(ctx context.Context, pet int64, quantity int32) error {
		_, err := service.updateInventory(ctx, updateOf(pet, quantity))
		return err
	}

	t.Run("updates and lists an exact id", func(t *testing.T) {
		if err := update(l.key(key), pet, 11); err != nil {
			t.Fatal(err)
		}
		list, err := service.listInventory(l.key(key), &inventoryv1.ListInventoryRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.GetItems() {
			if item.GetPetId() == pet && item.GetQuantity() == 11 {
				return
			}
		}
		t.Fatalf("no pet %d with 11", pet)
	})

	t.Run("reads the limits", func(t *testing.T) {
		header := l.limits(t, key)
		for _, name := range limits {
			if header(name) == "" {
				t.Errorf("no %s", name)
			}
		}
		remaining, err := strconv.Atoi(header("x-ratelimit-remaining"))
		if err != nil || remaining <= 0 {
			t.Errorf("%d remaining, %v", remaining, err)
		}
	})

	t.Run("keeps a deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(l.key(key), 200*time.Millisecond)
		defer cancel()
		// A watch does not end by itself.
		if got := l.read(service.watchInventory(ctx)).code; got != codes.DeadlineExceeded {
			t.Errorf("code %v", got)
		}
	})

	updateWith := func(quantity int32, set func(*inventoryv1.UpdateInventoryRequest)) error {
		request := updateOf(pet, quantity)
		set(request)
		_, err := service.updateInventory(l.key(key), request)
		return err
	}
	calls := map[string]func() error{
		"KEY_MISSING":   func() error { return list(l.with()) },
		"FIELD_INVALID": func() error { return update(l.key(key), pet, -1) },
		"PET_NOT_FOUND": func() error { return update(l.key(key), unknownPet, 1) },
		"STOCK_TOO_SMALL": func() error {
			_, err := service.placeOrder(l.key(key), &storev1.PlaceOrderRequest{PetId: pet, Quantity: math.MaxInt32})
			return err
		},
		"VERSION_MISMATCH": func() error {
			return updateWith(1, func(r *inventoryv1.UpdateInventoryRequest) {
				r.ExpectedVersion = proto.Int64(math.MaxInt64)
			})
		},
		"MESSAGE_TOO_LARGE": func() error {
			return updateWith(1, func(r *inventoryv1.UpdateInventoryRequest) {
				r.Note = strings.Repeat("z", 100_000)
			})
		},
		"STORE_UNAVAILABLE": func() error {
			_, err := l.service(t, env(t, "DOWN_URL")).listInventory(l.key(key), &inventoryv1.ListInventoryRequest{})
			return err
		},
	}
	for _, want := range refusals {
		t.Run("refused "+want.reason, func(t *testing.T) {
			got := l.read(calls[want.reason]())
			if got.code != want.code {
				t.Errorf("code %v, want %v", got.code, want.code)
			}
			if got.info.GetReason() != want.reason || got.info.GetDomain() != "inventory" {
				t.Errorf("info %v", got.info)
			}
			if _, found := got.info.GetMetadata()[want.metadata]; want.metadata != "" && !found {
				t.Errorf("metadata %v lacks %s", got.info.GetMetadata(), want.metadata)
			}
			passes := want.reason != "MESSAGE_TOO_LARGE" &&
				(want.code == codes.ResourceExhausted || want.code == codes.Unavailable)
			if passes != (got.retryAfter >= time.Second) {
				t.Errorf("retry after %v", got.retryAfter)
			}
			if want.reason == "FIELD_INVALID" && got.bad.GetFieldViolations()[0].GetField() != "update.quantity" {
				t.Errorf("violations %v", got.bad)
			}
		})
	}

	t.Run("retries after the reported delay when refused RATE_LIMITED", func(t *testing.T) {
		limited := env(t, "LIMITED_KEY")
		retry(t, func() error { return list(l.key(limited)) }, l.read)
	})
}

func updateOf(pet int64, quantity int32) *inventoryv1.UpdateInventoryRequest {
	return &inventoryv1.UpdateInventoryRequest{
		PetId:  pet,
		Update: &inventoryv1.InventoryUpdate{Quantity: proto.Int32(quantity)},
	}
}

// refusal is the code and the details of an error, the same for both libraries.
type refusal struct {
	code codes.Code
	info *errdetails.ErrorInfo
	bad  *errdetails.BadRequest
	// How long to wait before a retry; 0 if a retry does not help.
	retryAfter time.Duration
}

// refusals lists some error reasons, each with its code and the key of its metadata.
var refusals = []struct {
	reason   string
	code     codes.Code
	metadata string
}{
	{"KEY_MISSING", codes.Unauthenticated, ""},
	{"FIELD_INVALID", codes.InvalidArgument, ""},
	{"PET_NOT_FOUND", codes.NotFound, "petId"},
	{"STOCK_TOO_SMALL", codes.FailedPrecondition, "available"},
	{"VERSION_MISMATCH", codes.Aborted, "version"},
	{"MESSAGE_TOO_LARGE", codes.ResourceExhausted, ""},
	{"STORE_UNAVAILABLE", codes.Unavailable, ""},
}

// limits are the headers (on gRPC the initial metadata) with the rate limits of the account, in every response.
var limits = []string{
	"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit", "Ratelimit-Policy",
}

// retry calls until the account's limit is reached, waits as long as the error says, and calls again.
func retry(t *testing.T, call func() error, read func(error) refusal) {
	t.Helper()
	for range 100 {
		err := call()
		if err == nil {
			continue
		}
		refused := read(err)
		if refused.info.GetReason() != "RATE_LIMITED" || refused.code != codes.ResourceExhausted {
			t.Fatal(err)
		}
		t.Logf("waits for %v", refused.retryAfter)
		time.Sleep(refused.retryAfter)
		if err := call(); err != nil {
			t.Fatalf("the call failed after the wait: %v", err)
		}
		return
	}
	t.Fatal("the limit was not reached")
}
