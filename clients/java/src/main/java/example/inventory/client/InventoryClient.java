package example.inventory.client;

import example.inventory.v1.InventoryChange;
import example.inventory.v1.InventoryItem;
import example.inventory.v1.ListInventoryChangesRequest;
import example.inventory.v1.ListInventoryChangesResponse;
import example.inventory.v1.ListInventoryRequest;
import example.inventory.v1.ListInventoryResponse;
import example.inventory.v1.ListItemChangesRequest;
import example.inventory.v1.ListItemChangesResponse;
import example.store.v1.Hold;
import example.store.v1.HoldState;
import example.store.v1.ListHoldsRequest;
import example.store.v1.ListHoldsResponse;
import example.store.v1.ListOrdersRequest;
import example.store.v1.ListOrdersResponse;
import example.store.v1.Order;
import example.store.v1.PutHoldRequest;
import example.usage.v1.GetUsageRequest;
import example.usage.v1.GetUsageResponse;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A client of the inventory service. Any number of threads can use it. */
public final class InventoryClient implements AutoCloseable {
  private final ManagedChannel channel;
  private final Caller caller;
  private final InventoryServiceClient inventory;
  private final CatalogServiceClient catalog;
  private final StoreServiceClient store;
  private final AdminServiceClient admin;
  private final UsageServiceClient usage;
  private final Holds holds;

  private InventoryClient(Builder builder) {
    channel = builder.channel == null ? connect(builder.baseUrl) : builder.channel;
    caller =
        new Caller(
            channel, builder.apiKey, builder.timeout, builder.attemptTimeout, builder.maxRetries);
    inventory = new InventoryServiceClient(caller);
    catalog = new CatalogServiceClient(caller);
    store = new StoreServiceClient(caller);
    admin = new AdminServiceClient(caller);
    usage = new UsageServiceClient(caller);
    holds = new Holds(store, new StoreServiceClient(caller.within(Duration.ofSeconds(5))));
  }

  /**
   * Creates a client with the default options. It connects when it is used.
   *
   * @param baseUrl URL of the service, such as {@code https://inventory.example.com}
   */
  public static InventoryClient create(String baseUrl, String apiKey) {
    return builder(baseUrl, apiKey).build();
  }

  /**
   * Returns a builder for a client with other options.
   *
   * @param baseUrl URL of the service, such as {@code https://inventory.example.com}
   */
  public static Builder builder(String baseUrl, String apiKey) {
    return new Builder(baseUrl, apiKey);
  }

  /** The methods of {@code inventory.v1.InventoryService}. */
  public InventoryServiceClient inventory() {
    return inventory;
  }

  /** The methods of {@code catalog.v1.CatalogService}. */
  public CatalogServiceClient catalog() {
    return catalog;
  }

  /** The methods of {@code store.v1.StoreService}. */
  public StoreServiceClient store() {
    return store;
  }

  /** The methods of {@code admin.v1.AdminService}, for keys with the scope {@code admin}. */
  public AdminServiceClient admin() {
    return admin;
  }

  /** The channel, for methods that only the generated stubs have. They do not send the key. */
  public ManagedChannel channel() {
    return channel;
  }

  /** Streams all items, in ascending order of pet id. Reads a page when its first item is needed. */
  public Stream<InventoryItem> items() {
    var request = ListInventoryRequest.newBuilder().setPageSize(Pages.SIZE);
    return Pages.all(
        token -> inventory.listInventory(request.setPageToken(token).build()),
        ListInventoryResponse::getItemsList,
        ListInventoryResponse::getNextPageToken);
  }

  /** Streams the history of all pets, newest change first. */
  public Stream<InventoryChange> changes() {
    var request = ListInventoryChangesRequest.newBuilder().setPageSize(Pages.SMALL_SIZE);
    return Pages.all(
        token -> inventory.listInventoryChanges(request.setPageToken(token).build()),
        ListInventoryChangesResponse::getChangesList,
        ListInventoryChangesResponse::getNextPageToken);
  }

  /** Streams the history of one pet, newest change first. */
  public Stream<InventoryChange> itemChanges(long petId) {
    var request = ListItemChangesRequest.newBuilder().setPetId(petId).setPageSize(Pages.SMALL_SIZE);
    return Pages.all(
        token -> inventory.listItemChanges(request.setPageToken(token).build()),
        ListItemChangesResponse::getChangesList,
        ListItemChangesResponse::getNextPageToken);
  }

