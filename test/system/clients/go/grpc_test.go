package clients

import (
	"context"
	"net/url"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	inventoryv1 "inventory.example/clients/gen/inventory/v1"
	storev1 "inventory.example/clients/gen/store/v1"
)

func TestGrpc(t *testing.T) {
	check(t, library{
		service: grpcService,
		with: func(header ...string) context.Context {
			return metadata.AppendToOutgoingContext(context.Background(), header...)
		},
		limits: grpcLimits,
		read:   grpcRefusal,
	})
}

func grpcService(t *testing.T, service string) api {
	at, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(at.Host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	inventory := inventoryv1.NewInventoryServiceClient(conn)
	store := storev1.NewStoreServiceClient(conn)
	return api{
		listInventory:   plain(inventory.ListInventory),
		updateInventory: plain(inventory.UpdateInventory),
		watchInventory: func(ctx context.Context) error {
			watch, err := inventory.WatchInventory(ctx, &inventoryv1.WatchInventoryRequest{})
			for err == nil {
				_, err = watch.Recv()
			}
			return err
		},
		placeOrder: plain(store.PlaceOrder),
	}
}

// plain removes the options from the signature of a method.
func plain[Q, A any](method func(context.Context, *Q, ...grpc.CallOption) (*A, error)) method[Q, A] {
	return func(ctx context.Context, request *Q) (*A, error) { return method(ctx, request) }
}

// grpcLimits reads the initial metadata of a response.
func grpcLimits(t *testing.T, key string) func(name string) string {
	at, err := url.Parse(env(t, "URL"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(at.Host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+key)

	var header metadata.MD
	store := storev1.NewStoreServiceClient(conn)
	if _, err := store.ListOrders(ctx, &storev1.ListOrdersRequest{}, grpc.Header(&header)); err != nil {
		t.Fatal(err)
	}
	return func(name string) string {
		if values := header.Get(name); len(values) == 1 {
			return values[0]
		}
		return ""
	}
}

// grpcRefusal reads the status of an error, and its details.
func grpcRefusal(err error) refusal {
	refused := refusal{code: status.Code(err)}
	for _, detail := range status.Convert(err).Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			refused.info = detail
		case *errdetails.BadRequest:
			refused.bad = detail
		case *errdetails.RetryInfo:
			refused.retryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	return refused
}
