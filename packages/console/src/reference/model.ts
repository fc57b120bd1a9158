/** A member of an object, a parameter or a header. */
export interface Field {
  readonly name: string;
  /** The type in words, such as `list of int64`. */
  readonly type: string;
  /** The name of the type in {@link Types}, if it has one. */
  readonly refersTo?: string;
  readonly isRequired: boolean;
  readonly bounds?: string;
  readonly description: string;
}

/** A way to call a method: JSON over HTTP, or the Connect protocol. */
export interface Call {
  readonly protocol: "http" | "rpc";
  readonly httpMethod: string;
  /** The path with the names of parameters in braces: `/v1/inventory/{petId}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Undefined if a request has no body. */
  readonly body?: Body;
  readonly responses: readonly Response[];
  /** The types that this protocol uses, by name. */
  readonly types: Types;
  /** Whether the response is a stream of messages. */
  readonly isStream: boolean;
  /** Why the page cannot make the call; undefined if it can. */
  readonly notCallable?: string;
}

export interface Parameter extends Field {
  readonly in: "path" | "query" | "header";
  readonly pattern?: string;
  readonly isInteger?: boolean;
  /** Whether it can have several values. Users separate them by commas or spaces. */
  readonly isList?: boolean;
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  /** The values that an enum has. */
  readonly values?: readonly string[];
}

/** The body of a request. */
export interface Body {
  readonly type: string;
  readonly example: string;
}

/** A response with one status. */
export interface Response {
  readonly status: string;
  readonly description: string;
  /** Values of the header `X-Error-Reason`. */
  readonly reasons: readonly string[];
  /** Headers, without those of all responses. */
  readonly headers: readonly Field[];
  /** The type of the body. */
  readonly type?: string;
  readonly example?: string;
}

/** Messages and enums by name. */
export type Types = Readonly<Record<string, Type>>;

export interface Type {
  readonly name: string;
  readonly description: string;
  readonly fields?: readonly Field[];
  readonly values?: readonly { readonly name: string; readonly description: string }[];
  /** The types of which a value has one. */
  readonly choices?: readonly string[];
}

/** A method of a service. */
export interface Method {
  readonly name: string;
  /** The name in the path of RPC calls: `store.v1.StoreService/PlaceOrder`. */
  readonly rpc: string;
  readonly scope?: string;
  readonly stability?: string;
  readonly isDeprecated: boolean;
  /** JSON over HTTP first, if the method has it. */
  readonly calls: readonly Call[];
  /** Programs by language. */
  readonly samples: Readonly<Record<string, string>>;
}

export interface Service {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly methods: readonly Method[];
}

/** Everything that the page shows. */
export interface Reference {
  readonly introduction: string;
  readonly version: string;
  /** Headers of every response to a counted request. */
  readonly commonHeaders: readonly Field[];
  readonly services: readonly Service[];
}
