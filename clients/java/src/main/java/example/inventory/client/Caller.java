package example.inventory.client;

import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Makes calls with keys, timeouts and retries. */
final class Caller {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Channel channel;
  private final Supplier<String> key;
  private final Duration timeout;
  private final Duration attemptTimeout;
  private final int maxRetries;

  Caller(
      Channel channel,
      Supplier<String> key,
      Duration timeout,
      Duration attemptTimeout,
      int maxRetries) {
    this.channel = channel;
    this.key = key;
    this.timeout = timeout;
    this.attemptTimeout = attemptTimeout;
    this.maxRetries = maxRetries;
  }

  /** Returns a caller on the same channel, whose calls take at most some time. */
  Caller within(Duration time) {
    return new Caller(channel, key, time, attemptTimeout, maxRetries);
  }

  /** Makes a call, and repeats it as long as that can help and changes nothing twice. */
  <Q extends Message, A> A unary(MethodDescriptor<Q, A> method, Q request) {
    long endsAt = System.nanoTime() + timeout.toNanos();
    Q message = withIdempotencyKey(request);
    boolean reads = isRead(method);
    boolean repeatable = reads || isRepeatable(message);
    boolean mayHaveChanged = false;
    for (int retry = 0; ; retry++) {
      long left = Math.max(1, endsAt - System.nanoTime());
      CallOptions options =
          options().withDeadlineAfter(Math.min(left, attemptTimeout.toNanos()), TimeUnit.NANOSECONDS);
      try {
        return ClientCalls.blockingUnaryCall(withKey(), method, options, message);
      } catch (StatusRuntimeException failed) {
        InventoryException error = new InventoryException(failed);
        Optional<Duration> delay = Retries.delay(error, repeatable, retry);
        if (delay.isEmpty()
            || retry >= maxRetries
            || Thread.currentThread().isInterrupted()
            || System.nanoTime() + delay.get().toNanos() >= endsAt) {
          if (mayHaveChanged) {
            error.addUncertainAttempt();
          }
          throw error;
        }
        mayHaveChanged |= !reads && error.isUncertain();
        Retries.sleep(delay.get());
      }
    }
  }

  /** Reads a stream. It is not repeated. */
  <Q, A> Iterator<A> stream(MethodDescriptor<Q, A> method, Q request) {
    Iterator<A> responses =
        ClientCalls.blockingServerStreamingCall(withKey(), method, options(), request);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        try {
          return responses.hasNext();
        } catch (StatusRuntimeException error) {
          throw new InventoryException(error);
        }
      }

      @Override
      public A next() {
        return responses.next();
      }
    };
  }

  /** Opens a stream that can be read with a timeout. */
  <Q, A> BlockingClientCall<Q, A> open(MethodDescriptor<Q, A> method, Q request) {
    return ClientCalls.blockingV2ServerStreamingCall(withKey(), method, options(), request);
  }

  private Channel withKey() {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + key.get());
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** The service has its own limits, and a whole list can exceed the default of 4 MiB. */
  private static CallOptions options() {
    return CallOptions.DEFAULT.withMaxInboundMessageSize(Integer.MAX_VALUE);
  }

  @SuppressWarnings("unchecked") // The builder of a message builds messages of its type.
  private static <Q extends Message> Q withIdempotencyKey(Q request) {
    FieldDescriptor field = keyField(request);
    if (field == null || !request.getField(field).equals("")) {
      return request;
    }
    byte[] random = new byte[16];
    RANDOM.nextBytes(random);
    return (Q) request.toBuilder().setField(field, HexFormat.of().formatHex(random)).build();
  }

  private static FieldDescriptor keyField(Message request) {
    return request.getDescriptorForType().findFieldByName("idempotency_key");
  }

  private static boolean isRepeatable(Message request) {
    // The id of a hold works like an idempotency key.
    return keyField(request) != null
        || request.getDescriptorForType().findFieldByName("hold_id") != null;
  }

  private static boolean isRead(MethodDescriptor<?, ?> method) {
    return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier schema
        && schema.getMethodDescriptor().getOptions().getIdempotencyLevel()
            == IdempotencyLevel.NO_SIDE_EFFECTS;
  }
}
