import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import example.inventory.v1.InventoryItem;
import example.inventory.v1.InventoryServiceGrpc;
import example.inventory.v1.InventoryServiceGrpc.InventoryServiceBlockingStub;
import example.inventory.v1.InventoryUpdate;
import example.inventory.v1.ListInventoryRequest;
import example.inventory.v1.UpdateInventoryRequest;
import example.inventory.v1.WatchInventoryRequest;
import example.inventory.v1.WatchInventoryResponse;
import example.store.v1.ListOrdersRequest;
import example.store.v1.PlaceOrderRequest;
import example.store.v1.StoreServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import java.net.URI;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/**
 * Calls the service with grpc-java. Environment variables describe the service and its data;
 * {@code npm run task clients} sets them.
 */
class InventoryTest {
  private static final ManagedChannel channel = open(env("URL"));
  private static final ManagedChannel down = open(env("DOWN_URL"));
  private static final long pet = Long.parseLong(env("PET"));

  private static final List<String> limits =
      List.of(
          "x-ratelimit-limit",
          "x-ratelimit-remaining",
          "x-ratelimit-reset",
          "ratelimit",
          "ratelimit-policy");

  private static String env(String name) {
    return Optional.ofNullable(System.getenv("INVENTORY_" + name))
        .orElseThrow(() -> new IllegalStateException("run `npm run task clients`"));
  }

  private static ManagedChannel open(String url) {
    return Grpc.newChannelBuilder(URI.create(url).getAuthority(), InsecureChannelCredentials.create())
        .build();
  }

