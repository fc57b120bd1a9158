package clients

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"inventory.example/clients/gen/rest"
)

// TestRest calls the REST API with a client that oapi-codegen generates from the OpenAPI document.
func TestRest(t *testing.T) {
	ctx := context.Background()
	pet := envInt(t, "PET")
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+env(t, "API_KEY"))
		return nil
	}
	client, err := rest.NewClientWithResponses(env(t, "URL")+"/v1", rest.WithRequestEditorFn(withKey))
	if err != nil {
		t.Fatal(err)
	}
	update := func(quantity int32, params rest.UpdateInventoryParams) *rest.UpdateInventoryResponse {
		t.Helper()
		body := rest.InventoryUpdate{Quantity: quantity}
		response, err := client.UpdateInventoryWithResponse(ctx, pet, &params, body)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}

	t.Run("lists an exact id", func(t *testing.T) {
		response, err := client.ListInventoryWithResponse(ctx, &rest.ListInventoryParams{})
		if err != nil || response.JSON200 == nil {
			t.Fatalf("%v, %s", err, response.Body)
		}
		for _, item := range *response.JSON200 {
			if item.PetId == pet {
				return
			}
		}
		t.Fatalf("no pet %d", pet)
	})

	t.Run("updates with If-Match and Idempotency-Key", func(t *testing.T) {
		item, err := client.GetInventoryItemWithResponse(ctx, pet, &rest.GetInventoryItemParams{})
		if err != nil {
			t.Fatal(err)
		}
		tag := item.HTTPResponse.Header.Get("ETag")
		key := "rest-" + strings.Trim(tag, `"`)
		params := rest.UpdateInventoryParams{IfMatch: &tag, IdempotencyKey: &key}
		first := update(31, params)
		if first.JSON200 == nil || first.JSON200.Quantity != 31 {
			t.Fatalf("%s", first.Body)
		}
		if again := update(31, params); again.HTTPResponse.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("not replayed: %s", again.Body)
		}
		if stale := update(32, rest.UpdateInventoryParams{IfMatch: &tag}); stale.JSON412 == nil {
			t.Errorf("%d: %s", stale.StatusCode(), stale.Body)
		}
	})

	t.Run("reads an error with the field that is out of bounds", func(t *testing.T) {
		refused := update(-1, rest.UpdateInventoryParams{})
		if refused.JSON400 == nil || !strings.Contains(refused.JSON400.Message, "quantity") {
			t.Fatalf("%d: %s", refused.StatusCode(), refused.Body)
		}
	})

	t.Run("reads an event of a watch", func(t *testing.T) {
		var event rest.WatchEvent
		if err := json.Unmarshal([]byte(`{"ready":{"version":3},"resumeToken":"3"}`), &event); err != nil {
			t.Fatal(err)
		}
		ready, err := event.AsWatchEventReady()
		if err != nil || ready.Ready.Version != 3 {
			t.Fatalf("%v, %v", ready, err)
		}
	})

	t.Run("reads the error that ends the array of a watch", func(t *testing.T) {
		var elements []rest.WatchEventOrError
		text := `[{"ready":{"version":3},"resumeToken":"3"},{"error":{"code":"unavailable","message":"Reconnect.","status":503}}]`
		if err := json.Unmarshal([]byte(text), &elements); err != nil {
			t.Fatal(err)
		}
		last, err := elements[1].AsStreamError()
		if err != nil || last.Error.Status != 503 {
			t.Fatalf("%v, %v", last, err)
		}
	})
}
