package example.pets.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Looks up single pets.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class PetServiceGrpc {

  private PetServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "pets.v1.PetService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<example.pets.v1.GetPetRequest,
      example.pets.v1.GetPetResponse> getGetPetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetPet",
      requestType = example.pets.v1.GetPetRequest.class,
      responseType = example.pets.v1.GetPetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.pets.v1.GetPetRequest,
      example.pets.v1.GetPetResponse> getGetPetMethod() {
    io.grpc.MethodDescriptor<example.pets.v1.GetPetRequest, example.pets.v1.GetPetResponse> getGetPetMethod;
    if ((getGetPetMethod = PetServiceGrpc.getGetPetMethod) == null) {
      synchronized (PetServiceGrpc.class) {
        if ((getGetPetMethod = PetServiceGrpc.getGetPetMethod) == null) {
          PetServiceGrpc.getGetPetMethod = getGetPetMethod =
              io.grpc.MethodDescriptor.<example.pets.v1.GetPetRequest, example.pets.v1.GetPetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetPet"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.pets.v1.GetPetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.pets.v1.GetPetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PetServiceMethodDescriptorSupplier("GetPet"))
              .build();
        }
      }
    }
    return getGetPetMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static PetServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PetServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PetServiceStub>() {
        @java.lang.Override
        public PetServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PetServiceStub(channel, callOptions);
        }
      };
    return PetServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static PetServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PetServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PetServiceBlockingV2Stub>() {
        @java.lang.Override
        public PetServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PetServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return PetServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static PetServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PetServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PetServiceBlockingStub>() {
        @java.lang.Override
        public PetServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PetServiceBlockingStub(channel, callOptions);
        }
      };
    return PetServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static PetServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PetServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PetServiceFutureStub>() {
        @java.lang.Override
        public PetServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PetServiceFutureStub(channel, callOptions);
        }
      };
    return PetServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Looks up single pets.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Returns one pet. Deprecated: use the inventory instead.
     * Over HTTP, every response has the headers `Deprecation`, `Sunset` and `Link`. After the
     * sunset date the status is 410 Gone. Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    @java.lang.Deprecated
    default void getPet(example.pets.v1.GetPetRequest request,
        io.grpc.stub.StreamObserver<example.pets.v1.GetPetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetPetMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service PetService.
   * <pre>
   * Looks up single pets.
   * </pre>
   */
  public static abstract class PetServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return PetServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service PetService.
   * <pre>
   * Looks up single pets.
   * </pre>
   */
  public static final class PetServiceStub
      extends io.grpc.stub.AbstractAsyncStub<PetServiceStub> {
    private PetServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PetServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PetServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns one pet. Deprecated: use the inventory instead.
     * Over HTTP, every response has the headers `Deprecation`, `Sunset` and `Link`. After the
     * sunset date the status is 410 Gone. Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    @java.lang.Deprecated
    public void getPet(example.pets.v1.GetPetRequest request,
        io.grpc.stub.StreamObserver<example.pets.v1.GetPetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetPetMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service PetService.
   * <pre>
   * Looks up single pets.
   * </pre>
   */
  public static final class PetServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<PetServiceBlockingV2Stub> {
    private PetServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PetServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PetServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns one pet. Deprecated: use the inventory instead.
     * Over HTTP, every response has the headers `Deprecation`, `Sunset` and `Link`. After the
     * sunset date the status is 410 Gone. Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    @java.lang.Deprecated
    public example.pets.v1.GetPetResponse getPet(example.pets.v1.GetPetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetPetMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service PetService.
   * <pre>
   * Looks up single pets.
   * </pre>
   */
  public static final class PetServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<PetServiceBlockingStub> {
    private PetServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PetServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PetServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns one pet. Deprecated: use the inventory instead.
     * Over HTTP, every response has the headers `Deprecation`, `Sunset` and `Link`. After the
     * sunset date the status is 410 Gone. Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    @java.lang.Deprecated
    public example.pets.v1.GetPetResponse getPet(example.pets.v1.GetPetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetPetMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service PetService.
   * <pre>
   * Looks up single pets.
   * </pre>
   */
  public static final class PetServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<PetServiceFutureStub> {
    private PetServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PetServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PetServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns one pet. Deprecated: use the inventory instead.
     * Over HTTP, every response has the headers `Deprecation`, `Sunset` and `Link`. After the
     * sunset date the status is 410 Gone. Fails with NOT_FOUND when the store has no such pet.
     * </pre>
     */
    @java.lang.Deprecated
    public com.google.common.util.concurrent.ListenableFuture<example.pets.v1.GetPetResponse> getPet(
        example.pets.v1.GetPetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetPetMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_GET_PET = 0;

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
        case METHODID_GET_PET:
          serviceImpl.getPet((example.pets.v1.GetPetRequest) request,
              (io.grpc.stub.StreamObserver<example.pets.v1.GetPetResponse>) responseObserver);
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
          getGetPetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.pets.v1.GetPetRequest,
              example.pets.v1.GetPetResponse>(
                service, METHODID_GET_PET)))
        .build();
  }

  private static abstract class PetServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    PetServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return example.pets.v1.PetsProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("PetService");
    }
  }

  private static final class PetServiceFileDescriptorSupplier
      extends PetServiceBaseDescriptorSupplier {
    PetServiceFileDescriptorSupplier() {}
  }

  private static final class PetServiceMethodDescriptorSupplier
      extends PetServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    PetServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (PetServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new PetServiceFileDescriptorSupplier())
              .addMethod(getGetPetMethod())
              .build();
        }
      }
    }
    return result;
  }
}
