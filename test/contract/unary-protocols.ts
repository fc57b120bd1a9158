import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { type InventoryItem, InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { type HttpSend, overHttp1, overHttp2 } from "./http-clients.ts";
import { type Contract, limitFieldNames } from "./support.ts";

/** A call of InventoryService, independent of the protocol. */
export type Ask =
  | { readonly list: true }
  | { readonly batch: readonly { readonly petId: bigint; readonly quantity: number }[] }
  | { readonly petId: bigint; readonly update?: { readonly quantity?: number } };

/** The outcome of a call, independent of the protocol. */
export interface Outcome {
  readonly code: string;
  /** Pets as `petId quantity status`. */
  readonly pets?: readonly string[];
  readonly message?: string;
  readonly fields: Headers;
  readonly error?: ConnectError;
}

/** Makes a call with one protocol. */
export type UnaryProtocol = (
  url: string,
  authorization: string | null,
  ask: Ask,
) => Promise<Outcome>;

const petWords = ["", "available", "pending", "sold"];

const petText = ({ petId, quantity, status }: InventoryItem) =>
  `${petId} ${quantity} ${petWords[status]}`;

/** Formats a code as the HTTP interface does: `not_found`. */
export const codeWord = (code: Code) =>
  Code[code].replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

function byRpc(makeTransport: (baseUrl: string) => Transport): UnaryProtocol {
  return async (url, authorization, ask) => {
    const client = createClient(InventoryService, makeTransport(url));
    const fields = new Headers();
    const note = (metadata: Headers) => {
      metadata.forEach((value, name) => {
        fields.set(name, value);
      });
    };
    const options = {
      ...(authorization !== null && { headers: { authorization } }),
      onHeader: note,
      onTrailer: note,
    };
    try {
      if ("list" in ask) {
        const { items } = await client.listInventory({}, options);
        return { code: "ok", pets: items.map(petText), fields };
      }
      if ("batch" in ask) {
        const { items } = await client.batchUpdateInventory({ updates: [...ask.batch] }, options);
        return {
          code: "ok",
          pets: items.flatMap(({ item }) => (item ? petText(item) : [])),
          fields,
        };
      }
      const { item } = await client.updateInventory(ask, options);
      return { code: "ok", pets: item ? [petText(item)] : [], fields };
    } catch (reason) {
      const error = ConnectError.from(reason);
      note(error.metadata);
      return { code: codeWord(error.code), message: error.rawMessage, fields, error };
    }
  };
}

function batchJson(updates: readonly { petId: bigint; quantity: number }[]): string {
  const rows = updates.map(({ petId, quantity }) => `{"petId":${petId},"quantity":${quantity}}`);
  return `{"updates":[${rows.join(",")}]}`;
}

function byHttp(send: HttpSend): UnaryProtocol {
  return async (url, authorization, ask) => {
    const headers = { ...(authorization !== null && { authorization }) };
    const { status, fields, body } = await ("list" in ask
      ? send(url, "GET", "/v1/inventory", headers)
      : "batch" in ask
        ? send(
            url,
            "POST",
            "/v1/inventory:batchUpdate",
            { ...headers, "content-type": "application/json" },
            batchJson(ask.batch),
          )
        : send(
            url,
            "PATCH",
            `/v1/inventory/${ask.petId}`,
            { ...headers, "content-type": "application/json" },
            JSON.stringify(ask.update ?? {}),
          ));
    if (status !== 200) {
      const { code, message } = JSON.parse(body);
      return { code, message, fields };
    }
    const pets = [...body.matchAll(/\{"petId":(\d+),"quantity":(\d+),"status":"(\w+)"\}/g)];
    return { code: "ok", pets: pets.map((pet) => pet.slice(1).join(" ")), fields };
  };
}

type MakeTransport = (baseUrl: string) => Transport;

const connect =
  (httpVersion: "1.1" | "2", useBinaryFormat: boolean): MakeTransport =>
  (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion, useBinaryFormat });
const grpcWeb =
  (httpVersion: "1.1" | "2", useBinaryFormat: boolean): MakeTransport =>
  (baseUrl) =>
    createGrpcWebTransport({ baseUrl, httpVersion, useBinaryFormat });

/** The transports of all RPC protocols, by name. */
export const rpcTransports: Readonly<Record<string, MakeTransport>> = {
  "Connect, binary, HTTP/1.1": connect("1.1", true),
  "Connect, binary, HTTP/2": connect("2", true),
  "Connect, JSON, HTTP/1.1": connect("1.1", false),
  "Connect, JSON, HTTP/2": connect("2", false),
  "Connect, GET": (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useHttpGet: true }),
  "gRPC, binary": (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: true }),
  "gRPC, JSON": (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false }),
  "gRPC-Web, binary, HTTP/1.1": grpcWeb("1.1", true),
  "gRPC-Web, JSON, HTTP/1.1": grpcWeb("1.1", false),
  "gRPC-Web, binary, HTTP/2": grpcWeb("2", true),
};

/** All protocols, by name. */
export const unaryProtocols: Readonly<Record<string, UnaryProtocol>> = {
  "JSON over HTTP/1.1": byHttp(overHttp1),
  "JSON over HTTP/2": byHttp(overHttp2),
  ...Object.fromEntries(Object.entries(rpcTransports).map(([name, make]) => [name, byRpc(make)])),
};

export const protocolNames = Object.keys(unaryProtocols);

/** Makes the same call with every protocol, one after the other. */
export async function askAll(
  contract: Contract,
  authorization: string | null,
  ask: Ask,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const [name, protocol] of Object.entries(unaryProtocols)) {
    outcomes.set(name, await protocol(contract.server.url, authorization, ask));
  }
  return outcomes;
}

/** Returns an expected value per protocol. Differences then show the protocol. */
export function forAll<T>(pick: (index: number) => T): Record<string, T> {
  return Object.fromEntries(protocolNames.map((name, index) => [name, pick(index)]));
}

/** Returns a value of each outcome, by protocol. */
export function each<T>(outcomes: Map<string, Outcome>, pick: (outcome: Outcome) => T) {
  return Object.fromEntries([...outcomes].map(([name, outcome]) => [name, pick(outcome)]));
}

export const limitsOf = ({ fields }: Outcome) =>
  Object.fromEntries(limitFieldNames.map((name) => [name, fields.get(name)]));

/** Returns the protocol in records and in the log, by the name of a client. */
export function protocolOf(client: string): string {
  if (client.startsWith("gRPC-Web")) return "grpc_web";
  if (client.startsWith("gRPC")) return "grpc";
  return client.startsWith("Connect") ? "connect" : "http";
}
