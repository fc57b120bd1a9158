import { present } from "../../../../src/common/present.ts";
import type { ReadyRequest } from "./request.ts";

/** A response, as the page shows it. */
export interface Reply {
  readonly status: number;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Absent for a stream. */
  readonly body?: string;
}

/** Learns of the progress of a call. */
export interface Observer {
  reply(reply: Reply): void;
  /** Called for each message of a stream. */
  event(line: string): void;
}

/**
 * Sends a request with a key, and reads the response. Reads a response of lines line by line, until it ends or the
 * signal aborts it.
 *
 * @throws TypeError if the server cannot be reached, or the connection breaks
 */
export async function send(
  { method, target, headers, body }: ReadyRequest,
  key: string | undefined,
  observer: Observer,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const response = await fetch(target, {
    method,
    headers: { ...headers, ...(key && { Authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body }),
    cache: "no-store",
    signal,
  });
  const isStream = response.headers.get("content-type")?.startsWith("application/x-ndjson");
  const text = isStream ? undefined : await response.text();
  observer.reply({
    status: response.status,
    milliseconds: performance.now() - startedAt,
    headers: [...response.headers],
    ...(text !== undefined && { body: text }),
  });
  if (isStream && response.body) await readLines(response.body, (line) => observer.event(line));
}

async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onLine: (line: string) => void,
): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = present(lines.pop(), "the last line");
    for (const line of lines) if (line !== "") onLine(line);
  }
}
