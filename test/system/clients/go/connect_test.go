package clients

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	inventoryv1 "inventory.example/clients/gen/inventory/v1"
	"inventory.example/clients/gen/inventory/v1/inventoryv1connect"
	storev1 "inventory.example/clients/gen/store/v1"
	"inventory.example/clients/gen/store/v1/storev1connect"
)

// A well-formed id that does not exist.
const unknownPet = math.MaxInt64

// limits are the headers (on gRPC the initial metadata) with the rate limits of the account, in every response.
var limits = []string{
	"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit", "Ratelimit-Policy",
}

func TestConnect(t *testing.T) {
	for name, options := range map[string][]connect.ClientOption{
		"Connect": nil,
		"JSON":    {connect.WithProtoJSON()},
		"GET":     {connect.WithHTTPGet()},
		"gRPC":    {connect.WithGRPC()},
		"gRPCWeb": {connect.WithGRPCWeb()},
	} {
		t.Run(name, func(t *testing.T) { check(t, options...) })
	}
}

// cleartext is the HTTP client for a service without TLS, where HTTP/2 must be requested explicitly for gRPC.
func cleartext() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: protocols}}
}

// withKey returns the context of a call with an API key, and the call, which has the headers of the response.
func withKey(key string) (context.Context, connect.CallInfo) {
	ctx, call := connect.NewClientContext(context.Background())
	call.RequestHeader().Set("Authorization", "Bearer "+key)
	return ctx, call
}

