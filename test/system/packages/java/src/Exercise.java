import example.inventory.client.HoldNotConfirmedException;
import example.inventory.client.InventoryClient;
import example.inventory.client.InventoryException;
import example.inventory.client.Watch;
import example.inventory.client.WatchEvent;
import example.inventory.client.WatchOptions;
import example.inventory.v1.AdjustInventoryRequest;
import example.inventory.v1.AdjustInventoryResponse;
import example.inventory.v1.BatchUpdateInventoryRequest;
import example.inventory.v1.GetInventoryItemRequest;
import example.inventory.v1.InventoryUpdate;
import example.inventory.v1.QuantityUpdate;
import example.inventory.v1.UpdateInventoryRequest;
import example.store.v1.CancelOrderRequest;
import example.store.v1.HoldItem;
import example.store.v1.PlaceOrderRequest;
import example.store.v1.PutHoldRequest;
import example.store.v1.ReleaseHoldRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Uses the client package, and prints what it saw as one line of JSON. */
public final class Exercise {
  private static final String KEY = System.getenv("KEY");
  private static final long PET = Long.parseLong(System.getenv("PET"));
  private static final String HELD_PET = System.getenv("HELD_PET");

  public static void main(String[] args) throws Exception {
    System.out.printf("{\"lossy\":%s,\"scripted\":%s}%n", lossy(), scripted());
    System.exit(0);
  }

  private static AdjustInventoryResponse adjust(InventoryClient client, long pet) {
    var request = AdjustInventoryRequest.newBuilder().setPetId(pet).setDelta(1).setNote("hello");
    return client.inventory().adjustInventory(request.build());
  }

  /** Returns the exception of a call. */
  private static InventoryException failure(Callable<?> call) throws Exception {
    try {
      call.call();
    } catch (InventoryException error) {
      return error;
    }
    throw new IllegalStateException("the call succeeded");
  }

  private static String strings(List<?> values) {
    return values.stream().map(value -> "\"" + value + "\"").collect(Collectors.joining(",", "[", "]"));
  }

  private static PutHoldRequest holdRequest(String id, int quantity) {
    var item = HoldItem.newBuilder().setPetId(Long.parseLong(HELD_PET)).setQuantity(quantity);
    return PutHoldRequest.newBuilder().setHoldId(id).addItems(item).build();
  }

