package example.inventory.client;

import example.store.v1.Hold;

/**
 * A confirmed hold.
 *
 * @param hold the hold with the ids of its orders
 * @param value what the callback returned
 */
public record ConfirmedHold<T>(Hold hold, T value) {}