  private static Metadata.Key<String> header(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private static <S extends AbstractStub<S>> S withKey(String key, S stub) {
    Metadata headers = new Metadata();
    headers.put(header("authorization"), "Bearer " + key);
    return stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private static InventoryServiceBlockingStub anonymous() {
    return InventoryServiceGrpc.newBlockingStub(channel);
  }

  private static InventoryServiceBlockingStub inventory(String key) {
    return withKey(env(key), anonymous());
  }

  private static StoreServiceGrpc.StoreServiceBlockingStub store() {
    return withKey(env("API_KEY"), StoreServiceGrpc.newBlockingStub(channel));
  }

  private static List<InventoryItem> list(InventoryServiceBlockingStub stub) {
    return stub.listInventory(ListInventoryRequest.getDefaultInstance()).getItemsList();
  }

  private static UpdateInventoryRequest.Builder updateOf(long pet, int quantity) {
    InventoryUpdate update = InventoryUpdate.newBuilder().setQuantity(quantity).build();
    return UpdateInventoryRequest.newBuilder().setPetId(pet).setUpdate(update);
  }

  private static InventoryItem update(String key, UpdateInventoryRequest.Builder request) {
    return inventory(key).updateInventory(request.build()).getItem();
  }

  private static InventoryItem update(String key, long pet, int quantity) {
    return update(key, updateOf(pet, quantity));
  }

  /** The error detail of one type; null if there is none. */
  private static <M extends Message> M detail(StatusRuntimeException error, Class<M> kind) {
    try {
      for (Any packed : StatusProto.fromThrowable(error).getDetailsList()) {
        if (packed.is(kind)) {
          return packed.unpack(kind);
        }
      }
      return null;
    } catch (InvalidProtocolBufferException malformed) {
      throw new AssertionError(malformed);
    }
  }

  @AfterAll
  static void close() {
    channel.shutdownNow();
    down.shutdownNow();
  }

  @Test
  void updatesAndListsAnExactId() {
    assertEquals(pet, update("API_KEY", pet, 11).getPetId());
    assertTrue(
        list(inventory("API_KEY")).stream()
            .anyMatch(item -> item.getPetId() == pet && item.getQuantity() == 11));
  }

  @Test
  void readsTheLimits() {
    AtomicReference<Metadata> headers = new AtomicReference<>();
    store()
        .withInterceptors(
            MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>()))
        .listOrders(ListOrdersRequest.getDefaultInstance());
    for (String name : limits) {
      assertNotNull(headers.get().get(header(name)), name);
    }
    assertTrue(Integer.parseInt(headers.get().get(header("x-ratelimit-remaining"))) > 0);
  }

  @Test
  void keepsADeadline() {
    // A watch does not end by itself.
    Iterator<WatchInventoryResponse> watch =
        inventory("API_KEY")
            .withDeadlineAfter(200, TimeUnit.MILLISECONDS)
            .watchInventory(WatchInventoryRequest.getDefaultInstance());
    StatusRuntimeException error =
        assertThrows(
            StatusRuntimeException.class, () -> watch.forEachRemaining(message -> {}));
    assertEquals(Code.DEADLINE_EXCEEDED, error.getStatus().getCode());
  }

  @TestFactory
  Stream<DynamicTest> refused() {
    return Stream.of(
        refused("KEY_MISSING", Code.UNAUTHENTICATED, "", () -> list(anonymous())),
        refused("FIELD_INVALID", Code.INVALID_ARGUMENT, "", () -> update("API_KEY", pet, -1)),
        refused(
            "PET_NOT_FOUND", Code.NOT_FOUND, "petId", () -> update("API_KEY", Long.MAX_VALUE, 1)),
        refused(
            "STOCK_TOO_SMALL",
            Code.FAILED_PRECONDITION,
            "available",
            () ->
                store()
                    .placeOrder(
                        PlaceOrderRequest.newBuilder()
                            .setPetId(pet)
                            .setQuantity(Integer.MAX_VALUE)
                            .build())),
        refused(
            "VERSION_MISMATCH",
            Code.ABORTED,
            "version",
            () -> update("API_KEY", updateOf(pet, 1).setExpectedVersion(Long.MAX_VALUE))),
        refused(
            "MESSAGE_TOO_LARGE",
            Code.RESOURCE_EXHAUSTED,
            "",
            () -> update("API_KEY", updateOf(pet, 1).setNote("z".repeat(100_000)))),
        refused(
            "STORE_UNAVAILABLE",
            Code.UNAVAILABLE,
            "",
            () -> list(withKey(env("API_KEY"), InventoryServiceGrpc.newBlockingStub(down)))));
  }

  /** @param metadata a key of the ErrorInfo's metadata; empty if there is none */
  private static DynamicTest refused(String reason, Code code, String metadata, Executable call) {
    return DynamicTest.dynamicTest(
        reason,
        () -> {
          StatusRuntimeException error = assertThrows(StatusRuntimeException.class, call);
          assertEquals(code, error.getStatus().getCode());
          ErrorInfo info = detail(error, ErrorInfo.class);
          assertEquals(reason, info.getReason());
          assertEquals("inventory", info.getDomain());
          assertTrue(metadata.isEmpty() || info.containsMetadata(metadata));
          if (reason.equals("STORE_UNAVAILABLE")) { // Temporary: it says how long to wait.
            assertTrue(detail(error, RetryInfo.class).getRetryDelay().getSeconds() >= 1);
          }
          if (reason.equals("FIELD_INVALID")) {
            BadRequest wrong = detail(error, BadRequest.class);
            assertEquals("update.quantity", wrong.getFieldViolations(0).getField());
          }
        });
  }

  @TestFactory
  DynamicTest waitsAsToldWhenRefused() {
    return DynamicTest.dynamicTest(
        "RATE_LIMITED",
        () -> {
          InventoryServiceBlockingStub limited = inventory("LIMITED_KEY");
          StatusRuntimeException refused =
              assertThrows(
                  StatusRuntimeException.class,
                  () -> {
                    for (int i = 0; i < 100; i++) {
                      list(limited);
                    }
                  });
          assertEquals("RATE_LIMITED", detail(refused, ErrorInfo.class).getReason());
          RetryInfo retry = detail(refused, RetryInfo.class);
          TimeUnit.SECONDS.sleep(retry.getRetryDelay().getSeconds());
          list(limited);
        });
  }
}
