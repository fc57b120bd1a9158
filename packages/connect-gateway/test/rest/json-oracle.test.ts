import { isDeepStrictEqual } from "node:util";
import {
  create,
  type DescMessage,
  fromJsonString,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createRandom, type Random, seed } from "../../../../test/system/linearizability/random.ts";
import { createJsonCodec, type JsonCodec } from "../../src/rest/json/codec.ts";
import { KindsSchema } from "../gen/shelf/v1/kinds_pb.ts";
import { LegacySchema } from "../gen/shelf/v1/legacy_pb.ts";
import { SampleSchema } from "../gen/shelf/v1/shelf_pb.ts";
import { httpJson, protoJson, rpcJson } from "./support/json.ts";
import { differences, kindOf, oddSamples, oddTexts } from "./support/odd-json.ts";
import {
  randomMessage,
  randomTypes,
  randomRegistry as registry,
} from "./support/random-message.ts";

/** Number of random messages to compare. CI compares more. */
const messageCount = Number(process.env.JSON_MESSAGES ?? 500);

/** Maximum CPU time of a comparison, in milliseconds. Other processes do not count. */
const cpuLimitMs = 20_000 + 3 * messageCount;

const codec = createJsonCodec(protoJson.style, registry);
const withDefaults = createJsonCodec({ ...protoJson.style, emitDefaults: true }, registry);
const lenient = createJsonCodec({ ...protoJson.style, ignoreUnknown: true }, registry);
const withIntegers = createJsonCodec({ ...protoJson.style, numbersInStrings: false }, registry);

const overHttp = createJsonCodec(httpJson.style, registry);

const largeTypes: readonly [DescMessage, DescMessage] = [SampleSchema, KindsSchema];

/** Returns the result of a function, or `fault` when it throws. */
function attempt<T>(run: () => T): { value?: T; fault?: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { fault: String(error) };
  }
}

function encode(desc: DescMessage, message: Message) {
  return attempt(() => codec.encodeJson(desc, message));
}

describe("protobuf-es as the oracle", () => {
  test(`writes and reads ${messageCount} random messages the same (SEED=${seed})`, {
    timeout: 10 * cpuLimitMs,
  }, () => {
    const cpuBefore = process.threadCpuUsage();
    let written = 0;
    for (let index = 0; index < messageCount; index++) {
      const random = createRandom(seed + index);
      const desc = random.oneIn(4) ? random.pick(randomTypes) : random.pick(largeTypes);
      const message = randomMessage(random, desc);
      const text = encode(desc, message).value;
      const expected = attempt(() => toJson(desc, message, { registry })).value;
      const label = `SEED=${seed + index}: ${desc.typeName} ${text}`;
      expect(text === undefined, label).toBe(expected === undefined);
      if (text === undefined || expected === undefined) continue;
      written++;
      if (!isDeepStrictEqual(JSON.parse(text), expected)) {
        expect(JSON.parse(text), label).toStrictEqual(expected);
      }
      compareForms(desc, message, label);
      compareReading(desc, message, text, label);
      compareChanged(random, desc, text, label);
      compareUnknown(random, desc, text, label);
    }
    // Only a few random messages have no JSON.
    expect(written / messageCount).toBeGreaterThan(0.8);
    const { user, system } = process.threadCpuUsage(cpuBefore);
    expect((user + system) / 1_000).toBeLessThan(cpuLimitMs);
  });

  test.each([{ anInt64: 2n ** 63n }, { anInt64: -(2n ** 63n) - 1n }, { aUint64: -1n }])(
    "an integer out of range has no JSON: %o",
    (fields) => {
      const { fault } = encode(SampleSchema, create(SampleSchema, fields));
      expect(fault).toContain("cannot be encoded: its value is ");
    },
  );

  function compareForms(desc: DescMessage, message: Message, label: string): void {
    const all = JSON.parse(withDefaults.encodeJson(desc, message));
    const expected = toJson(desc, message, { registry, alwaysEmitImplicit: true });
    if (!isDeepStrictEqual(all, expected)) expect(all, label).toStrictEqual(expected);
    const integers = numbersAsTexts(withIntegers.encodeJson(desc, message));
    const texts = numbersAsTexts(JSON.stringify(toJson(desc, message, { registry })));
    if (!isDeepStrictEqual(integers, texts)) expect(integers, label).toStrictEqual(texts);
  }

  /** Returns JSON with all numbers as strings, so that integers keep all digits. */
  function numbersAsTexts(json: string): JsonValue {
    return JSON.parse(json, (_, value, { source }: { source?: string } = {}) => {
      if (typeof value !== "number") return value;
      return source !== undefined && /^-?\d+$/.test(source) ? `${BigInt(source)}` : `${value}`;
    });
  }

  /** Replaces one value of a message with an unusual text. */
  function compareChanged(random: Random, desc: DescMessage, text: string, label: string): void {
    const tree = JSON.parse(text.replaceAll("a.example/b/", "type.googleapis.com/"));
    let count = 0;
    JSON.stringify(tree, (_, value) => {
      count++;
      return value;
    });
    let place = random.between(0, count - 1);
    const odd = random.pick(oddTexts);
    const marked = JSON.stringify(tree, (_, value) => (place-- === 0 ? "\u0001odd" : value));
    const json = marked.replace('"\\u0001odd"', () => odd);
    const unknown = compare(desc, json, odd, "").filter((one) => !explainAnywhere(one));
    expect(unknown, label).toEqual([]);
  }

  function compareUnknown(random: Random, desc: DescMessage, text: string, label: string): void {
    const read = attempt(() => codec.decodeJson(desc, text));
    if (read.value === undefined || !largeTypes.includes(desc)) return;
    const unknown = `{"unknown":[{"a":${text}},${random.pick(oddTexts)}]`;
    const json = text === "{}" ? `${unknown}}` : `${unknown},${text.slice(1)}`;
    const { value, fault } = attempt(() => lenient.decodeJson(desc, json));
    const isJson = attempt(() => JSON.parse(json)).fault === undefined;
    if (!isJson) expect(fault, label).toContain("not valid JSON");
    else if (fault) expect(fault, label).toMatch(/without lone surrogates|levels of nesting/);
    else if (!isDeepStrictEqual(value, read.value)) expect(value, label).toStrictEqual(read.value);
  }

  /** Like explain, for a text in a field of any type. */
  function explainAnywhere({ text, ours }: Comparison): boolean {
    return (
      /lone surrogate|levels of nesting/.test(ours.fault ?? "") ||
      differences.some(
        ({ texts, fault }) => texts.test(text) && (fault?.test(ours.fault ?? "") ?? true),
      )
    );
  }

  function compareReading(desc: DescMessage, message: Message, text: string, label: string): void {
    const ours = attempt(() => codec.decodeJson(desc, text));
    if (ours.fault !== undefined) {
      expect(ours.fault, label).toContain("levels of nesting");
      return;
    }
    if (!isDeepStrictEqual(ours.value, message)) expect(ours.value, label).toStrictEqual(message);
    const integers = withIntegers.decodeJson(desc, withIntegers.encodeJson(desc, message));
    if (!isDeepStrictEqual(integers, message)) expect(integers, label).toStrictEqual(message);
    // An enum value without a name is written, but not read. The one of zero is not written.
    const own = attempt(() => overHttp.decodeJson(desc, overHttp.encodeJson(desc, message)));
    if (own.fault) expect(own.fault, label).toMatch(/must be (one of|null)|levels of nesting/);
    else if (!text.includes("_UNSPECIFIED") && !isDeepStrictEqual(own.value, message)) {
      expect(own.value, label).toEqual(message);
    }
    // protobuf-es writes the same prefix for every google.protobuf.Any.
    if (text.includes("a.example/b/")) return;
    const theirs = fromJsonString(desc, text, { registry });
    if (!isDeepStrictEqual(ours.value, theirs)) expect(ours.value, label).toStrictEqual(theirs);
  }
});

