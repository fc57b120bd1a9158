import type { CallFault } from "./call-fault.ts";

/** Shows a failed call: the message, and the reason and request id that support asks for. */
export function ErrorBanner({
  fault,
  onClose,
}: {
  fault: CallFault | undefined;
  onClose?: () => void;
}) {
  if (!fault) return null;
  return (
    <div class="banner banner-error" role="alert">
      <div>
        <p>{fault.message}</p>
        <p class="banner-details">
          {fault.reason && <code>{fault.reason}</code>}
          {fault.requestId && (
            <>
              {" "}
              request <code>{fault.requestId}</code>
            </>
          )}
        </p>
      </div>
      {onClose && (
        <button type="button" class="button-quiet" onClick={onClose}>
          Dismiss
        </button>
      )}
    </div>
  );
}
