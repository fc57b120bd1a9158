/** A request that is independent of the HTTP version. Mutations change it in place. */
export interface Call {
  /** The operation and its protocol, for reports. */
  readonly name: string;
  /** The only HTTP version that can carry the request, if there is one. */
  readonly http2Only: boolean;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: Buffer;
}

/** A copy that can be changed without changing the original. */
export function copyOf(call: Call): Call {
  return { ...call, headers: call.headers.map(([name, value]) => [name, value]) };
}
