/** Calls a method with grpc-js until standard input ends, and prints the outcome of the calls. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Client, credentials, Metadata } from "@grpc/grpc-js";

/** Number of concurrent calls, and the timeout of each, in ms. */
const workers = 8;
const deadlineMs = 10_000;

const {
  ADDRESSES = "",
  AUTHORIZATION = "",
  NAME = "",
  METHOD = "",
  REQUEST = "",
  PAUSE_MS = "",
} = process.env;
const request = Buffer.from(REQUEST, "hex");
const metadata = new Metadata();
metadata.set("authorization", AUTHORIZATION);
metadata.set("x-request-id", NAME);
const client = new Client(`ipv4:${ADDRESSES}`, credentials.createInsecure(), {
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
});

let ok = 0;
const lost: string[] = [];
let isStopped = false;
const asItIs = (bytes: Buffer) => bytes;

function call(): Promise<void> {
  return new Promise((resolve) => {
    const options = { deadline: Date.now() + deadlineMs };
    client.makeUnaryRequest(METHOD, asItIs, asItIs, request, metadata, options, (error) => {
      if (error) lost.push(error.message);
      else ok += 1;
      resolve();
    });
  });
}

async function work(): Promise<void> {
  while (!isStopped) {
    await call();
    await delay(Number(PAUSE_MS));
  }
}

const all = Promise.all(Array.from({ length: workers }, work));
process.stdin.resume();
await once(process.stdin, "end");
isStopped = true;
await all;
client.close();
process.stdout.write(`${JSON.stringify({ ok, lost })}\n`);