  /** Streams the orders of the account, newest first. */
  public Stream<Order> orders() {
    var request = ListOrdersRequest.newBuilder().setPageSize(Pages.SIZE);
    return Pages.all(
        token -> store.listOrders(request.setPageToken(token).build()),
        ListOrdersResponse::getOrdersList,
        ListOrdersResponse::getNextPageToken);
  }

  /** Streams the holds of the account in these states, or the active ones, those that began last first. */
  public Stream<Hold> holds(HoldState... states) {
    var request = ListHoldsRequest.newBuilder().setPageSize(Pages.SMALL_SIZE).addAllState(List.of(states));
    return Pages.all(
        token -> store.listHolds(request.setPageToken(token).build()),
        ListHoldsResponse::getHoldsList,
        ListHoldsResponse::getNextPageToken);
  }

  /**
   * Holds units, and calls a function. When it returns, the hold is confirmed. When it throws, the hold is released. Both
   * also happen if the thread is interrupted.
   *
   * @throws InventoryException if the units cannot be held
   * @throws E what the function throws
   * @throws HoldNotConfirmedException if the function has returned and the hold is not confirmed, such as after its end
   */
  public <T, E extends Exception> ConfirmedHold<T> withHold(
      PutHoldRequest request, HoldCallback<T, E> callback) throws E {
    return holds.with(request, callback);
  }

  /**
   * Returns the limits of the account, what is left of them, and its requests in the last hour and the last 30 days.
   */
  public GetUsageResponse usage() {
    return usage.getUsage(GetUsageRequest.getDefaultInstance());
  }

  /** Returns the whole stock, then every change once and in order. Reconnects by itself. Close it after use. */
  public Watch watch() {
    return watch(WatchOptions.DEFAULT);
  }

  /** Returns a watch with other options. */
  public Watch watch(WatchOptions options) {
    return new Watch(caller, options);
  }

  /** Closes the connection. Calls that run are cancelled. */
  @Override
  public void close() {
    channel.shutdownNow();
  }

  private static ManagedChannel connect(String baseUrl) {
    URI url = URI.create(baseUrl);
    boolean tls = "https".equals(url.getScheme());
    boolean hasPath = url.getPath() != null && !url.getPath().matches("/?");
    if (!tls && !"http".equals(url.getScheme()) || url.getHost() == null || hasPath) {
      throw new IllegalArgumentException(
          "The base URL must be such as https://inventory.example.com, without a path. It is " + baseUrl);
    }
    int port = url.getPort() >= 0 ? url.getPort() : tls ? 443 : 80;
    var credentials = tls ? TlsChannelCredentials.create() : InsecureChannelCredentials.create();
    return Grpc.newChannelBuilderForAddress(url.getHost(), port, credentials).build();
  }

  /** The options of a client. */
  public static final class Builder {
    private final String baseUrl;
    private Supplier<String> apiKey;
    private Duration timeout = Duration.ofSeconds(30);
    private Duration attemptTimeout = Duration.ofSeconds(10);
    private int maxRetries = 4;
    private ManagedChannel channel;

    private Builder(String baseUrl, String apiKey) {
      this.baseUrl = baseUrl;
      this.apiKey = () -> apiKey;
    }

    /** Asks for the API key before every attempt, so that it can be replaced while the program runs. */
    public Builder apiKey(Supplier<String> supplier) {
      apiKey = supplier;
      return this;
    }

    /** Limits a call with all its retries. The default is 30 s. */
    public Builder timeout(Duration limit) {
      timeout = limit;
      return this;
    }

    /** Limits each attempt. The default is 10 s. */
    public Builder attemptTimeout(Duration limit) {
      attemptTimeout = limit;
      return this;
    }

    /** Sets the number of retries after the first attempt. The default is 4; 0 turns retries off. */
    public Builder maxRetries(int retries) {
      maxRetries = retries;
      return this;
    }

    /** Uses a channel with other settings instead of the base URL. The client closes it. */
    public Builder channel(ManagedChannel other) {
      channel = other;
      return this;
    }

    public InventoryClient build() {
      return new InventoryClient(this);
    }
  }
}
