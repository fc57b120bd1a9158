package example.inventory.client;

import example.store.v1.ConfirmHoldRequest;
import example.store.v1.Hold;
import example.store.v1.PutHoldRequest;
import example.store.v1.ReleaseHoldRequest;
import java.util.function.Supplier;

/** Holds units while a callback runs. */
final class Holds {
  private final StoreServiceClient store;
  private final StoreServiceClient releasing;

  /**
   * @param releasing has a short timeout: the caller waits for a release, and the units return at the end of the hold
   *     anyway
   */
  Holds(StoreServiceClient store, StoreServiceClient releasing) {
    this.store = store;
    this.releasing = releasing;
  }

  <T, E extends Exception> ConfirmedHold<T> with(PutHoldRequest request, HoldCallback<T, E> callback)
      throws E {
    String id = request.getHoldId();
    Hold hold;
    try {
      hold = store.putHold(request).getHold();
    } catch (InventoryException error) {
      // After a refusal, the account may still have the hold from before.
      if (error.isUncertain()) {
        release(id, error);
      }
      throw error;
    }
    T value;
    try {
      value = callback.call(hold);
    } catch (Throwable error) {
      release(id, error);
      throw error;
    }
    try {
      var confirmation = ConfirmHoldRequest.newBuilder().setHoldId(id).build();
      Hold confirmed = uninterrupted(() -> store.confirmHold(confirmation).getHold());
      return new ConfirmedHold<>(confirmed, value);
    } catch (InventoryException error) {
      throw new HoldNotConfirmedException(id, error, value);
    }
  }

  private void release(String id, Throwable reason) {
    var request = ReleaseHoldRequest.newBuilder().setHoldId(id).build();
    try {
      uninterrupted(() -> releasing.releaseHold(request));
    } catch (RuntimeException error) {
      reason.addSuppressed(error);
    }
  }

  /** Makes a call that also an interrupted thread must make. */
  private static <T> T uninterrupted(Supplier<T> call) {
    boolean interrupted = Thread.interrupted();
    try {
      return call.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