func check(t *testing.T, options ...connect.ClientOption) {
	inventory := inventoryv1connect.NewInventoryServiceClient(cleartext(), env(t, "URL"), options...)
	store := storev1connect.NewStoreServiceClient(cleartext(), env(t, "URL"), options...)
	down := inventoryv1connect.NewInventoryServiceClient(cleartext(), env(t, "DOWN_URL"), options...)
	pet := envInt(t, "PET")
	key := env(t, "API_KEY")

	list := func(ctx context.Context) error {
		_, err := inventory.ListInventory(ctx, &inventoryv1.ListInventoryRequest{})
		return err
	}
	update := func(pet int64, quantity int32, set func(*inventoryv1.UpdateInventoryRequest)) error {
		request := &inventoryv1.UpdateInventoryRequest{
			PetId:  pet,
			Update: &inventoryv1.InventoryUpdate{Quantity: proto.Int32(quantity)},
		}
		set(request)
		ctx, _ := withKey(key)
		_, err := inventory.UpdateInventory(ctx, request)
		return err
	}
	plain := func(*inventoryv1.UpdateInventoryRequest) {}

	t.Run("updates and lists an exact id", func(t *testing.T) {
		if err := update(pet, 11, plain); err != nil {
			t.Fatal(err)
		}
		ctx, _ := withKey(key)
		list, err := inventory.ListInventory(ctx, &inventoryv1.ListInventoryRequest{})
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
		ctx, call := withKey(key)
		if _, err := store.ListOrders(ctx, &storev1.ListOrdersRequest{}); err != nil {
			t.Fatal(err)
		}
		for _, name := range limits {
			if call.ResponseHeader().Get(name) == "" {
				t.Errorf("no %s", name)
			}
		}
		remaining, err := strconv.Atoi(call.ResponseHeader().Get("x-ratelimit-remaining"))
		if err != nil || remaining <= 0 {
			t.Errorf("%d remaining, %v", remaining, err)
		}
	})

	t.Run("keeps a deadline", func(t *testing.T) {
		ctx, _ := withKey(key)
		ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		watch, err := inventory.WatchInventory(ctx, &inventoryv1.WatchInventoryRequest{})
		if err == nil {
			defer watch.Close()
			// A watch does not end by itself.
			for watch.Receive() {
			}
			err = watch.Err()
		}
		if got := connect.CodeOf(err); got != connect.CodeDeadlineExceeded {
			t.Errorf("code %v", got)
		}
	})

	// Some error reasons, each with its code, the key of its metadata and a call.
	for _, want := range []struct {
		reason   string
		code     connect.Code
		metadata string
		call     func(context.Context) error
	}{
		{"KEY_MISSING", connect.CodeUnauthenticated, "", func(context.Context) error {
			return list(context.Background())
		}},
		{"FIELD_INVALID", connect.CodeInvalidArgument, "", func(context.Context) error {
			return update(pet, -1, plain)
		}},
		{"PET_NOT_FOUND", connect.CodeNotFound, "petId", func(context.Context) error {
			return update(unknownPet, 1, plain)
		}},
		{"STOCK_TOO_SMALL", connect.CodeFailedPrecondition, "available", func(ctx context.Context) error {
			_, err := store.PlaceOrder(ctx, &storev1.PlaceOrderRequest{PetId: pet, Quantity: math.MaxInt32})
			return err
		}},
		{"VERSION_MISMATCH", connect.CodeAborted, "version", func(context.Context) error {
			return update(pet, 1, func(r *inventoryv1.UpdateInventoryRequest) {
				r.ExpectedVersion = proto.Int64(math.MaxInt64)
			})
		}},
		{"MESSAGE_TOO_LARGE", connect.CodeResourceExhausted, "", func(context.Context) error {
			return update(pet, 1, func(r *inventoryv1.UpdateInventoryRequest) {
				r.Note = strings.Repeat("z", 100_000)
			})
		}},
		{"STORE_UNAVAILABLE", connect.CodeUnavailable, "", func(ctx context.Context) error {
			_, err := down.ListInventory(ctx, &inventoryv1.ListInventoryRequest{})
			return err
		}},
	} {
		t.Run("refused "+want.reason, func(t *testing.T) {
			ctx, _ := withKey(key)
			got := read(want.call(ctx))
			if got.code != want.code {
				t.Errorf("code %v, want %v", got.code, want.code)
			}
			if got.info.GetReason() != want.reason || got.info.GetDomain() != "inventory" {
				t.Errorf("info %v", got.info)
			}
			if _, found := got.info.GetMetadata()[want.metadata]; want.metadata != "" && !found {
				t.Errorf("metadata %v lacks %s", got.info.GetMetadata(), want.metadata)
			}
			if (want.code == connect.CodeUnavailable) != (got.retryAfter >= time.Second) {
				t.Errorf("retry after %v", got.retryAfter)
			}
			if want.reason == "FIELD_INVALID" && got.bad.GetFieldViolations()[0].GetField() != "update.quantity" {
				t.Errorf("violations %v", got.bad)
			}
		})
	}

	t.Run("retries after the reported delay when refused RATE_LIMITED", func(t *testing.T) {
		limited := func() error {
			ctx, _ := withKey(env(t, "LIMITED_KEY"))
			return list(ctx)
		}
		for range 100 {
			err := limited()
			if err == nil {
				continue
			}
			refused := read(err)
			if refused.info.GetReason() != "RATE_LIMITED" || refused.code != connect.CodeResourceExhausted {
				t.Fatal(err)
			}
			t.Logf("waits for %v", refused.retryAfter)
			time.Sleep(refused.retryAfter)
			if err := limited(); err != nil {
				t.Fatalf("the call failed after the wait: %v", err)
			}
			return
		}
		t.Fatal("the limit was not reached")
	})
}

// refusal is the code and the details of an error.
type refusal struct {
	code connect.Code
	info *errdetails.ErrorInfo
	bad  *errdetails.BadRequest
	// How long to wait before a retry; 0 if a retry does not help.
	retryAfter time.Duration
}

func read(err error) refusal {
	refused := refusal{code: connect.CodeOf(err)}
	var failure *connect.Error
	if !errors.As(err, &failure) {
		return refused
	}
	for _, detail := range failure.Details() {
		value, err := detail.Value()
		if err != nil {
			continue
		}
		switch value := value.(type) {
		case *errdetails.ErrorInfo:
			refused.info = value
		case *errdetails.BadRequest:
			refused.bad = value
		case *errdetails.RetryInfo:
			refused.retryAfter = value.GetRetryDelay().AsDuration()
		}
	}
	return refused
}
