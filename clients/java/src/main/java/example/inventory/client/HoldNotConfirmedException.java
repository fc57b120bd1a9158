package example.inventory.client;

/**
 * The callback of a hold has returned, but the hold is not confirmed. If the reason is {@link Reason#HOLD_ENDED}, the
 * units are for sale again. After any other error they may be ordered: call {@code confirmHold} again, or read the hold.
 */
public final class HoldNotConfirmedException extends RuntimeException {
  private final transient Object value;

  HoldNotConfirmedException(String holdId, InventoryException cause, Object value) {
    super("Hold " + holdId + " is not confirmed: " + cause.getMessage(), cause);
    this.value = value;
  }

  @Override
  public synchronized InventoryException getCause() {
    return (InventoryException) super.getCause();
  }

  /** Returns what the callback returned. */
  public Object value() {
    return value;
  }
}
