package main

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"

	inventoryv1 "inventory-gateway/gen/inventory/v1"
)

// Serves gRPC.
type grpcServer struct {
	inventoryv1.UnimplementedInventoryServiceServer
	inventory *inventory
}

func (s *grpcServer) ListInventory(ctx context.Context, _ *inventoryv1.ListInventoryRequest) (*inventoryv1.ListInventoryResponse, error) {
	list, limits, err := s.inventory.list(authorizationIn(ctx))
	if err != nil {
		return nil, err
	}
	return list.message, setHeader(ctx, limits)
}

func (s *grpcServer) UpdateInventory(ctx context.Context, request *inventoryv1.UpdateInventoryRequest) (*inventoryv1.UpdateInventoryResponse, error) {
	var quantity *int32
	if update := request.GetUpdate(); update != nil {
		quantity = update.Quantity
	}
	item, limits, err := s.inventory.update(authorizationIn(ctx), request.GetPetId(), quantity)
	if err != nil {
		return nil, err
	}
	return &inventoryv1.UpdateInventoryResponse{Item: item}, setHeader(ctx, limits)
}

func authorizationIn(ctx context.Context) string {
	if values := metadata.ValueFromIncomingContext(ctx, "authorization"); len(values) > 0 {
		return values[0]
	}
	return ""
}

func setHeader(ctx context.Context, limits limits) error {
	remaining, reset := limits.values()
	return grpc.SetHeader(ctx, metadata.MD{
		"x-ratelimit-limit":     limitText,
		"x-ratelimit-remaining": remaining,
		"x-ratelimit-reset":     reset,
	})
}

// Encodes messages as usual, except the cached list: its bytes are cached too.
type codec struct {
	encoding.CodecV2
	lists *listCache
}

func newCodec(inventory *inventory) encoding.CodecV2 {
	return codec{encoding.GetCodecV2(proto.Name), inventory.lists}
}

func (c codec) Marshal(message any) (mem.BufferSlice, error) {
	if last := c.lists.last.Load(); last != nil && message == any(last.message) {
		return mem.BufferSlice{mem.SliceBuffer(last.binary)}, nil
	}
	return c.CodecV2.Marshal(message)
}
