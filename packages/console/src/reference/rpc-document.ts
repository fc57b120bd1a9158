import type { JsonObject } from "@bufbuild/protobuf";

/** The document `/docs/rpc.json`: the RPC methods, messages and enums of the contract. */
export interface RpcReference {
  readonly services: readonly RpcService[];
  /** Messages and enums that the methods use, by full name. */
  readonly types: Readonly<Record<string, RpcType>>;
}

export interface RpcService {
  /** The full name, such as `store.v1.StoreService`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly methods: readonly RpcMethod[];
}

export interface RpcMethod {
  readonly name: string;
  /** The name in the path: `store.v1.StoreService/PlaceOrder`. */
  readonly rpc: string;
  /** The first sentence of the comment, without its full stop. */
  readonly summary: string;
  readonly description: string;
  /** The scope that the key needs; absent if any key may call the method. */
  readonly scope?: string;
  readonly stability?: string;
  readonly deprecated?: true;
  /** The side that sends any number of messages. */
  readonly stream?: "request" | "response";
  /** Whether the method changes nothing. */
  readonly readOnly?: true;
  readonly request: string;
  readonly response: string;
  readonly example: JsonObject;
  readonly samples: Readonly<Record<string, string>>;
}

export interface RpcType {
  readonly name: string;
  readonly description: string;
  readonly fields?: readonly RpcField[];
  readonly values?: readonly { readonly name: string; readonly description: string }[];
}

export interface RpcField {
  readonly name: string;
  /** The type in the contract, such as `repeated int64`. */
  readonly type: string;
  /** The full name of the message or enum. */
  readonly refersTo?: string;
  readonly required?: true;
  /** Bounds in words, such as `1 to 1000`. */
  readonly bounds?: string;
  readonly description: string;
}
