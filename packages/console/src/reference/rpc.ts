import type { Call, Field, Types } from "./model.ts";
import type { RpcField, RpcMethod, RpcReference } from "./rpc-document.ts";

/** Returns the types of the contract with the names of their fields in JSON. */
export function rpcTypes({ types }: RpcReference): Types {
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => [
      name,
      {
        name: type.name,
        description: type.description,
        ...(type.values && { values: type.values }),
        ...(type.fields && { fields: type.fields.map(fieldOf) }),
      },
    ]),
  );
}

function fieldOf({ required, ...field }: RpcField): Field {
  return { ...field, isRequired: required === true };
}

/** Describes a call of a method by the Connect protocol, with JSON. */
export function rpcCall(method: RpcMethod, types: Types): Call {
  const reason = notCallable(method);
  return {
    protocol: "rpc",
    httpMethod: "POST",
    path: `/${method.rpc}`,
    summary: method.summary,
    description: method.description,
    parameters: [],
    body: { type: method.request, example: JSON.stringify(method.example, undefined, 2) },
    responses: [
      {
        status: "ok",
        description: "The call succeeded.",
        reasons: [],
        headers: [],
        type: method.response,
      },
    ],
    types,
    isStream: method.stream === "response",
    ...(reason && { notCallable: reason }),
  };
}

function notCallable({ stream }: RpcMethod): string | undefined {
  if (stream === "request") {
    return "Browsers cannot send a stream. Call this method over gRPC, or use the command `inventory items import`.";
  }
  if (stream === "response") {
    return "This page reads streams over HTTP. Over RPC, use one of the client packages.";
  }
  return undefined;
}
