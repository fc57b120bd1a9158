package example.inventory.client;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Checks the retry rules of the installed package against the cases of all clients, whose file is in CASES. */
public final class RetryRules {
  public static void main(String[] args) throws Exception {
    List<String> lines =
        Files.readAllLines(Path.of(System.getenv("CASES"))).stream()
            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
            .toList();
    check(lines.size() > 30, "the file has too few cases");
    lines.forEach(RetryRules::checkCase);
    for (int i = 0; i < 100; i++) {
      check(Retries.backoff(20).toMillis() <= 8_000, "the random time is too long");
    }
  }

  private static void checkCase(String line) {
    String[] columns = line.split("\t");
    var delay = Retries.delay(error(columns[0], columns[1], columns[2]), columns[3].equals("yes"), 0);
    check(delay.isPresent() == columns[4].equals("yes"), line);
    boolean asks = columns[2].matches("\\d+");
    Duration least = asks ? Duration.ofMillis(Long.parseLong(columns[2])) : Duration.ZERO;
    check(delay.isEmpty() || delay.get().compareTo(least) >= 0, line);
    check(delay.isEmpty() || delay.get().compareTo(least.plusMillis(250)) <= 0, line);
  }

  private static InventoryException error(String reason, String code, String asks) {
    var status = com.google.rpc.Status.newBuilder().setCode(Status.Code.valueOf(code).value());
    if (!reason.equals("-")) {
      status.addDetails(
          Any.pack(ErrorInfo.newBuilder().setDomain("inventory").setReason(reason).build()));
    }
    if (asks.matches("\\d+")) {
      var delay = com.google.protobuf.Duration.newBuilder();
      long ms = Long.parseLong(asks);
      delay.setSeconds(ms / 1_000).setNanos((int) (ms % 1_000) * 1_000_000);
      status.addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(delay).build()));
    }
    Metadata trailers = new Metadata();
    if (asks.equals("never")) {
      trailers.put(Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER), "-1");
    }
    return new InventoryException(StatusProto.toStatusRuntimeException(status.build(), trailers));
  }

  private static void check(boolean passed, String failure) {
    if (!passed) {
      throw new AssertionError(failure);
    }
  }
}