/** A text that protobuf-es reads differently. */
interface Comparison {
  readonly json: string;
  readonly text: string;
  readonly kind: string;
  readonly ours: { value?: Message; fault?: string };
  readonly theirs: { value?: Message; fault?: string };
}

/** Reads a text with both readers. Returns undefined when the results are equal. */
function compare(desc: DescMessage, json: string, text: string, kind: string): Comparison[] {
  const ours = attempt(() => codec.decodeJson(desc, json));
  const theirs = attempt(() => fromJsonString(desc, json, { registry }));
  return isDeepStrictEqual(ours.value, theirs.value) ? [] : [{ json, text, kind, ours, theirs }];
}

/** Returns whether a difference is known. */
function explain({ text, kind, ours }: Comparison) {
  return differences.find(
    ({ kinds, texts, fault }) =>
      kinds.test(kind) && texts.test(text) && (fault?.test(ours.fault ?? "") ?? true),
  );
}

/** Reads every unusual text as the value, element and map value of every field. */
function compareOddTexts(): Comparison[] {
  const found: Comparison[] = [];
  for (const desc of [SampleSchema, KindsSchema, LegacySchema]) {
    for (const field of desc.fields) {
      const wraps: ((text: string) => string)[] = [(text) => text];
      if (field.fieldKind === "list") wraps.push((text) => `[${text}]`);
      if (field.fieldKind === "map") wraps.push((text) => `{"1":${text}}`);
      for (const text of oddTexts) {
        for (const wrap of wraps) {
          const json = `{"${field.jsonName}":${wrap(text)}}`;
          found.push(...compare(desc, json, text, kindOf(field)));
        }
      }
    }
  }
  const samples = oddSamples.flatMap((json) => compare(SampleSchema, json, json, "Sample"));
  return [...found, ...samples];
}

describe("unusual JSON is read", () => {
  const found = compareOddTexts();

  test("as protobuf-es reads it, except for known differences", () => {
    const unknown = found.filter((comparison) => !explain(comparison));
    expect(unknown.map(({ json, ours, theirs }) => [json, ours, theirs])).toEqual([]);
  });

  test("each known difference exists", () => {
    const seen = new Set(found.map((comparison) => explain(comparison)?.name));
    for (const { name } of differences) expect(seen).toContain(name);
  });
});

test("an error names fields as the client wrote them, and over RPC as the proto file does", () => {
  const read = (json: JsonCodec) => () =>
    json.decodeJson(SampleSchema, '{"aSample":{"manyStrings":["",1]}}');
  expect(read(protoJson)).toThrow(expect.objectContaining({ path: "aSample.manyStrings[1]" }));
  expect(read(rpcJson)).toThrow(expect.objectContaining({ path: "a_sample.many_strings[1]" }));
});
