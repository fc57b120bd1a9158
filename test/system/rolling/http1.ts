/**
 * Calls AdjustInventory over HTTP/1.1 until standard input ends, and prints the outcome of the calls. The argument is
 * the protocol: `json`, `connect` or `grpc-web`. The client keeps its connections open, and never repeats a call.
 */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { callUntilEnd } from "./call-until-end.ts";

/** Timeout of a call, in ms. */
const deadlineMs = 10_000;

const { ADDRESSES = "", AUTHORIZATION = "", PET_ID = "" } = process.env;
const [protocol = ""] = process.argv.slice(2);
const baseUrl = `http://${ADDRESSES}`;
const agent = new Agent({ keepAlive: true });

async function adjustByJson(): Promise<void> {
  const sent = request(`${baseUrl}/v1/inventory/${PET_ID}:adjust`, {
    method: "POST",
    agent,
    signal: AbortSignal.timeout(deadlineMs),
    headers: { authorization: AUTHORIZATION, "content-type": "application/json" },
  });
  sent.end('{"delta":1}');
  const [response] = await once(sent, "response");
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${body}`);
}

function adjustByRpc(): () => Promise<unknown> {
  const options = { baseUrl, httpVersion: "1.1", nodeOptions: { agent } } as const;
  const transport =
    protocol === "connect" ? createConnectTransport(options) : createGrpcWebTransport(options);
  const client = createClient(InventoryService, transport);
  const message = { petId: BigInt(PET_ID), delta: 1 };
  const call = { headers: { authorization: AUTHORIZATION }, timeoutMs: deadlineMs };
  return () => client.adjustInventory(message, call);
}

const adjust = protocol === "json" ? adjustByJson : adjustByRpc();
await callUntilEnd(adjust);
agent.destroy();
