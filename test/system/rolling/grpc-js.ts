/** Calls a method with grpc-js until standard input ends, and prints the outcome of the calls. */
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { callUntilEnd } from "./call-until-end.ts";

/** Timeout of a call, in ms. */
const deadlineMs = 10_000;

const { ADDRESSES = "", AUTHORIZATION = "", NAME = "", METHOD = "", REQUEST = "" } = process.env;
const request = Buffer.from(REQUEST, "hex");
const metadata = new Metadata();
metadata.set("authorization", AUTHORIZATION);
metadata.set("x-request-id", NAME);
const client = new Client(`ipv4:${ADDRESSES}`, credentials.createInsecure(), {
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
});

const asItIs = (bytes: Buffer) => bytes;

await callUntilEnd(
  () =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + deadlineMs };
      client.makeUnaryRequest(METHOD, asItIs, asItIs, request, metadata, options, (error) => {
        if (error) reject(error);
        else resolve(undefined);
      });
    }),
);
client.close();
