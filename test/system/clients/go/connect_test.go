package clients

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	inventoryv1 "inventory.example/clients/gen/inventory/v1"
	"inventory.example/clients/gen/inventory/v1/inventoryv1connect"
	storev1 "inventory.example/clients/gen/store/v1"
	"inventory.example/clients/gen/store/v1/storev1connect"
)

func TestConnect(t *testing.T) {
	for name, options := range map[string][]connect.ClientOption{
		"Connect": nil,
		"JSON":    {connect.WithProtoJSON()},
		"GET":     {connect.WithHTTPGet()},
		"gRPC":    {connect.WithGRPC()},
		"gRPCWeb": {connect.WithGRPCWeb()},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, library{
				service: func(_ *testing.T, url string) api { return connectService(url, options...) },
				with:    connectContext,
				limits: func(t *testing.T, key string) func(string) string {
					return connectLimits(t, key, options...)
				},
				read: connectRefusal,
			})
		})
	}
}

// cleartext is the HTTP client for a service without TLS, where HTTP/2 must be requested explicitly for gRPC.
func cleartext() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: protocols}}
}

func connectService(url string, options ...connect.ClientOption) api {
	inventory := inventoryv1connect.NewInventoryServiceClient(cleartext(), url, options...)
	store := storev1connect.NewStoreServiceClient(cleartext(), url, options...)
	return api{
		listInventory:   inventory.ListInventory,
		updateInventory: inventory.UpdateInventory,
		watchInventory: func(ctx context.Context) error {
			watch, err := inventory.WatchInventory(ctx, &inventoryv1.WatchInventoryRequest{})
			if err != nil {
				return err
			}
			defer watch.Close()
			for watch.Receive() {
			}
			return watch.Err()
		},
		placeOrder: store.PlaceOrder,
	}
}

func connectContext(header ...string) context.Context {
	ctx, call := connect.NewClientContext(context.Background())
	for i := 0; i < len(header); i += 2 {
		call.RequestHeader().Set(header[i], header[i+1])
	}
	return ctx
}

// connectLimits reads the headers of a response.
func connectLimits(t *testing.T, key string, options ...connect.ClientOption) func(name string) string {
	store := storev1connect.NewStoreServiceClient(cleartext(), env(t, "URL"), options...)
	ctx, call := connect.NewClientContext(context.Background())
	call.RequestHeader().Set("Authorization", "Bearer "+key)
	if _, err := store.ListOrders(ctx, &storev1.ListOrdersRequest{}); err != nil {
		t.Fatal(err)
	}
	return call.ResponseHeader().Get
}

// connectRefusal reads an error, and its details.
func connectRefusal(err error) refusal {
	refused := refusal{code: codes.Code(connect.CodeOf(err))}
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
