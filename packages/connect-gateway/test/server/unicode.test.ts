import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { type SampleSchema, ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { protocols } from "../rpc/support.ts";
import { callAll, each, everywhere, startGateway } from "./support/call-all.ts";

const lone = "a\ud800b\udc00c\ud83d\ude00 50%25";
const sent = "a\ufffdb\ufffdc\ud83d\ude00 50%25";

describe("a lone surrogate is sent as U+FFFD in all protocols", () => {
  test("in a field of a response", async () => {
    const { url } = await startGateway({ reply: () => lone });
    const texts = each(await callAll(url), ({ code, message }) => ({ code, message }));
    expect(texts).toEqual(everywhere({ code: "ok", message: sent }));
  });

  test("in the message of an error", async () => {
    const { url, faults } = await startGateway({
      reply() {
        throw new ConnectError(lone, Code.NotFound);
      },
    });
    const texts = each(await callAll(url), ({ code, message }) => ({ code, message }));
    expect(texts).toEqual(everywhere({ code: "not_found", message: sent }));
    expect(faults).toEqual([]);
  });

  /** A message that has a text in each kind of field. */
  const sampleWith = (text: string): MessageInitShape<typeof SampleSchema> => ({
    aString: text,
    manyStrings: [text],
    byString: { [text]: 1n },
    byInt32: { 1: text },
    choice: { case: "choiceString", value: text },
    aStruct: { [text]: text },
    aValue: create(ValueSchema, { kind: { case: "stringValue", value: text } }),
    wrappedString: text,
  });

  test("in every kind of field", async () => {
    const { echo } = ShelfService.method;
    const { url } = await startGateway({
      routes: ({ rpc }) => rpc(echo, () => ({ sample: sampleWith(lone) })),
    });
    const json = createConnectTransport({ baseUrl: url, httpVersion: "2", useBinaryFormat: false });
    const transports = protocols.map(([, open]) => open(url));
    const [first, ...others] = await Promise.all(
      [json, ...transports].map((transport) => createClient(ShelfService, transport).echo({})),
    );
    expect(first?.sample).toMatchObject(sampleWith(sent));
    for (const other of others) expect(other).toEqual(first);
    const response = await fetch(`${url}/v1/echo`);
    const text = await response.text();
    expect(text).not.toMatch(/\\ud/i);
    expect(JSON.parse(text)).toMatchObject({ byString: { [sent]: "1" }, aValue: sent });
  });

  test("in the link to the next page", async () => {
    const { listBooks } = ShelfService.method;
    const { url } = await startGateway({
      routes: ({ rpc }) => rpc(listBooks, () => ({ nextPageToken: lone })),
    });
    const { status, headers } = await fetch(`${url}/v1/books`);
    const link = `</v1/books?pageToken=${encodeURIComponent(sent)}>; rel="next"`;
    expect([status, headers.get("link")]).toEqual([200, link]);
  });
});
