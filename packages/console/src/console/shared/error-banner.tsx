import type { ComponentChildren } from "preact";
import { durationText } from "../text/time-text.ts";
import { useNow } from "../text/use-now.ts";
import { type CallFault, isTransient } from "./call-fault.ts";
import type { Query } from "./use-query.ts";

/** The next attempt of a failed call. */
interface Retry {
  /** When it begins by itself, by the clock of `useNow`; undefined if it does not. */
  readonly atMs: number | undefined;
  /** Begins it now. */
  start(): void;
}

interface Props {
  readonly fault: CallFault | undefined;
  readonly onClose?: () => void;
  readonly retry?: Retry;
  /** More about the failure. */
  readonly children?: ComponentChildren;
}

/** Shows a failed call: the message, and the reason and request id that support asks for. */
export function ErrorBanner({ fault, onClose, retry, children }: Props) {
  if (!fault) return null;
  const kind = retry && isTransient(fault) ? "warning" : "error";
  return (
    <div class={`banner banner-${kind}`}>
      <div role="alert">
        <p>{retry ? fault.message.replace(/ Retry in \d+ s\.$/, "") : fault.message}</p>
        {children}
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
      {retry && (
        <div class="banner-retry">
          {retry.atMs !== undefined && <Countdown atMs={retry.atMs} />}
          <button type="button" onClick={retry.start}>
            Try again
          </button>
        </div>
      )}
      {onClose && (
        <button type="button" class="button-quiet" onClick={onClose}>
          Dismiss
        </button>
      )}
    </div>
  );
}

/** Shows why a view could not be read, and when it is read again. */
export function QueryBanner({ query }: { query: Query<unknown> }) {
  const { fault, retryAtMs, reload } = query;
  return <ErrorBanner fault={fault} retry={{ atMs: retryAtMs, start: reload }} />;
}

function Countdown({ atMs }: { atMs: number }) {
  const leftMs = atMs - useNow();
  return (
    <span role="timer">
      {leftMs > 0 ? `Next attempt in ${durationText(leftMs)}` : "Trying again…"}
    </span>
  );
}
