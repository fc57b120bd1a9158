import example.inventory.client.InventoryClient;
import example.inventory.client.InventoryException;
import example.inventory.client.Watch;
import example.inventory.client.WatchEvent;
import example.inventory.client.WatchOptions;
import example.inventory.v1.AdjustInventoryRequest;
import example.inventory.v1.AdjustInventoryResponse;
import example.inventory.v1.BatchUpdateInventoryRequest;
import example.inventory.v1.InventoryUpdate;
import example.inventory.v1.QuantityUpdate;
import example.inventory.v1.UpdateInventoryRequest;
import example.store.v1.CancelOrderRequest;
import example.store.v1.PlaceOrderRequest;
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

  public static void main(String[] args) throws Exception {
    System.out.printf(
        "{\"lossy\":%s,\"older\":%s,\"newer\":%s}%n",
        lossy(), other(System.getenv("OLDER")), other(System.getenv("NEWER")));
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
    client.inventory().batchUpdateInventory(batch(PET + 1, 5, 100));
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
            + "\"refused\":{\"reason\":\"%s\",\"petId\":\"%s\"},\"items\":%d,\"usage\":%s}",
        strings(adjusted),
        strings(watched),
        resets.get(),
        disconnects.get(),
        strings(orders),
        refused.reason().orElseThrow(),
        refused.metadata().get("petId"),
        client.items().count(),
        usage);
  }

  private static BatchUpdateInventoryRequest batch(long pet, int quantity, int expected) {
    var update =
        QuantityUpdate.newBuilder()
            .setPetId(pet)
            .setQuantity(quantity)
            .setExpectedQuantity(expected);
    return BatchUpdateInventoryRequest.newBuilder().addUpdates(update).build();
  }

  /** Calls a server with another version of the contract. */
  private static String other(String url) throws Exception {
    try (var client = InventoryClient.create(url, KEY)) {
      int quantity = adjust(client, PET + 3).getItem().getQuantity();
      int limited =
          adjust(client, Long.parseLong(System.getenv("LIMITED_PET"))).getItem().getQuantity();
      String quarantined = "";
      try {
        adjust(client, Long.parseLong(System.getenv("QUARANTINED_PET")));
      } catch (InventoryException error) {
        quarantined = error.reasonName();
      }
      int batch = 0;
      try {
        client.inventory().batchUpdateInventory(batch(PET + 3, 9, quantity));
      } catch (InventoryException error) {
        batch = error.code().value();
      }
      var cancel = CancelOrderRequest.newBuilder().setOrderId(1).build();
      int cancelled = failure(() -> client.store().cancelOrder(cancel)).code().value();
      String statuses =
          client
              .items()
              .map(item -> String.valueOf(item.getStatusValue()))
              .collect(Collectors.joining(",", "[", "]"));
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
          "{\"quantity\":%d,\"limited\":%d,\"quarantined\":\"%s\",\"batch\":%d,\"cancelled\":%d,"
              + "\"statuses\":%s,\"events\":%s}",
          quantity, limited, quarantined, batch, cancelled, statuses, strings(events));
    }
  }
}
