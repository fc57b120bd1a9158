import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.rest.ApiClient;
import example.rest.ApiException;
import example.rest.api.InventoryApi;
import example.rest.model.InventoryAdjustment;
import example.rest.model.InventoryItem;
import example.rest.model.InventoryUpdate;
import example.rest.model.WatchEvent;
import example.rest.model.WatchEventOrError;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import java.util.List;
import java.util.Optional;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Test;

/** Calls the REST API with a client generated from its OpenAPI document, with bean validation. */
class RestTest {
  private static final long pet = Long.parseLong(env("PET"));
  private static final InventoryApi inventory = new InventoryApi(client());
  private static final Validator validator =
      Validation.byDefaultProvider()
          .configure()
          .messageInterpolator(new ParameterMessageInterpolator())
          .buildValidatorFactory()
          .getValidator();

  private static ApiClient client() {
    ApiClient client = new ApiClient().setBasePath(env("URL") + "/v1");
    client.setBearerToken(env("API_KEY"));
    return client;
  }

  private static String env(String name) {
    return Optional.ofNullable(System.getenv("INVENTORY_" + name))
        .orElseThrow(() -> new IllegalStateException("run `npm run task clients`"));
  }

  private static InventoryItem update(int quantity, String ifMatch) throws ApiException {
    InventoryUpdate body = new InventoryUpdate().quantity(quantity);
    return inventory.updateInventory(
        pet, body, null, null, null, null, ifMatch, null, null, null);
  }

  private static String tag() throws ApiException {
    return inventory
        .getInventoryItemWithHttpInfo(pet, null)
        .getHeaders()
        .get("etag")
        .get(0);
  }

  @Test
  void listsExactIdsThatAreValid() throws ApiException {
    List<InventoryItem> items = inventory.listInventory(null, null, null, null, null, null, null);
    assertTrue(items.stream().anyMatch(item -> item.getPetId() == pet));
    for (InventoryItem item : items) assertEquals(0, validator.validate(item).size());
  }

  @Test
  void updatesWithIfMatch() throws ApiException {
    String tag = tag();
    assertEquals(21, update(21, tag).getQuantity());
    ApiException stale = assertThrows(ApiException.class, () -> update(22, tag));
    assertEquals(412, stale.getCode());
    assertEquals(23, update(23, tag()).getQuantity());
  }

  @Test
  void refusesAQuantityOutOfBoundsAsTheServerDoes() {
    assertEquals(1, validator.validate(new InventoryUpdate().quantity(-1)).size());
    assertEquals(0, validator.validate(new InventoryUpdate().quantity(2147483647)).size());
    ApiException refused = assertThrows(ApiException.class, () -> update(-1, null));
    assertEquals(400, refused.getCode());
    assertTrue(refused.getResponseBody().contains("quantity"));
  }

  @Test
  void refusesATextThatIsTooLong() {
    InventoryAdjustment adjustment = new InventoryAdjustment().delta(1).note("x".repeat(501));
    assertEquals(1, validator.validate(adjustment).size());
  }

  @Test
  void readsAnEventOfAWatch() throws Exception {
    String json = "{\"ready\":{\"version\":3},\"resumeToken\":\"3\"}";
    WatchEvent event = WatchEvent.fromJson(json);
    assertEquals(3L, event.getWatchEventReady().getReady().getVersion());
  }

  @Test
  void readsTheErrorThatEndsTheArrayOfAWatch() throws Exception {
    String json = "{\"error\":{\"code\":\"unavailable\",\"message\":\"Reconnect.\",\"status\":503}}";
    WatchEventOrError last = WatchEventOrError.fromJson(json);
    assertEquals(503, last.getStreamError().getError().getStatus());
  }
}
