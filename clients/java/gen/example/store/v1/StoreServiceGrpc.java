package example.store.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Places, cancels, returns and lists orders. An account sees only its own orders.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class StoreServiceGrpc {

  private StoreServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "store.v1.StoreService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<example.store.v1.PlaceOrderRequest,
      example.store.v1.PlaceOrderResponse> getPlaceOrderMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PlaceOrder",
      requestType = example.store.v1.PlaceOrderRequest.class,
      responseType = example.store.v1.PlaceOrderResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.store.v1.PlaceOrderRequest,
      example.store.v1.PlaceOrderResponse> getPlaceOrderMethod() {
    io.grpc.MethodDescriptor<example.store.v1.PlaceOrderRequest, example.store.v1.PlaceOrderResponse> getPlaceOrderMethod;
    if ((getPlaceOrderMethod = StoreServiceGrpc.getPlaceOrderMethod) == null) {
      synchronized (StoreServiceGrpc.class) {
        if ((getPlaceOrderMethod = StoreServiceGrpc.getPlaceOrderMethod) == null) {
          StoreServiceGrpc.getPlaceOrderMethod = getPlaceOrderMethod =
              io.grpc.MethodDescriptor.<example.store.v1.PlaceOrderRequest, example.store.v1.PlaceOrderResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PlaceOrder"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.PlaceOrderRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.PlaceOrderResponse.getDefaultInstance()))
              .setSchemaDescriptor(new StoreServiceMethodDescriptorSupplier("PlaceOrder"))
              .build();
        }
      }
    }
    return getPlaceOrderMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.store.v1.CancelOrderRequest,
      example.store.v1.CancelOrderResponse> getCancelOrderMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CancelOrder",
      requestType = example.store.v1.CancelOrderRequest.class,
      responseType = example.store.v1.CancelOrderResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.store.v1.CancelOrderRequest,
      example.store.v1.CancelOrderResponse> getCancelOrderMethod() {
    io.grpc.MethodDescriptor<example.store.v1.CancelOrderRequest, example.store.v1.CancelOrderResponse> getCancelOrderMethod;
    if ((getCancelOrderMethod = StoreServiceGrpc.getCancelOrderMethod) == null) {
      synchronized (StoreServiceGrpc.class) {
        if ((getCancelOrderMethod = StoreServiceGrpc.getCancelOrderMethod) == null) {
          StoreServiceGrpc.getCancelOrderMethod = getCancelOrderMethod =
              io.grpc.MethodDescriptor.<example.store.v1.CancelOrderRequest, example.store.v1.CancelOrderResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CancelOrder"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.CancelOrderRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.CancelOrderResponse.getDefaultInstance()))
              .setSchemaDescriptor(new StoreServiceMethodDescriptorSupplier("CancelOrder"))
              .build();
        }
      }
    }
    return getCancelOrderMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.store.v1.ListOrdersRequest,
      example.store.v1.ListOrdersResponse> getListOrdersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListOrders",
      requestType = example.store.v1.ListOrdersRequest.class,
      responseType = example.store.v1.ListOrdersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.store.v1.ListOrdersRequest,
      example.store.v1.ListOrdersResponse> getListOrdersMethod() {
    io.grpc.MethodDescriptor<example.store.v1.ListOrdersRequest, example.store.v1.ListOrdersResponse> getListOrdersMethod;
    if ((getListOrdersMethod = StoreServiceGrpc.getListOrdersMethod) == null) {
      synchronized (StoreServiceGrpc.class) {
        if ((getListOrdersMethod = StoreServiceGrpc.getListOrdersMethod) == null) {
          StoreServiceGrpc.getListOrdersMethod = getListOrdersMethod =
              io.grpc.MethodDescriptor.<example.store.v1.ListOrdersRequest, example.store.v1.ListOrdersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListOrders"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.ListOrdersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.ListOrdersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new StoreServiceMethodDescriptorSupplier("ListOrders"))
              .build();
        }
      }
    }
    return getListOrdersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.store.v1.GetOrderRequest,
      example.store.v1.GetOrderResponse> getGetOrderMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetOrder",
      requestType = example.store.v1.GetOrderRequest.class,
      responseType = example.store.v1.GetOrderResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.store.v1.GetOrderRequest,
      example.store.v1.GetOrderResponse> getGetOrderMethod() {
    io.grpc.MethodDescriptor<example.store.v1.GetOrderRequest, example.store.v1.GetOrderResponse> getGetOrderMethod;
    if ((getGetOrderMethod = StoreServiceGrpc.getGetOrderMethod) == null) {
      synchronized (StoreServiceGrpc.class) {
        if ((getGetOrderMethod = StoreServiceGrpc.getGetOrderMethod) == null) {
          StoreServiceGrpc.getGetOrderMethod = getGetOrderMethod =
              io.grpc.MethodDescriptor.<example.store.v1.GetOrderRequest, example.store.v1.GetOrderResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetOrder"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.GetOrderRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.store.v1.GetOrderResponse.getDefaultInstance()))
              .setSchemaDescriptor(new StoreServiceMethodDescriptorSupplier("GetOrder"))
              .build();
        }
      }
    }
    return getGetOrderMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static StoreServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<StoreServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<StoreServiceStub>() {
        @java.lang.Override
        public StoreServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new StoreServiceStub(channel, callOptions);
        }
      };
    return StoreServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static StoreServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<StoreServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<StoreServiceBlockingV2Stub>() {
        @java.lang.Override
        public StoreServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new StoreServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return StoreServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static StoreServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<StoreServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<StoreServiceBlockingStub>() {
        @java.lang.Override
        public StoreServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new StoreServiceBlockingStub(channel, callOptions);
        }
      };
    return StoreServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static StoreServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<StoreServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<StoreServiceFutureStub>() {
        @java.lang.Override
        public StoreServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new StoreServiceFutureStub(channel, callOptions);
        }
      };
    return StoreServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Places, cancels, returns and lists orders. An account sees only its own orders.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Orders a quantity of one pet and takes it out of stock, in one atomic step. Send an
     * `idempotency_key` to make a retry safe.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the stock is too small; the error names the current quantity.
     * </pre>
     */
    default void placeOrder(example.store.v1.PlaceOrderRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.PlaceOrderResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPlaceOrderMethod(), responseObserver);
    }

    /**
     * <pre>
     * Cancels one order and puts its quantity back into stock, in one atomic step. If the
     * order is cancelled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account has no such order. Fails with FAILED_PRECONDITION
     * when the order was delivered, or when the stock would exceed 2147483647.
     * </pre>
     */
    default void cancelOrder(example.store.v1.CancelOrderRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.CancelOrderResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCancelOrderMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the orders of the calling account, newest first, one page at a time.
     * Over HTTP, the `Link` header with `rel="next"` leads to the next page. The last page has
     * no such link. Orders placed in the meantime do not change later pages.
     * </pre>
     */
    default void listOrders(example.store.v1.ListOrdersRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.ListOrdersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListOrdersMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns one order of the calling account.
     * Fails with NOT_FOUND when the order does not exist or belongs to another account.
     * </pre>
     */
    default void getOrder(example.store.v1.GetOrderRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.GetOrderResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetOrderMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service StoreService.
   * <pre>
   * Places, cancels, returns and lists orders. An account sees only its own orders.
   * </pre>
   */
  public static abstract class StoreServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return StoreServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service StoreService.
   * <pre>
   * Places, cancels, returns and lists orders. An account sees only its own orders.
   * </pre>
   */
  public static final class StoreServiceStub
      extends io.grpc.stub.AbstractAsyncStub<StoreServiceStub> {
    private StoreServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected StoreServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new StoreServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Orders a quantity of one pet and takes it out of stock, in one atomic step. Send an
     * `idempotency_key` to make a retry safe.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the stock is too small; the error names the current quantity.
     * </pre>
     */
    public void placeOrder(example.store.v1.PlaceOrderRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.PlaceOrderResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPlaceOrderMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Cancels one order and puts its quantity back into stock, in one atomic step. If the
     * order is cancelled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account has no such order. Fails with FAILED_PRECONDITION
     * when the order was delivered, or when the stock would exceed 2147483647.
     * </pre>
     */
    public void cancelOrder(example.store.v1.CancelOrderRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.CancelOrderResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCancelOrderMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the orders of the calling account, newest first, one page at a time.
     * Over HTTP, the `Link` header with `rel="next"` leads to the next page. The last page has
     * no such link. Orders placed in the meantime do not change later pages.
     * </pre>
     */
    public void listOrders(example.store.v1.ListOrdersRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.ListOrdersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListOrdersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns one order of the calling account.
     * Fails with NOT_FOUND when the order does not exist or belongs to another account.
     * </pre>
     */
    public void getOrder(example.store.v1.GetOrderRequest request,
        io.grpc.stub.StreamObserver<example.store.v1.GetOrderResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetOrderMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service StoreService.
   * <pre>
   * Places, cancels, returns and lists orders. An account sees only its own orders.
   * </pre>
   */
  public static final class StoreServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<StoreServiceBlockingV2Stub> {
    private StoreServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected StoreServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new StoreServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Orders a quantity of one pet and takes it out of stock, in one atomic step. Send an
     * `idempotency_key` to make a retry safe.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the stock is too small; the error names the current quantity.
     * </pre>
     */
    public example.store.v1.PlaceOrderResponse placeOrder(example.store.v1.PlaceOrderRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPlaceOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Cancels one order and puts its quantity back into stock, in one atomic step. If the
     * order is cancelled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account has no such order. Fails with FAILED_PRECONDITION
     * when the order was delivered, or when the stock would exceed 2147483647.
     * </pre>
     */
    public example.store.v1.CancelOrderResponse cancelOrder(example.store.v1.CancelOrderRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCancelOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the orders of the calling account, newest first, one page at a time.
     * Over HTTP, the `Link` header with `rel="next"` leads to the next page. The last page has
     * no such link. Orders placed in the meantime do not change later pages.
     * </pre>
     */
    public example.store.v1.ListOrdersResponse listOrders(example.store.v1.ListOrdersRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListOrdersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns one order of the calling account.
     * Fails with NOT_FOUND when the order does not exist or belongs to another account.
     * </pre>
     */
    public example.store.v1.GetOrderResponse getOrder(example.store.v1.GetOrderRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetOrderMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service StoreService.
   * <pre>
   * Places, cancels, returns and lists orders. An account sees only its own orders.
   * </pre>
   */
  public static final class StoreServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<StoreServiceBlockingStub> {
    private StoreServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected StoreServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new StoreServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Orders a quantity of one pet and takes it out of stock, in one atomic step. Send an
     * `idempotency_key` to make a retry safe.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the stock is too small; the error names the current quantity.
     * </pre>
     */
    public example.store.v1.PlaceOrderResponse placeOrder(example.store.v1.PlaceOrderRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPlaceOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Cancels one order and puts its quantity back into stock, in one atomic step. If the
     * order is cancelled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account has no such order. Fails with FAILED_PRECONDITION
     * when the order was delivered, or when the stock would exceed 2147483647.
     * </pre>
     */
    public example.store.v1.CancelOrderResponse cancelOrder(example.store.v1.CancelOrderRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCancelOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the orders of the calling account, newest first, one page at a time.
     * Over HTTP, the `Link` header with `rel="next"` leads to the next page. The last page has
     * no such link. Orders placed in the meantime do not change later pages.
     * </pre>
     */
    public example.store.v1.ListOrdersResponse listOrders(example.store.v1.ListOrdersRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListOrdersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns one order of the calling account.
     * Fails with NOT_FOUND when the order does not exist or belongs to another account.
     * </pre>
     */
    public example.store.v1.GetOrderResponse getOrder(example.store.v1.GetOrderRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetOrderMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service StoreService.
   * <pre>
   * Places, cancels, returns and lists orders. An account sees only its own orders.
   * </pre>
   */
  public static final class StoreServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<StoreServiceFutureStub> {
    private StoreServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected StoreServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new StoreServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Orders a quantity of one pet and takes it out of stock, in one atomic step. Send an
     * `idempotency_key` to make a retry safe.
     * Fails with NOT_FOUND when the store has no such pet. Fails with FAILED_PRECONDITION when
     * the stock is too small; the error names the current quantity.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.store.v1.PlaceOrderResponse> placeOrder(
        example.store.v1.PlaceOrderRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPlaceOrderMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Cancels one order and puts its quantity back into stock, in one atomic step. If the
     * order is cancelled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account has no such order. Fails with FAILED_PRECONDITION
     * when the order was delivered, or when the stock would exceed 2147483647.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.store.v1.CancelOrderResponse> cancelOrder(
        example.store.v1.CancelOrderRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCancelOrderMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the orders of the calling account, newest first, one page at a time.
     * Over HTTP, the `Link` header with `rel="next"` leads to the next page. The last page has
     * no such link. Orders placed in the meantime do not change later pages.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.store.v1.ListOrdersResponse> listOrders(
        example.store.v1.ListOrdersRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListOrdersMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns one order of the calling account.
     * Fails with NOT_FOUND when the order does not exist or belongs to another account.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.store.v1.GetOrderResponse> getOrder(
        example.store.v1.GetOrderRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetOrderMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_PLACE_ORDER = 0;
  private static final int METHODID_CANCEL_ORDER = 1;
  private static final int METHODID_LIST_ORDERS = 2;
  private static final int METHODID_GET_ORDER = 3;

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
        case METHODID_PLACE_ORDER:
          serviceImpl.placeOrder((example.store.v1.PlaceOrderRequest) request,
              (io.grpc.stub.StreamObserver<example.store.v1.PlaceOrderResponse>) responseObserver);
          break;
        case METHODID_CANCEL_ORDER:
          serviceImpl.cancelOrder((example.store.v1.CancelOrderRequest) request,
              (io.grpc.stub.StreamObserver<example.store.v1.CancelOrderResponse>) responseObserver);
          break;
        case METHODID_LIST_ORDERS:
          serviceImpl.listOrders((example.store.v1.ListOrdersRequest) request,
              (io.grpc.stub.StreamObserver<example.store.v1.ListOrdersResponse>) responseObserver);
          break;
        case METHODID_GET_ORDER:
          serviceImpl.getOrder((example.store.v1.GetOrderRequest) request,
              (io.grpc.stub.StreamObserver<example.store.v1.GetOrderResponse>) responseObserver);
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
          getPlaceOrderMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.store.v1.PlaceOrderRequest,
              example.store.v1.PlaceOrderResponse>(
                service, METHODID_PLACE_ORDER)))
        .addMethod(
          getCancelOrderMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.store.v1.CancelOrderRequest,
              example.store.v1.CancelOrderResponse>(
                service, METHODID_CANCEL_ORDER)))
        .addMethod(
          getListOrdersMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.store.v1.ListOrdersRequest,
              example.store.v1.ListOrdersResponse>(
                service, METHODID_LIST_ORDERS)))
        .addMethod(
          getGetOrderMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.store.v1.GetOrderRequest,
              example.store.v1.GetOrderResponse>(
                service, METHODID_GET_ORDER)))
        .build();
  }

  private static abstract class StoreServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    StoreServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return example.store.v1.StoreProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("StoreService");
    }
  }

  private static final class StoreServiceFileDescriptorSupplier
      extends StoreServiceBaseDescriptorSupplier {
    StoreServiceFileDescriptorSupplier() {}
  }

  private static final class StoreServiceMethodDescriptorSupplier
      extends StoreServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    StoreServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (StoreServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new StoreServiceFileDescriptorSupplier())
              .addMethod(getPlaceOrderMethod())
              .addMethod(getCancelOrderMethod())
              .addMethod(getListOrdersMethod())
              .addMethod(getGetOrderMethod())
              .build();
        }
      }
    }
    return result;
  }
}
