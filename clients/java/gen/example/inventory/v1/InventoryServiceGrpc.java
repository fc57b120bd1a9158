package example.inventory.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Reads and changes the stock levels of the pets in a store.
 * Every call needs an API key (`authorization: Bearer &lt;key&gt;`). It counts as one request
 * against the minute and day limits of the key's account; BatchUpdateInventory can count
 * as more. Every response reports these limits in `x-ratelimit-*` and `ratelimit` headers.
 * RPC ignores unknown request fields, in binary and in JSON. JSON over HTTP rejects
 * unknown members and query parameters with INVALID_ARGUMENT.
 * Versions, entity tags, page tokens and resume tokens are opaque. Send them back as they
 * are, and compare them for equality only: do not order them or calculate with them.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class InventoryServiceGrpc {

  private InventoryServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "inventory.v1.InventoryService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.ListInventoryRequest,
      example.inventory.v1.ListInventoryResponse> getListInventoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListInventory",
      requestType = example.inventory.v1.ListInventoryRequest.class,
      responseType = example.inventory.v1.ListInventoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.inventory.v1.ListInventoryRequest,
      example.inventory.v1.ListInventoryResponse> getListInventoryMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.ListInventoryRequest, example.inventory.v1.ListInventoryResponse> getListInventoryMethod;
    if ((getListInventoryMethod = InventoryServiceGrpc.getListInventoryMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getListInventoryMethod = InventoryServiceGrpc.getListInventoryMethod) == null) {
          InventoryServiceGrpc.getListInventoryMethod = getListInventoryMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.ListInventoryRequest, example.inventory.v1.ListInventoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListInventory"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.ListInventoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.ListInventoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("ListInventory"))
              .build();
        }
      }
    }
    return getListInventoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.UpdateInventoryRequest,
      example.inventory.v1.UpdateInventoryResponse> getUpdateInventoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateInventory",
      requestType = example.inventory.v1.UpdateInventoryRequest.class,
      responseType = example.inventory.v1.UpdateInventoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.inventory.v1.UpdateInventoryRequest,
      example.inventory.v1.UpdateInventoryResponse> getUpdateInventoryMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.UpdateInventoryRequest, example.inventory.v1.UpdateInventoryResponse> getUpdateInventoryMethod;
    if ((getUpdateInventoryMethod = InventoryServiceGrpc.getUpdateInventoryMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getUpdateInventoryMethod = InventoryServiceGrpc.getUpdateInventoryMethod) == null) {
          InventoryServiceGrpc.getUpdateInventoryMethod = getUpdateInventoryMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.UpdateInventoryRequest, example.inventory.v1.UpdateInventoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateInventory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.UpdateInventoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.UpdateInventoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("UpdateInventory"))
              .build();
        }
      }
    }
    return getUpdateInventoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.GetInventoryItemRequest,
      example.inventory.v1.GetInventoryItemResponse> getGetInventoryItemMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetInventoryItem",
      requestType = example.inventory.v1.GetInventoryItemRequest.class,
      responseType = example.inventory.v1.GetInventoryItemResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.inventory.v1.GetInventoryItemRequest,
      example.inventory.v1.GetInventoryItemResponse> getGetInventoryItemMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.GetInventoryItemRequest, example.inventory.v1.GetInventoryItemResponse> getGetInventoryItemMethod;
    if ((getGetInventoryItemMethod = InventoryServiceGrpc.getGetInventoryItemMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getGetInventoryItemMethod = InventoryServiceGrpc.getGetInventoryItemMethod) == null) {
          InventoryServiceGrpc.getGetInventoryItemMethod = getGetInventoryItemMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.GetInventoryItemRequest, example.inventory.v1.GetInventoryItemResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetInventoryItem"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.GetInventoryItemRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.GetInventoryItemResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("GetInventoryItem"))
              .build();
        }
      }
    }
    return getGetInventoryItemMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.AdjustInventoryRequest,
      example.inventory.v1.AdjustInventoryResponse> getAdjustInventoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AdjustInventory",
      requestType = example.inventory.v1.AdjustInventoryRequest.class,
      responseType = example.inventory.v1.AdjustInventoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.inventory.v1.AdjustInventoryRequest,
      example.inventory.v1.AdjustInventoryResponse> getAdjustInventoryMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.AdjustInventoryRequest, example.inventory.v1.AdjustInventoryResponse> getAdjustInventoryMethod;
    if ((getAdjustInventoryMethod = InventoryServiceGrpc.getAdjustInventoryMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getAdjustInventoryMethod = InventoryServiceGrpc.getAdjustInventoryMethod) == null) {
          InventoryServiceGrpc.getAdjustInventoryMethod = getAdjustInventoryMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.AdjustInventoryRequest, example.inventory.v1.AdjustInventoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AdjustInventory"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.AdjustInventoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.AdjustInventoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("AdjustInventory"))
              .build();
        }
      }
    }
    return getAdjustInventoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.BatchUpdateInventoryRequest,
      example.inventory.v1.BatchUpdateInventoryResponse> getBatchUpdateInventoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchUpdateInventory",
      requestType = example.inventory.v1.BatchUpdateInventoryRequest.class,
      responseType = example.inventory.v1.BatchUpdateInventoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.inventory.v1.BatchUpdateInventoryRequest,
      example.inventory.v1.BatchUpdateInventoryResponse> getBatchUpdateInventoryMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.BatchUpdateInventoryRequest, example.inventory.v1.BatchUpdateInventoryResponse> getBatchUpdateInventoryMethod;
    if ((getBatchUpdateInventoryMethod = InventoryServiceGrpc.getBatchUpdateInventoryMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getBatchUpdateInventoryMethod = InventoryServiceGrpc.getBatchUpdateInventoryMethod) == null) {
          InventoryServiceGrpc.getBatchUpdateInventoryMethod = getBatchUpdateInventoryMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.BatchUpdateInventoryRequest, example.inventory.v1.BatchUpdateInventoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchUpdateInventory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.BatchUpdateInventoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.BatchUpdateInventoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("BatchUpdateInventory"))
              .build();
        }
      }
    }
    return getBatchUpdateInventoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.ListInventoryChangesRequest,
      example.inventory.v1.ListInventoryChangesResponse> getListInventoryChangesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListInventoryChanges",
      requestType = example.inventory.v1.ListInventoryChangesRequest.class,
      responseType = example.inventory.v1.ListInventoryChangesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.inventory.v1.ListInventoryChangesRequest,
      example.inventory.v1.ListInventoryChangesResponse> getListInventoryChangesMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.ListInventoryChangesRequest, example.inventory.v1.ListInventoryChangesResponse> getListInventoryChangesMethod;
    if ((getListInventoryChangesMethod = InventoryServiceGrpc.getListInventoryChangesMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getListInventoryChangesMethod = InventoryServiceGrpc.getListInventoryChangesMethod) == null) {
          InventoryServiceGrpc.getListInventoryChangesMethod = getListInventoryChangesMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.ListInventoryChangesRequest, example.inventory.v1.ListInventoryChangesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListInventoryChanges"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.ListInventoryChangesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.ListInventoryChangesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("ListInventoryChanges"))
              .build();
        }
      }
    }
    return getListInventoryChangesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.ListItemChangesRequest,
      example.inventory.v1.ListItemChangesResponse> getListItemChangesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListItemChanges",
      requestType = example.inventory.v1.ListItemChangesRequest.class,
      responseType = example.inventory.v1.ListItemChangesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.inventory.v1.ListItemChangesRequest,
      example.inventory.v1.ListItemChangesResponse> getListItemChangesMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.ListItemChangesRequest, example.inventory.v1.ListItemChangesResponse> getListItemChangesMethod;
    if ((getListItemChangesMethod = InventoryServiceGrpc.getListItemChangesMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getListItemChangesMethod = InventoryServiceGrpc.getListItemChangesMethod) == null) {
          InventoryServiceGrpc.getListItemChangesMethod = getListItemChangesMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.ListItemChangesRequest, example.inventory.v1.ListItemChangesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListItemChanges"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.ListItemChangesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.ListItemChangesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("ListItemChanges"))
              .build();
        }
      }
    }
    return getListItemChangesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.inventory.v1.WatchInventoryRequest,
      example.inventory.v1.WatchInventoryResponse> getWatchInventoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WatchInventory",
      requestType = example.inventory.v1.WatchInventoryRequest.class,
      responseType = example.inventory.v1.WatchInventoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<example.inventory.v1.WatchInventoryRequest,
      example.inventory.v1.WatchInventoryResponse> getWatchInventoryMethod() {
    io.grpc.MethodDescriptor<example.inventory.v1.WatchInventoryRequest, example.inventory.v1.WatchInventoryResponse> getWatchInventoryMethod;
    if ((getWatchInventoryMethod = InventoryServiceGrpc.getWatchInventoryMethod) == null) {
      synchronized (InventoryServiceGrpc.class) {
        if ((getWatchInventoryMethod = InventoryServiceGrpc.getWatchInventoryMethod) == null) {
          InventoryServiceGrpc.getWatchInventoryMethod = getWatchInventoryMethod =
              io.grpc.MethodDescriptor.<example.inventory.v1.WatchInventoryRequest, example.inventory.v1.WatchInventoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WatchInventory"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.WatchInventoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.inventory.v1.WatchInventoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new InventoryServiceMethodDescriptorSupplier("WatchInventory"))
              .build();
        }
      }
    }
    return getWatchInventoryMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static InventoryServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<InventoryServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<InventoryServiceStub>() {
        @java.lang.Override
        public InventoryServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new InventoryServiceStub(channel, callOptions);
        }
      };
    return InventoryServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static InventoryServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<InventoryServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<InventoryServiceBlockingV2Stub>() {
        @java.lang.Override
        public InventoryServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new InventoryServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return InventoryServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static InventoryServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<InventoryServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<InventoryServiceBlockingStub>() {
        @java.lang.Override
        public InventoryServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new InventoryServiceBlockingStub(channel, callOptions);
        }
      };
    return InventoryServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static InventoryServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<InventoryServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<InventoryServiceFutureStub>() {
        @java.lang.Override
        public InventoryServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new InventoryServiceFutureStub(channel, callOptions);
        }
      };
    return InventoryServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Reads and changes the stock levels of the pets in a store.
   * Every call needs an API key (`authorization: Bearer &lt;key&gt;`). It counts as one request
   * against the minute and day limits of the key's account; BatchUpdateInventory can count
   * as more. Every response reports these limits in `x-ratelimit-*` and `ratelimit` headers.
   * RPC ignores unknown request fields, in binary and in JSON. JSON over HTTP rejects
   * unknown members and query parameters with INVALID_ARGUMENT.
   * Versions, entity tags, page tokens and resume tokens are opaque. Send them back as they
   * are, and compare them for equality only: do not order them or calculate with them.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Returns the current stock levels of all pets, in ascending order of pet id. Without
     * `page_size` and `page_token`, one response has the whole list.
     * An item takes up to 20 bytes in binary and 90 bytes in JSON. Many gRPC clients accept
     * at most 4 MiB in one message; the whole list exceeds that at about 200,000 pets. Such
     * clients request pages of up to 1,000 items, or raise their limit.
     * The entity tag (`ETag`) of the response is the version of the stock. It stays the same
     * until something changes.
     * </pre>
     */
    default void listInventory(example.inventory.v1.ListInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.ListInventoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListInventoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets the stock quantity of one pet, for new arrivals, returns or manual adjustments.
     * The status of the pet does not change.
     * Fails with NOT_FOUND when the store has no such pet. Send `If-Match` to change the item
     * only if it has not changed since it was read. `If-None-Match` excludes versions. Send
     * `Idempotency-Key` to make a retry safe.
     * </pre>
     */
    default void updateInventory(example.inventory.v1.UpdateInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.UpdateInventoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateInventoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the stock of one pet. The entity tag (`ETag`) is the version of the item.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    default void getInventoryItem(example.inventory.v1.GetInventoryItemRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.GetInventoryItemResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetInventoryItemMethod(), responseObserver);
    }

    /**
     * <pre>
     * Adds a positive or negative amount to the stock quantity of one pet. Concurrent
     * adjustments add up.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the quantity would be less than 0 or more than 2147483647; the error names the current
     * quantity.
     * </pre>
     */
    default void adjustInventory(example.inventory.v1.AdjustInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.AdjustInventoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAdjustInventoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets the stock quantities of several pets, all or none.
     * If one update fails, nothing is changed. The error has the code of the first update that
     * fails. It lists the first 20 of them, such as `updates[3].pet_id` or
     * `updates[3].expected_version`, and counts the others.
     * A batch counts as one request for every 20 updates, rounded up: 1,000 updates count as
     * 50 requests. A batch that exceeds either limit is rejected with RESOURCE_EXHAUSTED;
     * nothing is changed and nothing is counted. A retry with the same idempotency key counts
     * again.
     * </pre>
     */
    default void batchUpdateInventory(example.inventory.v1.BatchUpdateInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.BatchUpdateInventoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchUpdateInventoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the history of all pets, newest change first, one page at a time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * </pre>
     */
    default void listInventoryChanges(example.inventory.v1.ListInventoryChangesRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.ListInventoryChangesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListInventoryChangesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the history of one pet since it was added, newest change first, one page at a
     * time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    default void listItemChanges(example.inventory.v1.ListItemChangesRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.ListItemChangesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListItemChangesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sends the whole stock, then every change in order, until the client disconnects.
     * The stock arrives in several `snapshot` messages; a `ready` message follows the last
     * one. To continue after a lost connection, send the last `resume_token`: no change is
     * missed. Clients of server-sent events send it as `Last-Event-ID`.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with the reason WATCH_EXPIRED when the history no longer has all changes since the
     * token: start again without a token. Fails with RESOURCE_EXHAUSTED when the client reads
     * too slowly, or when its key or account has too many open watches. Fails with UNAVAILABLE
     * when the server shuts down, and with UNAUTHENTICATED when the key is revoked or expires.
     * </pre>
     */
    default void watchInventory(example.inventory.v1.WatchInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.WatchInventoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWatchInventoryMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service InventoryService.
   * <pre>
   * Reads and changes the stock levels of the pets in a store.
   * Every call needs an API key (`authorization: Bearer &lt;key&gt;`). It counts as one request
   * against the minute and day limits of the key's account; BatchUpdateInventory can count
   * as more. Every response reports these limits in `x-ratelimit-*` and `ratelimit` headers.
   * RPC ignores unknown request fields, in binary and in JSON. JSON over HTTP rejects
   * unknown members and query parameters with INVALID_ARGUMENT.
   * Versions, entity tags, page tokens and resume tokens are opaque. Send them back as they
   * are, and compare them for equality only: do not order them or calculate with them.
   * </pre>
   */
  public static abstract class InventoryServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return InventoryServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service InventoryService.
   * <pre>
   * Reads and changes the stock levels of the pets in a store.
   * Every call needs an API key (`authorization: Bearer &lt;key&gt;`). It counts as one request
   * against the minute and day limits of the key's account; BatchUpdateInventory can count
   * as more. Every response reports these limits in `x-ratelimit-*` and `ratelimit` headers.
   * RPC ignores unknown request fields, in binary and in JSON. JSON over HTTP rejects
   * unknown members and query parameters with INVALID_ARGUMENT.
   * Versions, entity tags, page tokens and resume tokens are opaque. Send them back as they
   * are, and compare them for equality only: do not order them or calculate with them.
   * </pre>
   */
  public static final class InventoryServiceStub
      extends io.grpc.stub.AbstractAsyncStub<InventoryServiceStub> {
    private InventoryServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected InventoryServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new InventoryServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the current stock levels of all pets, in ascending order of pet id. Without
     * `page_size` and `page_token`, one response has the whole list.
     * An item takes up to 20 bytes in binary and 90 bytes in JSON. Many gRPC clients accept
     * at most 4 MiB in one message; the whole list exceeds that at about 200,000 pets. Such
     * clients request pages of up to 1,000 items, or raise their limit.
     * The entity tag (`ETag`) of the response is the version of the stock. It stays the same
     * until something changes.
     * </pre>
     */
    public void listInventory(example.inventory.v1.ListInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.ListInventoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListInventoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets the stock quantity of one pet, for new arrivals, returns or manual adjustments.
     * The status of the pet does not change.
     * Fails with NOT_FOUND when the store has no such pet. Send `If-Match` to change the item
     * only if it has not changed since it was read. `If-None-Match` excludes versions. Send
     * `Idempotency-Key` to make a retry safe.
     * </pre>
     */
    public void updateInventory(example.inventory.v1.UpdateInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.UpdateInventoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateInventoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the stock of one pet. The entity tag (`ETag`) is the version of the item.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public void getInventoryItem(example.inventory.v1.GetInventoryItemRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.GetInventoryItemResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetInventoryItemMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Adds a positive or negative amount to the stock quantity of one pet. Concurrent
     * adjustments add up.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the quantity would be less than 0 or more than 2147483647; the error names the current
     * quantity.
     * </pre>
     */
    public void adjustInventory(example.inventory.v1.AdjustInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.AdjustInventoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAdjustInventoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets the stock quantities of several pets, all or none.
     * If one update fails, nothing is changed. The error has the code of the first update that
     * fails. It lists the first 20 of them, such as `updates[3].pet_id` or
     * `updates[3].expected_version`, and counts the others.
     * A batch counts as one request for every 20 updates, rounded up: 1,000 updates count as
     * 50 requests. A batch that exceeds either limit is rejected with RESOURCE_EXHAUSTED;
     * nothing is changed and nothing is counted. A retry with the same idempotency key counts
     * again.
     * </pre>
     */
    public void batchUpdateInventory(example.inventory.v1.BatchUpdateInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.BatchUpdateInventoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchUpdateInventoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the history of all pets, newest change first, one page at a time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * </pre>
     */
    public void listInventoryChanges(example.inventory.v1.ListInventoryChangesRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.ListInventoryChangesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListInventoryChangesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the history of one pet since it was added, newest change first, one page at a
     * time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public void listItemChanges(example.inventory.v1.ListItemChangesRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.ListItemChangesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListItemChangesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sends the whole stock, then every change in order, until the client disconnects.
     * The stock arrives in several `snapshot` messages; a `ready` message follows the last
     * one. To continue after a lost connection, send the last `resume_token`: no change is
     * missed. Clients of server-sent events send it as `Last-Event-ID`.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with the reason WATCH_EXPIRED when the history no longer has all changes since the
     * token: start again without a token. Fails with RESOURCE_EXHAUSTED when the client reads
     * too slowly, or when its key or account has too many open watches. Fails with UNAVAILABLE
     * when the server shuts down, and with UNAUTHENTICATED when the key is revoked or expires.
     * </pre>
     */
    public void watchInventory(example.inventory.v1.WatchInventoryRequest request,
        io.grpc.stub.StreamObserver<example.inventory.v1.WatchInventoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWatchInventoryMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service InventoryService.
   * <pre>
   * Reads and changes the stock levels of the pets in a store.
   * Every call needs an API key (`authorization: Bearer &lt;key&gt;`). It counts as one request
   * against the minute and day limits of the key's account; BatchUpdateInventory can count
   * as more. Every response reports these limits in `x-ratelimit-*` and `ratelimit` headers.
   * RPC ignores unknown request fields, in binary and in JSON. JSON over HTTP rejects
   * unknown members and query parameters with INVALID_ARGUMENT.
   * Versions, entity tags, page tokens and resume tokens are opaque. Send them back as they
   * are, and compare them for equality only: do not order them or calculate with them.
   * </pre>
   */
  public static final class InventoryServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<InventoryServiceBlockingV2Stub> {
    private InventoryServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected InventoryServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new InventoryServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the current stock levels of all pets, in ascending order of pet id. Without
     * `page_size` and `page_token`, one response has the whole list.
     * An item takes up to 20 bytes in binary and 90 bytes in JSON. Many gRPC clients accept
     * at most 4 MiB in one message; the whole list exceeds that at about 200,000 pets. Such
     * clients request pages of up to 1,000 items, or raise their limit.
     * The entity tag (`ETag`) of the response is the version of the stock. It stays the same
     * until something changes.
     * </pre>
     */
    public example.inventory.v1.ListInventoryResponse listInventory(example.inventory.v1.ListInventoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the stock quantity of one pet, for new arrivals, returns or manual adjustments.
     * The status of the pet does not change.
     * Fails with NOT_FOUND when the store has no such pet. Send `If-Match` to change the item
     * only if it has not changed since it was read. `If-None-Match` excludes versions. Send
     * `Idempotency-Key` to make a retry safe.
     * </pre>
     */
    public example.inventory.v1.UpdateInventoryResponse updateInventory(example.inventory.v1.UpdateInventoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the stock of one pet. The entity tag (`ETag`) is the version of the item.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public example.inventory.v1.GetInventoryItemResponse getInventoryItem(example.inventory.v1.GetInventoryItemRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetInventoryItemMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Adds a positive or negative amount to the stock quantity of one pet. Concurrent
     * adjustments add up.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the quantity would be less than 0 or more than 2147483647; the error names the current
     * quantity.
     * </pre>
     */
    public example.inventory.v1.AdjustInventoryResponse adjustInventory(example.inventory.v1.AdjustInventoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAdjustInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the stock quantities of several pets, all or none.
     * If one update fails, nothing is changed. The error has the code of the first update that
     * fails. It lists the first 20 of them, such as `updates[3].pet_id` or
     * `updates[3].expected_version`, and counts the others.
     * A batch counts as one request for every 20 updates, rounded up: 1,000 updates count as
     * 50 requests. A batch that exceeds either limit is rejected with RESOURCE_EXHAUSTED;
     * nothing is changed and nothing is counted. A retry with the same idempotency key counts
     * again.
     * </pre>
     */
    public example.inventory.v1.BatchUpdateInventoryResponse batchUpdateInventory(example.inventory.v1.BatchUpdateInventoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchUpdateInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the history of all pets, newest change first, one page at a time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * </pre>
     */
    public example.inventory.v1.ListInventoryChangesResponse listInventoryChanges(example.inventory.v1.ListInventoryChangesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListInventoryChangesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the history of one pet since it was added, newest change first, one page at a
     * time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public example.inventory.v1.ListItemChangesResponse listItemChanges(example.inventory.v1.ListItemChangesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListItemChangesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sends the whole stock, then every change in order, until the client disconnects.
     * The stock arrives in several `snapshot` messages; a `ready` message follows the last
     * one. To continue after a lost connection, send the last `resume_token`: no change is
     * missed. Clients of server-sent events send it as `Last-Event-ID`.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with the reason WATCH_EXPIRED when the history no longer has all changes since the
     * token: start again without a token. Fails with RESOURCE_EXHAUSTED when the client reads
     * too slowly, or when its key or account has too many open watches. Fails with UNAVAILABLE
     * when the server shuts down, and with UNAUTHENTICATED when the key is revoked or expires.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, example.inventory.v1.WatchInventoryResponse>
        watchInventory(example.inventory.v1.WatchInventoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWatchInventoryMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service InventoryService.
   * <pre>
   * Reads and changes the stock levels of the pets in a store.
   * Every call needs an API key (`authorization: Bearer &lt;key&gt;`). It counts as one request
   * against the minute and day limits of the key's account; BatchUpdateInventory can count
   * as more. Every response reports these limits in `x-ratelimit-*` and `ratelimit` headers.
   * RPC ignores unknown request fields, in binary and in JSON. JSON over HTTP rejects
   * unknown members and query parameters with INVALID_ARGUMENT.
   * Versions, entity tags, page tokens and resume tokens are opaque. Send them back as they
   * are, and compare them for equality only: do not order them or calculate with them.
   * </pre>
   */
  public static final class InventoryServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<InventoryServiceBlockingStub> {
    private InventoryServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected InventoryServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new InventoryServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the current stock levels of all pets, in ascending order of pet id. Without
     * `page_size` and `page_token`, one response has the whole list.
     * An item takes up to 20 bytes in binary and 90 bytes in JSON. Many gRPC clients accept
     * at most 4 MiB in one message; the whole list exceeds that at about 200,000 pets. Such
     * clients request pages of up to 1,000 items, or raise their limit.
     * The entity tag (`ETag`) of the response is the version of the stock. It stays the same
     * until something changes.
     * </pre>
     */
    public example.inventory.v1.ListInventoryResponse listInventory(example.inventory.v1.ListInventoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the stock quantity of one pet, for new arrivals, returns or manual adjustments.
     * The status of the pet does not change.
     * Fails with NOT_FOUND when the store has no such pet. Send `If-Match` to change the item
     * only if it has not changed since it was read. `If-None-Match` excludes versions. Send
     * `Idempotency-Key` to make a retry safe.
     * </pre>
     */
    public example.inventory.v1.UpdateInventoryResponse updateInventory(example.inventory.v1.UpdateInventoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the stock of one pet. The entity tag (`ETag`) is the version of the item.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public example.inventory.v1.GetInventoryItemResponse getInventoryItem(example.inventory.v1.GetInventoryItemRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetInventoryItemMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Adds a positive or negative amount to the stock quantity of one pet. Concurrent
     * adjustments add up.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the quantity would be less than 0 or more than 2147483647; the error names the current
     * quantity.
     * </pre>
     */
    public example.inventory.v1.AdjustInventoryResponse adjustInventory(example.inventory.v1.AdjustInventoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAdjustInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the stock quantities of several pets, all or none.
     * If one update fails, nothing is changed. The error has the code of the first update that
     * fails. It lists the first 20 of them, such as `updates[3].pet_id` or
     * `updates[3].expected_version`, and counts the others.
     * A batch counts as one request for every 20 updates, rounded up: 1,000 updates count as
     * 50 requests. A batch that exceeds either limit is rejected with RESOURCE_EXHAUSTED;
     * nothing is changed and nothing is counted. A retry with the same idempotency key counts
     * again.
     * </pre>
     */
    public example.inventory.v1.BatchUpdateInventoryResponse batchUpdateInventory(example.inventory.v1.BatchUpdateInventoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchUpdateInventoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the history of all pets, newest change first, one page at a time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * </pre>
     */
    public example.inventory.v1.ListInventoryChangesResponse listInventoryChanges(example.inventory.v1.ListInventoryChangesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListInventoryChangesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the history of one pet since it was added, newest change first, one page at a
     * time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public example.inventory.v1.ListItemChangesResponse listItemChanges(example.inventory.v1.ListItemChangesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListItemChangesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sends the whole stock, then every change in order, until the client disconnects.
     * The stock arrives in several `snapshot` messages; a `ready` message follows the last
     * one. To continue after a lost connection, send the last `resume_token`: no change is
     * missed. Clients of server-sent events send it as `Last-Event-ID`.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with the reason WATCH_EXPIRED when the history no longer has all changes since the
     * token: start again without a token. Fails with RESOURCE_EXHAUSTED when the client reads
     * too slowly, or when its key or account has too many open watches. Fails with UNAVAILABLE
     * when the server shuts down, and with UNAUTHENTICATED when the key is revoked or expires.
     * </pre>
     */
    public java.util.Iterator<example.inventory.v1.WatchInventoryResponse> watchInventory(
        example.inventory.v1.WatchInventoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWatchInventoryMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service InventoryService.
   * <pre>
   * Reads and changes the stock levels of the pets in a store.
   * Every call needs an API key (`authorization: Bearer &lt;key&gt;`). It counts as one request
   * against the minute and day limits of the key's account; BatchUpdateInventory can count
   * as more. Every response reports these limits in `x-ratelimit-*` and `ratelimit` headers.
   * RPC ignores unknown request fields, in binary and in JSON. JSON over HTTP rejects
   * unknown members and query parameters with INVALID_ARGUMENT.
   * Versions, entity tags, page tokens and resume tokens are opaque. Send them back as they
   * are, and compare them for equality only: do not order them or calculate with them.
   * </pre>
   */
  public static final class InventoryServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<InventoryServiceFutureStub> {
    private InventoryServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected InventoryServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new InventoryServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the current stock levels of all pets, in ascending order of pet id. Without
     * `page_size` and `page_token`, one response has the whole list.
     * An item takes up to 20 bytes in binary and 90 bytes in JSON. Many gRPC clients accept
     * at most 4 MiB in one message; the whole list exceeds that at about 200,000 pets. Such
     * clients request pages of up to 1,000 items, or raise their limit.
     * The entity tag (`ETag`) of the response is the version of the stock. It stays the same
     * until something changes.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.inventory.v1.ListInventoryResponse> listInventory(
        example.inventory.v1.ListInventoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListInventoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets the stock quantity of one pet, for new arrivals, returns or manual adjustments.
     * The status of the pet does not change.
     * Fails with NOT_FOUND when the store has no such pet. Send `If-Match` to change the item
     * only if it has not changed since it was read. `If-None-Match` excludes versions. Send
     * `Idempotency-Key` to make a retry safe.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.inventory.v1.UpdateInventoryResponse> updateInventory(
        example.inventory.v1.UpdateInventoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateInventoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the stock of one pet. The entity tag (`ETag`) is the version of the item.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.inventory.v1.GetInventoryItemResponse> getInventoryItem(
        example.inventory.v1.GetInventoryItemRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetInventoryItemMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Adds a positive or negative amount to the stock quantity of one pet. Concurrent
     * adjustments add up.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the quantity would be less than 0 or more than 2147483647; the error names the current
     * quantity.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.inventory.v1.AdjustInventoryResponse> adjustInventory(
        example.inventory.v1.AdjustInventoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAdjustInventoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets the stock quantities of several pets, all or none.
     * If one update fails, nothing is changed. The error has the code of the first update that
     * fails. It lists the first 20 of them, such as `updates[3].pet_id` or
     * `updates[3].expected_version`, and counts the others.
     * A batch counts as one request for every 20 updates, rounded up: 1,000 updates count as
     * 50 requests. A batch that exceeds either limit is rejected with RESOURCE_EXHAUSTED;
     * nothing is changed and nothing is counted. A retry with the same idempotency key counts
     * again.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.inventory.v1.BatchUpdateInventoryResponse> batchUpdateInventory(
        example.inventory.v1.BatchUpdateInventoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchUpdateInventoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the history of all pets, newest change first, one page at a time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.inventory.v1.ListInventoryChangesResponse> listInventoryChanges(
        example.inventory.v1.ListInventoryChangesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListInventoryChangesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the history of one pet since it was added, newest change first, one page at a
     * time.
     * The origin of a change (account, key, request id), its note and its reference are
     * visible to the account that made it and to keys with the scope `inventory:audit`.
     * Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.inventory.v1.ListItemChangesResponse> listItemChanges(
        example.inventory.v1.ListItemChangesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListItemChangesMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_LIST_INVENTORY = 0;
  private static final int METHODID_UPDATE_INVENTORY = 1;
  private static final int METHODID_GET_INVENTORY_ITEM = 2;
  private static final int METHODID_ADJUST_INVENTORY = 3;
  private static final int METHODID_BATCH_UPDATE_INVENTORY = 4;
  private static final int METHODID_LIST_INVENTORY_CHANGES = 5;
  private static final int METHODID_LIST_ITEM_CHANGES = 6;
  private static final int METHODID_WATCH_INVENTORY = 7;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_LIST_INVENTORY:
          serviceImpl.listInventory((example.inventory.v1.ListInventoryRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.ListInventoryResponse>) responseObserver);
          break;
        case METHODID_UPDATE_INVENTORY:
          serviceImpl.updateInventory((example.inventory.v1.UpdateInventoryRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.UpdateInventoryResponse>) responseObserver);
          break;
        case METHODID_GET_INVENTORY_ITEM:
          serviceImpl.getInventoryItem((example.inventory.v1.GetInventoryItemRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.GetInventoryItemResponse>) responseObserver);
          break;
        case METHODID_ADJUST_INVENTORY:
          serviceImpl.adjustInventory((example.inventory.v1.AdjustInventoryRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.AdjustInventoryResponse>) responseObserver);
          break;
        case METHODID_BATCH_UPDATE_INVENTORY:
          serviceImpl.batchUpdateInventory((example.inventory.v1.BatchUpdateInventoryRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.BatchUpdateInventoryResponse>) responseObserver);
          break;
        case METHODID_LIST_INVENTORY_CHANGES:
          serviceImpl.listInventoryChanges((example.inventory.v1.ListInventoryChangesRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.ListInventoryChangesResponse>) responseObserver);
          break;
        case METHODID_LIST_ITEM_CHANGES:
          serviceImpl.listItemChanges((example.inventory.v1.ListItemChangesRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.ListItemChangesResponse>) responseObserver);
          break;
        case METHODID_WATCH_INVENTORY:
          serviceImpl.watchInventory((example.inventory.v1.WatchInventoryRequest) request,
              (io.grpc.stub.StreamObserver<example.inventory.v1.WatchInventoryResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getListInventoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.inventory.v1.ListInventoryRequest,
              example.inventory.v1.ListInventoryResponse>(
                service, METHODID_LIST_INVENTORY)))
        .addMethod(
          getUpdateInventoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.inventory.v1.UpdateInventoryRequest,
              example.inventory.v1.UpdateInventoryResponse>(
                service, METHODID_UPDATE_INVENTORY)))
        .addMethod(
          getGetInventoryItemMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.inventory.v1.GetInventoryItemRequest,
              example.inventory.v1.GetInventoryItemResponse>(
                service, METHODID_GET_INVENTORY_ITEM)))
        .addMethod(
          getAdjustInventoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.inventory.v1.AdjustInventoryRequest,
              example.inventory.v1.AdjustInventoryResponse>(
                service, METHODID_ADJUST_INVENTORY)))
        .addMethod(
          getBatchUpdateInventoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.inventory.v1.BatchUpdateInventoryRequest,
              example.inventory.v1.BatchUpdateInventoryResponse>(
                service, METHODID_BATCH_UPDATE_INVENTORY)))
        .addMethod(
          getListInventoryChangesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.inventory.v1.ListInventoryChangesRequest,
              example.inventory.v1.ListInventoryChangesResponse>(
                service, METHODID_LIST_INVENTORY_CHANGES)))
        .addMethod(
          getListItemChangesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.inventory.v1.ListItemChangesRequest,
              example.inventory.v1.ListItemChangesResponse>(
                service, METHODID_LIST_ITEM_CHANGES)))
        .addMethod(
          getWatchInventoryMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              example.inventory.v1.WatchInventoryRequest,
              example.inventory.v1.WatchInventoryResponse>(
                service, METHODID_WATCH_INVENTORY)))
        .build();
  }

  private static abstract class InventoryServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    InventoryServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return example.inventory.v1.InventoryProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("InventoryService");
    }
  }

  private static final class InventoryServiceFileDescriptorSupplier
      extends InventoryServiceBaseDescriptorSupplier {
    InventoryServiceFileDescriptorSupplier() {}
  }

  private static final class InventoryServiceMethodDescriptorSupplier
      extends InventoryServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    InventoryServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (InventoryServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new InventoryServiceFileDescriptorSupplier())
              .addMethod(getListInventoryMethod())
              .addMethod(getUpdateInventoryMethod())
              .addMethod(getGetInventoryItemMethod())
              .addMethod(getAdjustInventoryMethod())
              .addMethod(getBatchUpdateInventoryMethod())
              .addMethod(getListInventoryChangesMethod())
              .addMethod(getListItemChangesMethod())
              .addMethod(getWatchInventoryMethod())
              .build();
        }
      }
    }
    return result;
  }
}
