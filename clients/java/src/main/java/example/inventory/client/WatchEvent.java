package example.inventory.client;

import example.inventory.v1.WatchInventoryResponse;

/**
 * What a watch sends: a part of the stock, ready, or a change. Heartbeats are not events.
 *
 * @param message the event
 * @param reset whether the whole stock follows: discard your copy before you apply this event
 * @param resumeToken continues the watch later, if you save it with your copy. Empty until the whole stock has arrived
 */
public record WatchEvent(WatchInventoryResponse message, boolean reset, String resumeToken) {}
