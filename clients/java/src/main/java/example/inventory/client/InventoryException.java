package example.inventory.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.BadRequest.FieldViolation;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The exception of every failed call. Its cause is that of grpc-java. */
public final class InventoryException extends RuntimeException {
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> REQUEST_ID =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);
  private static final String CHANGE_OUTCOME = "changeOutcome";

  private final Status.Code code;
  private String reason = "";
  private Map<String, String> metadata = Map.of();
  private List<FieldViolation> fieldViolations = List.of();
  private Duration retryAfter;
  private boolean isFinal;
  private String earlier = "";
  private final String requestId;

  InventoryException(StatusRuntimeException cause) {
    super(cause.getStatus().getDescription(), cause);
    code = cause.getStatus().getCode();
    Metadata trailers = Optional.ofNullable(cause.getTrailers()).orElseGet(Metadata::new);
    requestId = trailers.get(REQUEST_ID);
    var status = StatusProto.fromThrowable(cause);
    if (status != null) {
      for (Any detail : status.getDetailsList()) {
        readDetail(detail);
      }
    }
    readPushback(trailers.get(PUSHBACK));
  }

  private void readDetail(Any detail) {
    try {
      if (detail.is(ErrorInfo.class)) {
        ErrorInfo info = detail.unpack(ErrorInfo.class);
        if (info.getDomain().equals("inventory")) {
          reason = info.getReason();
          metadata = info.getMetadataMap();
        }
      } else if (detail.is(BadRequest.class)) {
        fieldViolations = detail.unpack(BadRequest.class).getFieldViolationsList();
      } else if (detail.is(RetryInfo.class)) {
        var delay = detail.unpack(RetryInfo.class).getRetryDelay();
        retryAfter = Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
      }
    } catch (InvalidProtocolBufferException malformed) {
      // A proxy wrote this detail.
    }
  }

  private void readPushback(String milliseconds) {
    if (milliseconds == null) {
      return;
    }
    if (milliseconds.matches("\\d{1,9}")) {
      retryAfter = Duration.ofMillis(Long.parseLong(milliseconds));
    } else {
      isFinal = true;
    }
  }

  /** The code of the RPC. */
  public Status.Code code() {
    return code;
  }

  /**
   * Why the service refused the call. Empty if the error is not from the service: a lost connection, a timeout of the
   * client, or an error of a proxy.
   */
  public Optional<Reason> reason() {
    if (reason.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Reason.valueOf(reason));
    } catch (IllegalArgumentException newer) {
      return Optional.of(Reason.UNRECOGNIZED);
    }
  }

  /** Whether the service refused the call for a reason. */
  public boolean is(Reason other) {
    return reason.equals(other.name());
  }

  /** The reason as the service sent it. Empty if the error is not from the service. */
  public String reasonName() {
    return reason;
  }

  /** More about the reason, such as the {@code petId} of {@link Reason#PET_NOT_FOUND}. */
  public Map<String, String> metadata() {
    return metadata;
  }

  /** The invalid fields of {@link Reason#FIELD_INVALID}. */
  public List<FieldViolation> fieldViolations() {
    return fieldViolations;
  }

  /** The time after which the service asks for a retry. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /** Identifies the request in the log of the service. */
  public Optional<String> requestId() {
    return Optional.ofNullable(requestId);
  }

  /** Whether the service asks the client not to retry. */
  boolean isFinal() {
    return isFinal;
  }

  /** Whether the error is from the network or a proxy. Every error of the service has a reason. */
  boolean isLostConnection() {
    return reason.isEmpty() && isUncertain();
  }

  /** Whether the service may have made a change, although the call failed. */
  boolean isUncertain() {
    String outcome = metadata.get(CHANGE_OUTCOME);
    if (outcome != null) {
      return outcome.equals("unknown");
    }
    return switch (code) {
      case UNAVAILABLE, UNKNOWN, INTERNAL, CANCELLED, DEADLINE_EXCEEDED ->
          !is(Reason.SERVER_OVERLOADED);
      default -> is(Reason.IDEMPOTENCY_KEY_IN_USE);
    };
  }

  /** Adds to the last error of a write that an earlier attempt may have made the change. */
  void addUncertainAttempt() {
    boolean decided =
        switch (code) {
          // The service looks for an earlier attempt before it refuses with these codes, or it refused that one, too.
          case INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED ->
              !reason.isEmpty() && !isUncertain();
          default -> false;
        };
    if (decided) {
      return;
    }
    earlier = " An earlier attempt may have made the change.";
    Map<String, String> more = new HashMap<>(metadata);
    more.put(CHANGE_OUTCOME, "unknown");
    metadata = Map.copyOf(more);
  }

  @Override
  public String getMessage() {
    return (reason.isEmpty() ? code.name() : reason) + ": " + super.getMessage() + earlier;
  }
}
