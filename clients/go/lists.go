package inventory

import (
	"context"
	"iter"

	inventoryv1 "inventory.example/client/gen/inventory/v1"
	storev1 "inventory.example/client/gen/store/v1"
)

// The number of elements to read at once, the most that the service allows. Pages of changes and of holds are smaller.
const (
	pageSize      = 1000
	smallPageSize = 200
)

type page[T any] interface {
	GetNextPageToken() string
}

// all yields the elements of all pages. It reads a page when its first element is needed.
func all[P page[T], T any](read func(token string) (P, error), elements func(P) []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for token := ""; ; {
			page, err := read(token)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, element := range elements(page) {
				if !yield(element, nil) {
					return
				}
			}
			if token = page.GetNextPageToken(); token == "" {
				return
			}
		}
	}
}

// Items returns all items, in ascending order of pet id. After an error there are no more items.
func (c *Client) Items(ctx context.Context) iter.Seq2[*inventoryv1.InventoryItem, error] {
	size := int32(pageSize)
	return all(func(token string) (*inventoryv1.ListInventoryResponse, error) {
		return c.Inventory.ListInventory(ctx, &inventoryv1.ListInventoryRequest{PageSize: &size, PageToken: token})
	}, (*inventoryv1.ListInventoryResponse).GetItems)
}

// Changes returns the history of all pets, newest change first. After an error there are no more changes.
func (c *Client) Changes(ctx context.Context) iter.Seq2[*inventoryv1.InventoryChange, error] {
	size := int32(smallPageSize)
	return all(func(token string) (*inventoryv1.ListInventoryChangesResponse, error) {
		request := &inventoryv1.ListInventoryChangesRequest{PageSize: &size, PageToken: token}
		return c.Inventory.ListInventoryChanges(ctx, request)
	}, (*inventoryv1.ListInventoryChangesResponse).GetChanges)
}

// ItemChanges returns the history of one pet, newest change first. After an error there are no more changes.
func (c *Client) ItemChanges(ctx context.Context, petID int64) iter.Seq2[*inventoryv1.InventoryChange, error] {
	size := int32(smallPageSize)
	return all(func(token string) (*inventoryv1.ListItemChangesResponse, error) {
		request := &inventoryv1.ListItemChangesRequest{PetId: petID, PageSize: &size, PageToken: token}
		return c.Inventory.ListItemChanges(ctx, request)
	}, (*inventoryv1.ListItemChangesResponse).GetChanges)
}

// Orders returns the orders of the account, newest first. After an error there are no more orders.
func (c *Client) Orders(ctx context.Context) iter.Seq2[*storev1.Order, error] {
	size := int32(pageSize)
	return all(func(token string) (*storev1.ListOrdersResponse, error) {
		return c.Store.ListOrders(ctx, &storev1.ListOrdersRequest{PageSize: &size, PageToken: token})
	}, (*storev1.ListOrdersResponse).GetOrders)
}

// Holds returns the holds of the account in these states, or the active ones, those that began last first. After an error
// there are no more holds.
func (c *Client) Holds(ctx context.Context, states ...storev1.HoldState) iter.Seq2[*storev1.Hold, error] {
	size := int32(smallPageSize)
	return all(func(token string) (*storev1.ListHoldsResponse, error) {
		return c.Store.ListHolds(ctx, &storev1.ListHoldsRequest{PageSize: &size, PageToken: token, State: states})
	}, (*storev1.ListHoldsResponse).GetHolds)
}
