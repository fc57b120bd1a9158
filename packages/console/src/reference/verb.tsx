import type { Call } from "./model.ts";

/** Shows the HTTP method of a call, or RPC. */
export function Verb({ call }: { call: Call | undefined }) {
  if (!call) return null;
  const word = call.protocol === "rpc" ? "RPC" : call.httpMethod;
  return <span class={`verb verb-${word.toLowerCase()}`}>{word}</span>;
}
