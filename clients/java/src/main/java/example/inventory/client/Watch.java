package example.inventory.client;

import example.inventory.v1.InventoryServiceGrpc;
import example.inventory.v1.WatchInventoryRequest;
import example.inventory.v1.WatchInventoryResponse;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The whole stock, then every change once and in order, over as many connections as that takes. One thread iterates;
 * any thread can close the watch, which ends the iteration without an exception.
 */
public final class Watch implements Iterable<WatchEvent>, Iterator<WatchEvent>, AutoCloseable {
  private final Caller caller;
  private final Duration idleTimeout;
  private final Consumer<InventoryException> onDisconnect;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile BlockingClientCall<WatchInventoryRequest, WatchInventoryResponse> call;
  private String token;
  private boolean reset;
  private int failures;
  private WatchEvent next;

  Watch(Caller caller, WatchOptions options) {
    this.caller = caller;
    token = options.resumeToken();
    idleTimeout = options.idleTimeout();
    onDisconnect = options.onDisconnect();
  }

  @Override
  public Iterator<WatchEvent> iterator() {
    return this;
  }

  /**
   * Waits for the next event. Returns false after the watch was closed.
   *
   * @throws InventoryException if reconnecting cannot help, such as after the key was revoked
   */
  @Override
  public boolean hasNext() {
    while (next == null && !isClosed()) {
      try {
        next = read();
      } catch (InventoryException error) {
        disconnect(error);
      }
    }
    return next != null && !isClosed();
  }

  @Override
  public WatchEvent next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the watch is closed");
    }
    WatchEvent event = next;
    next = null;
    return event;
  }

  /** Ends the watch. */
  @Override
  public void close() {
    closed.countDown();
    cancel(call);
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Reads a message. Returns null if it is not an event. */
  private WatchEvent read() {
    if (call == null) {
      reset = token.isEmpty();
      var request = WatchInventoryRequest.newBuilder().setResumeToken(token).build();
      call = caller.open(InventoryServiceGrpc.getWatchInventoryMethod(), request);
      if (isClosed()) {
        cancel(call);
      }
    }
    WatchInventoryResponse message = receive();
    failures = 0;
    if (!message.getResumeToken().isEmpty()) {
      token = message.getResumeToken();
    }
    return switch (message.getEventCase()) {
      // Newer services can have other events.
      case HEARTBEAT, EVENT_NOT_SET -> null;
      default -> {
        var event = new WatchEvent(message, reset, token);
        reset = false;
        yield event;
      }
    };
  }

  private WatchInventoryResponse receive() {
    try {
      WatchInventoryResponse message = call.read(idleTimeout.toMillis(), TimeUnit.MILLISECONDS);
      if (message != null) {
        return message;
      }
      throw failure(Status.UNAVAILABLE.withDescription("The watch ended."));
    } catch (StatusException error) {
      throw new InventoryException(
          new StatusRuntimeException(error.getStatus(), error.getTrailers()));
    } catch (TimeoutException error) {
      throw failure(Status.UNAVAILABLE.withDescription("The watch was idle for too long."));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      close();
      throw failure(Status.CANCELLED.withDescription("The thread was interrupted."));
    }
  }

  private static InventoryException failure(Status status) {
    return new InventoryException(status.asRuntimeException());
  }

  private void disconnect(InventoryException error) {
    cancel(call);
    call = null;
    if (isClosed()) {
      return;
    }
    if (error.is(Reason.WATCH_EXPIRED)) {
      token = "";
    } else if (!Retries.canReconnect(error)) {
      close();
      throw error;
    }
    onDisconnect.accept(error);
    Duration delay = error.retryAfter().orElse(Duration.ZERO).plus(Retries.backoff(failures++));
    try {
      // Ends early if the watch is closed.
      closed.await(delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  private static void cancel(BlockingClientCall<?, ?> call) {
    if (call != null) {
      call.cancel("The watch does not need this connection any more.", null);
    }
  }
}
