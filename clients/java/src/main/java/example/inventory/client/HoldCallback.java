package example.inventory.client;

import example.store.v1.Hold;

/** What to do while units are held. */
@FunctionalInterface
public interface HoldCallback<T, E extends Exception> {
  T call(Hold hold) throws E;
}
