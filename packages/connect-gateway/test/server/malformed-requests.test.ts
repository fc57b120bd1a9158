import { expect, test } from "vitest";
import { startGateway } from "./support/call-all.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";

const expected = [400, "MESSAGE_INVALID", "invalid_argument"];
const type = ["content-type", "application/json"] as const;

test.each<[string, string, string?]>([
  ["no Host", ""],
  ["two Hosts", "Host: a\r\nHost: a\r\n"],
  ["an invalid Host", "Host: %zz\r\n"],
  ["two Content-Types", `Host: a\r\n${`${type.join(": ")}\r\n`.repeat(2)}`],
  ["an invalid target", "Host: a\r\n", "http://a:b/"],
  ["a fragment", "Host: a\r\n", "/#a"],
  ["a fragment of a URL", "Host: a\r\n", "http://a/?b#c"],
  ["a header without a colon", "Host: a\r\nX\r\n"],
])("400 MESSAGE_INVALID for %s over HTTP/1.1", async (_, fields, target = "/") => {
  const { url } = await startGateway();
  const client = await connectHttp1(
    Number(new URL(url).port),
    `GET ${target} HTTP/1.1\r\n${fields}\r\n`,
  );
  const { status, headers, body } = await client.response();
  expect([status, headers.get("x-error-reason"), JSON.parse(body).code]).toEqual(expected);
});

test.each<[string, readonly string[], string?]>([
  ["an invalid Host", ["host", "%zz"]],
  ["an invalid :authority", [":authority", "%zz"]],
  ["a fragment", [":authority", "a"], "/#a"],
  ["two Content-Types", [":authority", "a", ...type, ...type]],
])("400 MESSAGE_INVALID for %s over HTTP/2", async (_, fields, path = "/") => {
  const { url } = await startGateway();
  const session = connectHttp2(url, { strictSingleValueFields: false } as never);
  const request = [":method", "GET", ":scheme", "http", ":path", path, ...fields];
  const { headers, body } = await responseOf(session.request(request as never));
  expect([headers[":status"], headers["x-error-reason"], JSON.parse(body).code]).toEqual(expected);
});
