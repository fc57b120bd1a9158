import { CodeBlock } from "./code-block.tsx";
import { indentJson } from "./exact-json.ts";
import type { CallState } from "./use-call.ts";

/** Shows the response of the last call, or the messages of a stream, newest first. */
export function CallResult({ state }: { state: CallState }) {
  const { reply, events, fault } = state;
  const headers = reply?.headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return (
    <div class="result">
      <p role="status" class="result-status">
        {statusText(state)}
      </p>
      {fault && (
        <p role="alert" class="banner banner-error">
          {fault}
        </p>
      )}
      {reply?.body && <CodeBlock text={indentJson(reply.body)} label="Response body" />}
      {events.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll the list.
        <section class="code" aria-label="Events, newest first" tabIndex={0}>
          <ol class="events">
            {events.map(({ number, text }) => (
              <li key={number} value={number}>
                <code>{text}</code>
              </li>
            ))}
          </ol>
        </section>
      )}
      {headers && (
        <details>
          <summary>Response headers</summary>
          <CodeBlock text={headers} label="Response headers" />
        </details>
      )}
    </div>
  );
}

function statusText({ reply, isPending, eventCount }: CallState): string {
  if (!reply) return isPending ? "Waiting for the response…" : "";
  if (reply.body !== undefined) {
    return `Status ${reply.status} after ${Math.round(reply.milliseconds)} ms`;
  }
  const events = `${eventCount} ${eventCount === 1 ? "event" : "events"}`;
  return `Status ${reply.status}. ${isPending ? `Receiving: ${events}.` : `Ended after ${events}.`}`;
}
