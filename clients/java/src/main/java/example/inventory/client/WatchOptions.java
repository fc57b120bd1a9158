package example.inventory.client;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The options of a watch.
 *
 * @param resumeToken continues after the event that had this token; empty for the whole stock
 * @param idleTimeout the time without an event or a heartbeat after which the client reconnects
 * @param onDisconnect called after each lost connection, before the client reconnects
 */
public record WatchOptions(
    String resumeToken, Duration idleTimeout, Consumer<InventoryException> onDisconnect) {
  /** The whole stock, and an idle timeout of 45 s: three heartbeats of a service with the default settings. */
  public static final WatchOptions DEFAULT =
      new WatchOptions("", Duration.ofSeconds(45), error -> {});

  /** Returns these options with another resume token. */
  public WatchOptions withResumeToken(String token) {
    return new WatchOptions(token, idleTimeout, onDisconnect);
  }

  /** Returns these options with another idle timeout. */
  public WatchOptions withIdleTimeout(Duration timeout) {
    return new WatchOptions(resumeToken, timeout, onDisconnect);
  }

  /** Returns these options with another function for lost connections. */
  public WatchOptions withOnDisconnect(Consumer<InventoryException> function) {
    return new WatchOptions(resumeToken, idleTimeout, function);
  }
}