  /** Three holds are confirmed, two callbacks fail, and one hold ends before its callback. */
  private static String holds(InventoryClient client) {
    List<Long> orders = new ArrayList<>();
    for (String id : List.of("cart-1", "cart-2", "cart-3")) {
      var held = client.withHold(holdRequest(id, 2), hold -> "paid");
      if (!held.value().equals("paid")) {
        throw new IllegalStateException("the callback's value is lost");
      }
      orders.addAll(held.hold().getOrderIdsList());
    }
    String thrown = "";
    try {
      client.withHold(
          holdRequest("unpaid", 2),
          hold -> {
            throw new Exception("no payment");
          });
    } catch (Exception error) {
      thrown = error.getMessage();
    }
    try {
      client.withHold(
          holdRequest("stopped", 2),
          hold -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped");
          });
    } catch (IllegalStateException error) {
      if (!Thread.interrupted()) {
        throw new IllegalStateException("the interruption is lost", error);
      }
    }
    String notConfirmed = "";
    var release = ReleaseHoldRequest.newBuilder().setHoldId("early").build();
    try {
      client.withHold(holdRequest("early", 2), hold -> client.store().releaseHold(release));
    } catch (HoldNotConfirmedException error) {
      notConfirmed = error.getCause().reasonName();
    }
    return String.format(
        "{\"orders\":%s,\"thrown\":\"%s\",\"notConfirmed\":\"%s\"}",
        strings(orders), thrown, notConfirmed);
  }

  /** Holds a unit at a server that loses responses. Returns how that fails. */
  private static String lostHold(InventoryClient client, String id) {
    try {
      client.withHold(holdRequest(id, 1), hold -> null);
      return "";
    } catch (HoldNotConfirmedException error) {
      return "not confirmed " + error.getCause().code().value();
    } catch (InventoryException error) {
      return "not held " + error.code().value();
    }
  }

  /** Writes through a proxy that loses responses, while a watch runs. */
  private static String lossy() throws Exception {
    var client =
        InventoryClient.builder(System.getenv("LOSSY"), KEY)
            .attemptTimeout(Duration.ofSeconds(1))
            .build();
    var disconnects = new AtomicInteger();
    var resets = new AtomicInteger();
    var ready = new CountDownLatch(1);
    var seen = new LinkedBlockingQueue<Long>();
    List<Long> watched = new ArrayList<>();
    Watch watch =
        client.watch(WatchOptions.DEFAULT.withOnDisconnect(error -> disconnects.incrementAndGet()));
    var threads = Executors.newCachedThreadPool();
    var watching =
        threads.submit(
            () -> {
              for (WatchEvent event : watch) {
                if (event.reset()) {
                  resets.incrementAndGet();
                }
                if (event.message().hasReady()) {
                  ready.countDown();
                }
                if (event.message().getChange().getPetId() == PET) {
                  watched.add(event.message().getChange().getVersion());
                  seen.add(event.message().getChange().getVersion());
                }
              }
            });
    ready.await();

    List<Callable<List<Long>>> lanes = new ArrayList<>();
    for (int lane = 0; lane < 4; lane++) {
      lanes.add(
          () -> {
            List<Long> versions = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
              versions.add(adjust(client, PET).getVersion());
            }
            return versions;
          });
    }
    List<Long> adjusted = new ArrayList<>();
    for (var lane : threads.invokeAll(lanes)) {
      adjusted.addAll(lane.get());
    }
    List<Long> orders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      var request = PlaceOrderRequest.newBuilder().setPetId(PET).setQuantity(1).build();
      orders.add(client.store().placeOrder(request).getOrder().getOrderId());
    }
    // A strict account must say what it expects.
    var update = QuantityUpdate.newBuilder().setPetId(PET + 1).setQuantity(5).setExpectedQuantity(100);
    client
        .inventory()
        .batchUpdateInventory(BatchUpdateInventoryRequest.newBuilder().addUpdates(update).build());
    client
        .inventory()
        .updateInventory(
            UpdateInventoryRequest.newBuilder()
                .setPetId(PET + 2)
                .setUpdate(InventoryUpdate.newBuilder().setQuantity(7))
                .setExpectedQuantity(100)
                .build());
    InventoryException refused = failure(() -> adjust(client, Long.MAX_VALUE));

    // The last change shows that the watch has all others.
    long last = adjust(client, PET).getVersion();
    adjusted.add(last);
    while (seen.take() != last) {}
    watch.close();
    watching.get();
    String usage;
    try {
      usage = "\"" + client.usage().getUsage().getName() + "\"";
    } catch (InventoryException error) {
      usage = String.valueOf(error.code().value());
    }
    return String.format(
        "{\"adjusted\":%s,\"watched\":%s,\"resets\":%d,\"disconnects\":%d,\"orders\":%s,"
            + "\"refused\":{\"reason\":\"%s\",\"petId\":\"%s\"},\"items\":%d,\"usage\":%s,\"holds\":%s}",
        strings(adjusted),
        strings(watched),
        resets.get(),
        disconnects.get(),
        strings(orders),
        refused.reason().orElseThrow(),
        refused.metadata().get("petId"),
        client.items().count(),
        usage,
        holds(client));
  }

  /** Returns what the exception of a call says about the change. */
  private static String outcomeOf(Callable<?> call) throws Exception {
    InventoryException error = failure(call);
    boolean earlier = error.getMessage().endsWith(" An earlier attempt may have made the change.");
    return error.metadata().getOrDefault("changeOutcome", "") + (earlier ? ", earlier" : "");
  }

  /** Calls a server that refuses calls. */
  private static String scripted() throws Exception {
    try (var client = InventoryClient.create(System.getenv("SCRIPTED"), KEY)) {
      int limited =
          adjust(client, Long.parseLong(System.getenv("LIMITED_PET"))).getItem().getQuantity();
      long quarantinedPet = Long.parseLong(System.getenv("QUARANTINED_PET"));
      String quarantined = failure(() -> adjust(client, quarantinedPet)).reasonName();
      var cancel = CancelOrderRequest.newBuilder().setOrderId(1).build();
      int cancelled = failure(() -> client.store().cancelOrder(cancel)).code().value();
      List<String> outcomes = new ArrayList<>();
      for (String pet : System.getenv("OUTCOME_PETS").split(",")) {
        outcomes.add(outcomeOf(() -> adjust(client, Long.parseLong(pet))));
      }
      var read =
          GetInventoryItemRequest.newBuilder().setPetId(Long.parseLong(System.getenv("READ_PET")));
      String readOutcome = outcomeOf(() -> client.inventory().getInventoryItem(read.build()));
      List<String> events = new ArrayList<>();
      try (Watch watch = client.watch()) {
        for (WatchEvent event : watch) {
          events.add(event.message().getEventCase().name().toLowerCase());
          if (event.message().hasReady()) {
            break;
          }
        }
      }
      return String.format(
          "{\"limited\":%d,\"quarantined\":\"%s\",\"cancelled\":%d,\"events\":%s,"
              + "\"outcomes\":%s,\"readOutcome\":\"%s\",\"lostHolds\":%s}",
          limited,
          quarantined,
          cancelled,
          strings(events),
          strings(outcomes),
          readOutcome,
          strings(List.of(lostHold(client, "put-lost"), lostHold(client, "confirm-lost"))));
    }
  }
}
