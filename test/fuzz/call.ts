/** A request before it is written in either version of HTTP. Mutations change it in place. */
export interface Call {
  /** What it asks for and by which protocol, for reports. */
  readonly name: string;
  /** Only one version of HTTP can carry it. */
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
