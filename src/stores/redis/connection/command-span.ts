import { ConnectError } from "@connectrpc/connect";
import { codeName } from "connect-gateway/call";
import type { Span } from "../../../common/span.ts";
import type { Calls, Operation } from "./operation.ts";

/**
 * Begins the span of a command for all calls that wait for its reply, if one is sampled. It is a child of the first sampled
 * call, and has links to all of them. The other calls have a link to it, so that their traces lead to the command. Its
 * attributes are those of https://opentelemetry.io/docs/specs/semconv/db/redis/, without the arguments of the command.
 */
export function startCommandSpan(
  { command, script }: Operation,
  calls: Calls,
  address: string,
  startedAt: number,
): Span | undefined {
  let span: Span | undefined;
  for (const call of calls) {
    const request = call?.record?.span;
    if (!request) continue;
    if (span) request.addLink(span);
    else {
      const name = script === undefined ? command : `${command} ${script}`;
      span = request.startChild(name, "client", startedAt);
    }
    span.addLink(request);
  }
  if (!span) return undefined;
  const portAt = address.lastIndexOf(":");
  span.setAttributes({
    "db.system.name": "redis",
    "db.operation.name": command,
    "server.address": address.slice(0, portAt),
    "server.port": Number(address.slice(portAt + 1)),
    ...(script !== undefined && { "db.stored_procedure.name": script }),
    // The conventions do not call one command a batch.
    ...(calls.length > 1 && { "db.operation.batch.size": calls.length }),
  });
  return span;
}

/** Ends the span of a command. @param error why it failed; undefined when it has a reply */
export function endCommandSpan(span: Span, error: unknown, endedAt: number): void {
  if (error !== undefined) {
    // The message could quote an argument.
    span.fail(error instanceof ConnectError ? codeName("connect", error.code) : "_OTHER");
  }
  span.end(endedAt);
}
