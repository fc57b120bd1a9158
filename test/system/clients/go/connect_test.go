package clients

import (
	"context"
	"errors"
	"net/http"
	"strconv"
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
	pet := envInt(t, "PET")
	key := env(t, "API_KEY")

	update := func(pet int64, quantity int32) error {
		ctx, _ := withKey(key)
		_, err := inventory.UpdateInventory(ctx, &inventoryv1.UpdateInventoryRequest{
			PetId:  pet,
			Update: &inventoryv1.InventoryUpdate{Quantity: proto.Int32(quantity)},
		})
		return err
	}

	t.Run("updates and lists an exact id", func(t *testing.T) {
		if err := update(pet, 11); err != nil {
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

	t.Run("reads the details of an error", func(t *testing.T) {
		err := update(pet, -1)
		var failure *connect.Error
		if !errors.As(err, &failure) || failure.Code() != connect.CodeInvalidArgument {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, detail := range failure.Details() {
			switch value := first(detail.Value()).(type) {
			case *errdetails.ErrorInfo:
				found["reason"] = value.GetReason() == "FIELD_INVALID" && value.GetDomain() == "inventory"
			case *errdetails.BadRequest:
				found["field"] = value.GetFieldViolations()[0].GetField() == "update.quantity"
			}
		}
		if !found["reason"] || !found["field"] {
			t.Errorf("details %v", failure.Details())
		}
	})
}

func first(value proto.Message, _ error) proto.Message { return value }
