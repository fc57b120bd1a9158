import { create, toJson } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { grpcFraming } from "../../packages/connect-gateway/src/rpc/media-type.ts";
import { toFailure } from "../../packages/connect-gateway/src/rpc/sent-error.ts";
import { SampleSchema } from "../../packages/connect-gateway/test/gen/shelf/v1/shelf_pb.ts";
import { httpJson } from "../../packages/connect-gateway/test/rest/support/json.ts";
import { csvText } from "../../src/cli/output/csv-text.ts";
import { createLog, lineWriter } from "../../src/observability/log/log.ts";
import { openMetrics, plainText } from "../../src/observability/metrics/exposition.ts";

/** Strings with many characters that end a string, a line or a field of some text format. */
const texts = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      '"',
      "\\",
      "\n",
      "\r",
      ",",
      "'",
      "{",
      "}",
      "=",
      "%",
      "<",
      "\0",
      "\u2028",
      "a",
    ),
  }),
  fc.string({ unit: "binary" }),
);

test("a FieldMask with any paths is one string in JSON", () => {
  fc.assert(
    fc.property(fc.array(texts), (paths) => {
      const aFieldMask = create(FieldMaskSchema, { paths });
      let expected: unknown;
      try {
        expected = toJson(FieldMaskSchema, aFieldMask);
      } catch {
        return; // Such a path has no JSON.
      }
      const written = httpJson.encodeJson(SampleSchema, create(SampleSchema, { aFieldMask }));
      expect(JSON.parse(written)).toMatchObject({ aFieldMask: expected });
    }),
  );
});

test("rows of any texts come back from CSV", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, texts)), (rows) => {
      expect(parse(csvText(["a", "b"], rows), { record_delimiter: "\n" })).toEqual([
        ["a", "b"],
        ...rows,
      ]);
    }),
  );
});

/** The value of the only label of a sample, by the grammar of the format. */
function labelOf(text: string): string | undefined {
  const [, quoted] = /^demo_total\{name="((?:[^"\\\n]|\\.)*)"\} 1$/mu.exec(text) ?? [];
  return quoted?.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
}

test.each([openMetrics, plainText])(
  "a label of any text comes back from metrics: $contentType",
  ({ write }) => {
    const metric = { name: "demo", type: "counter", help: "A demo.", labels: ["name"] } as const;
    fc.assert(
      fc.property(
        texts.filter((text) => text !== ""),
        (text) => {
          expect(labelOf(write([metric], { demo: [[[text], [1]]] }))).toBe(text);
        },
      ),
    );
  },
);

test("an error message of any text comes back from gRPC", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { sent } = toFailure(new ConnectError(text, Code.NotFound), {
        missingDetails: () => [],
        onFault: () => {},
      });
      const trailers = new Headers(grpcFraming.ending(sent, undefined) as Record<string, string>);
      expect(decodeURIComponent(trailers.get("grpc-message") ?? "")).toBe(text);
    }),
  );
});

test("fields of any text come back from a line of the log", () => {
  const lines: string[] = [];
  const log = createLog("info", undefined, { write: (line) => lines.push(line) });
  const write = lineWriter(log, "info", "a message");
  fc.assert(
    fc.property(texts, (text) => {
      lines.length = 0;
      write({ requestId: text });
      expect(lines.map((line) => JSON.parse(line).requestId)).toEqual([text]);
    }),
  );
});
