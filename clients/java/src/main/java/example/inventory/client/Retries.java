package example.inventory.client;

import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Decides when calls are repeated. */
final class Retries {
  private static final long FIRST_BACKOFF_MS = 250;
  private static final long LONGEST_BACKOFF_MS = 8_000;

  private Retries() {}

  /**
   * Returns a random time up to a bound that doubles with every retry, so that clients do not retry at the same moment
   * ("full jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
   */
  static Duration backoff(int retry) {
    long bound = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS << Math.min(retry, 10));
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(bound));
  }

  /**
   * Returns the time until a retry. Empty if the call must not be repeated.
   *
   * @param repeatable whether a second execution changes nothing: the call reads, or has an idempotency key
   */
  static Optional<Duration> delay(InventoryException error, boolean repeatable, int retry) {
    boolean fromService = error.reason().isPresent();
    boolean transientError =
        error.isLostConnection()
            || (fromService
                && (error.retryAfter().isPresent()
                    || error.code() == Status.Code.UNAVAILABLE
                    || error.code() == Status.Code.DEADLINE_EXCEEDED
                    // An earlier attempt whose response was lost still runs.
                    || error.is(Reason.IDEMPOTENCY_KEY_IN_USE)));
    boolean refused =
        error.is(Reason.SERVER_OVERLOADED)
            || (fromService && error.code() == Status.Code.RESOURCE_EXHAUSTED);
    if (error.isFinal() || !transientError || !(repeatable || refused)) {
      return Optional.empty();
    }
    return Optional.of(error.retryAfter().orElse(Duration.ZERO).plus(backoff(retry)));
  }

  /** Whether a watch that ended with an error can continue. */
  static boolean canReconnect(InventoryException error) {
    return error.isLostConnection()
        || error.is(Reason.WATCH_TOO_SLOW)
        || error.code() == Status.Code.UNAVAILABLE
        || (error.retryAfter().isPresent() && !error.isFinal());
  }

  /** Waits. Throws if the thread is interrupted. */
  static void sleep(Duration delay) {
    try {
      Thread.sleep(delay.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InventoryException(
          Status.CANCELLED.withDescription("The thread was interrupted.").asRuntimeException());
    }
  }
}
