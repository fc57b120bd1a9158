// Command exercise uses the client package, and prints what it saw as one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	inventory "inventory.example/client"
	inventoryv1 "inventory.example/client/gen/inventory/v1"
	storev1 "inventory.example/client/gen/store/v1"
)

type object = map[string]any

func main() {
	check(json.NewEncoder(os.Stdout).Encode(object{"lossy": lossy(), "scripted": scripted()}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func number(name string) int64 {
	return must(strconv.ParseInt(os.Getenv(name), 10, 64))
}

func text(id int64) string { return strconv.FormatInt(id, 10) }

func adjustment(pet int64) *inventoryv1.AdjustInventoryRequest {
	delta := int32(1)
	return &inventoryv1.AdjustInventoryRequest{PetId: pet, Delta: &delta, Note: "hello"}
}

func adjust(client *inventory.Client, pet int64) (*inventoryv1.AdjustInventoryResponse, error) {
	return client.Inventory.AdjustInventory(context.Background(), adjustment(pet))
}

// watcher collects the versions of the changes of a pet.
type watcher struct {
	ready       chan struct{}
	seen        chan string
	watched     []string
	resets      int
	disconnects int
}

func (w *watcher) run(ctx context.Context, client *inventory.Client, pet int64) {
	options := inventory.WatchOptions{OnDisconnect: func(*inventory.Error) { w.disconnects++ }}
	var once sync.Once
	for event, err := range client.Watch(ctx, options) {
		check(err)
		if event.Reset {
			w.resets++
		}
		if event.Message.GetReady() != nil {
			once.Do(func() { close(w.ready) })
		}
		if change := event.Message.GetChange(); change.GetPetId() == pet {
			w.watched = append(w.watched, text(change.GetVersion()))
			w.seen <- text(change.GetVersion())
		}
	}
	close(w.seen)
}

func holdRequest(id string, quantity int32) *storev1.PutHoldRequest {
	items := []*storev1.HoldItem{{PetId: number("HELD_PET"), Quantity: quantity}}
	return &storev1.PutHoldRequest{HoldId: id, Items: items}
}

func nothing(context.Context, *storev1.Hold) error { return nil }

// holds confirms three holds. Two functions fail, and one hold ends before its function.
func holds(client *inventory.Client) object {
	ctx, stop := context.WithCancel(context.Background())
	orders := []string{}
	for _, id := range []string{"cart-1", "cart-2", "cart-3"} {
		for _, order := range must(client.WithHold(ctx, holdRequest(id, 2), nothing)).GetOrderIds() {
			orders = append(orders, text(order))
		}
	}
	_, thrown := client.WithHold(ctx, holdRequest("unpaid", 2), func(context.Context, *storev1.Hold) error {
		return errors.New("no payment")
	})
	_, notConfirmed := client.WithHold(ctx, holdRequest("early", 2), func(ctx context.Context, _ *storev1.Hold) error {
		_, err := client.Store.ReleaseHold(ctx, &storev1.ReleaseHoldRequest{HoldId: "early"})
		return err
	})
	func() {
		defer func() { _ = recover() }()
		_, _ = client.WithHold(ctx, holdRequest("stopped", 2), func(context.Context, *storev1.Hold) error {
			stop()
			panic("stopped")
		})
	}()
	return object{"orders": orders, "thrown": thrown.Error(), "notConfirmed": inventory.AsError(notConfirmed).Reason}
}

// lostHold holds a unit at a server that loses responses. It returns how that fails.
func lostHold(client *inventory.Client, id string) string {
	_, err := client.WithHold(context.Background(), holdRequest(id, 1), nothing)
	var notConfirmed *inventory.HoldNotConfirmedError
	if errors.As(err, &notConfirmed) {
		return fmt.Sprintf("not confirmed %d", notConfirmed.Cause.Code)
	}
	return fmt.Sprintf("not held %d", inventory.AsError(err).Code)
}

// lossy writes through a proxy that loses responses, while a watch runs.
func lossy() object {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	pet := number("PET")
	client := inventory.New(os.Getenv("LOSSY"), os.Getenv("KEY"), inventory.WithAttemptTimeout(time.Second))
	watch := &watcher{ready: make(chan struct{}), seen: make(chan string, 1000)}
	go watch.run(ctx, client, pet)
	<-watch.ready

	var lanes sync.WaitGroup
	versions := make(chan string, 100)
	for range 4 {
		lanes.Go(func() {
			// A message that is sent again is another write.
			message := adjustment(pet)
			for range 5 {
				versions <- text(must(client.Inventory.AdjustInventory(ctx, message)).GetVersion())
			}
		})
	}
	lanes.Wait()
	orders := []string{}
	for range 3 {
		placed := must(client.Store.PlaceOrder(ctx, &storev1.PlaceOrderRequest{PetId: pet, Quantity: 1}))
		orders = append(orders, text(placed.GetOrder().GetOrderId()))
	}
	// A strict account must say what it expects.
	five, seven, expected := int32(5), int32(7), int32(100)
	must(client.Inventory.BatchUpdateInventory(ctx, &inventoryv1.BatchUpdateInventoryRequest{
		Updates: []*inventoryv1.QuantityUpdate{{PetId: pet + 1, Quantity: &five, ExpectedQuantity: &expected}},
	}))
	must(client.Inventory.UpdateInventory(ctx, &inventoryv1.UpdateInventoryRequest{
		PetId: pet + 2, Update: &inventoryv1.InventoryUpdate{Quantity: &seven}, ExpectedQuantity: &expected,
	}))
	_, err := adjust(client, math.MaxInt64)
	refused := inventory.AsError(err)

	// The last change shows that the watch has all others.
	last := text(must(adjust(client, pet)).GetVersion())
	for version := range watch.seen {
		if version == last {
			break
		}
	}
	stop()
	for range watch.seen {
	}
	adjusted := []string{last}
	close(versions)
	for version := range versions {
		adjusted = append(adjusted, version)
	}
	items := 0
	for _, err := range client.Items(context.Background()) {
		check(err)
		items++
	}
	var usage any
	if report, err := client.Usage(context.Background()); err == nil {
		usage = report.GetUsage().GetName()
	} else {
		usage = int(inventory.AsError(err).Code)
	}
	return object{
		"adjusted": adjusted, "watched": watch.watched, "resets": watch.resets, "disconnects": watch.disconnects,
		"orders":  orders,
		"refused": object{"reason": refused.Reason, "petId": refused.Metadata["petId"]},
		"items":   items,
		"usage":   usage,
		"holds":   holds(client),
	}
}

// outcomeOf returns what the error of a call says about the change.
func outcomeOf(err error) string {
	failure := inventory.AsError(err)
	outcome := failure.Metadata["changeOutcome"]
	if strings.HasSuffix(failure.Message, " An earlier attempt may have made the change.") {
		outcome += ", earlier"
	}
	return outcome
}

// scripted calls a server that refuses calls.
func scripted() object {
	ctx := context.Background()
	client := inventory.New(os.Getenv("SCRIPTED"), os.Getenv("KEY"))
	limited := must(adjust(client, number("LIMITED_PET"))).GetItem().GetQuantity()
	_, quarantined := adjust(client, number("QUARANTINED_PET"))
	_, cancelled := client.Store.CancelOrder(ctx, &storev1.CancelOrderRequest{OrderId: 1})
	outcomes := []string{}
	for pet := range strings.SplitSeq(os.Getenv("OUTCOME_PETS"), ",") {
		_, err := adjust(client, must(strconv.ParseInt(pet, 10, 64)))
		outcomes = append(outcomes, outcomeOf(err))
	}
	_, err := client.Inventory.GetInventoryItem(ctx, &inventoryv1.GetInventoryItemRequest{PetId: number("READ_PET")})
	events := []string{}
	for event, err := range client.Watch(ctx, inventory.WatchOptions{}) {
		check(err)
		if event.Message.GetReady() != nil {
			events = append(events, "ready")
			break
		}
		if event.Message.GetSnapshot() != nil {
			events = append(events, "snapshot")
		}
	}
	return object{
		"limited":     limited,
		"quarantined": inventory.AsError(quarantined).Reason,
		"cancelled":   int(inventory.AsError(cancelled).Code),
		"events":      events, "outcomes": outcomes, "readOutcome": outcomeOf(err),
		"lostHolds": []string{lostHold(client, "put-lost"), lostHold(client, "confirm-lost")},
	}
}
