package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	inventoryv1 "inventory-gateway/gen/inventory/v1"
)

// Hash of all items: pet id to `<quantity>,<status>`.
const itemsKey = "peer:items"

type inventoryServer struct {
	inventoryv1.UnimplementedInventoryServiceServer
	redis *redis.Client
}

func (s *inventoryServer) ListInventory(ctx context.Context, _ *inventoryv1.ListInventoryRequest) (*inventoryv1.ListInventoryResponse, error) {
	stored, err := s.redis.HGetAll(ctx, itemsKey).Result()
	if err != nil {
		return nil, status.Error(codes.Unavailable, "no store")
	}
	items := make([]*inventoryv1.InventoryItem, 0, len(stored))
	for petID, item := range stored {
		id, err := strconv.ParseInt(petID, 10, 64)
		if err != nil {
			return nil, err
		}
		items = append(items, itemOf(id, item))
	}
	slices.SortFunc(items, func(a, b *inventoryv1.InventoryItem) int { return int(a.PetId - b.PetId) })
	return &inventoryv1.ListInventoryResponse{Items: items}, nil
}

func (s *inventoryServer) UpdateInventory(ctx context.Context, request *inventoryv1.UpdateInventoryRequest) (*inventoryv1.UpdateInventoryResponse, error) {
	petID := strconv.FormatInt(request.GetPetId(), 10)
	stored, err := s.redis.HGet(ctx, itemsKey, petID).Result()
	if err != nil {
		return nil, status.Error(codes.NotFound, "no such pet")
	}
	item := itemOf(request.GetPetId(), stored)
	quantity := request.GetUpdate().GetQuantity()
	item.Quantity = &quantity
	_, word, _ := strings.Cut(stored, ",")
	if err := s.redis.HSet(ctx, itemsKey, petID, fmt.Sprintf("%d,%s", quantity, word)).Err(); err != nil {
		return nil, status.Error(codes.Unavailable, "no store")
	}
	return &inventoryv1.UpdateInventoryResponse{Item: item}, nil
}

func itemOf(petID int64, stored string) *inventoryv1.InventoryItem {
	quantityText, word, _ := strings.Cut(stored, ",")
	quantity, _ := strconv.ParseInt(quantityText, 10, 32)
	quantity32 := int32(quantity)
	return &inventoryv1.InventoryItem{
		PetId:    petID,
		Quantity: &quantity32,
		Status:   inventoryv1.PetStatus(inventoryv1.PetStatus_value["PET_STATUS_"+strings.ToUpper(word)]),
	}
}
