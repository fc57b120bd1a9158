import { Code } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wholeEnvelopes } from "../../src/rpc/envelope.ts";

const maxMessageBytes = 50;

/** Returns the envelopes that are yielded, each with the number of body bytes read until then, and the error at the end. */
async function pass(pieces: readonly Uint8Array[]) {
  let read = 0;
  async function* source() {
    for (const piece of pieces) {
      read += piece.length;
      yield piece;
    }
  }
  const passed: { readonly bytes: Buffer; readonly read: number }[] = [];
  let error: unknown;
  try {
    for await (const bytes of wholeEnvelopes(source(), maxMessageBytes))
      passed.push({ bytes: Buffer.from(bytes), read });
  } catch (reason) {
    error = reason;
  }
  return { passed, error, read };
}

function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [
    0,
    ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const messages = fc.array(fc.uint8Array({ maxLength: maxMessageBytes }), { maxLength: 8 });

describe("wholeEnvelopes", () => {
  test("yields each message as soon as its last byte has arrived, however the body is split", async () => {
    await fc.assert(
      fc.asyncProperty(
        messages,
        fc.array(fc.nat()),
        fc.uint8Array({ maxLength: 4 }),
        async (all, cuts, rest) => {
          const envelopes = all.map((message) => Buffer.from(encodeEnvelope(0, message)));
          const parts = pieces(Buffer.concat([...envelopes, rest]), cuts);
          const { passed, error } = await pass(parts);
          expect(passed.map(({ bytes }) => bytes)).toEqual(envelopes);
          let end = 0;
          for (const { bytes, read } of passed) {
            end += bytes.length;
            const ends = parts.map((_, index) => Buffer.concat(parts.slice(0, index + 1)).length);
            expect(read).toBe(ends.find((sum) => sum >= end));
          }
          expect(error).toEqual(
            rest.length > 0 ? expect.objectContaining({ code: Code.InvalidArgument }) : undefined,
          );
        },
      ),
    );
  });

  test("refuses a message over the limit as soon as its prefix has arrived", async () => {
    const longest = encodeEnvelope(0, new Uint8Array(maxMessageBytes));
    expect((await pass([longest])).passed).toHaveLength(1);
    const long = encodeEnvelope(0, new Uint8Array(maxMessageBytes + 1));
    const { passed, error, read } = await pass(pieces(long, [1, 2, 3, 4, 5, 6]));
    expect(passed).toEqual([]);
    expect(error).toMatchObject({ code: Code.ResourceExhausted });
    expect(read).toBe(5);
  });
});

describe("the count of the memory of an incomplete message is given back when the body", () => {
  const short = encodeEnvelope(0, new Uint8Array(10));
  const long = encodeEnvelope(0, new Uint8Array(10_000));
  const start = Buffer.concat([short, long.subarray(0, 6_000)]);
  const end = long.subarray(6_000);
  const tooLarge = encodeEnvelope(0, new Uint8Array(20_001));

  test.each<[how: string, rest: () => Iterable<Uint8Array>, fault?: string]>([
    ["continues to the end of the message", () => [end]],
    ["ends within the message", () => [], "incomplete envelope"],
    ["ends within another one", () => [end, start], "incomplete envelope"],
    ["continues with one that is too large", () => [end, tooLarge], "larger than"],
    [
      "is broken off",
      () => {
        throw new Error("broken off");
      },
      "broken off",
    ],
  ])("%s", async (_how, rest, fault) => {
    let counted = 0;
    let atRest = 0;
    const unread = {
      hold(bytes: number) {
        counted += bytes;
      },
      pass() {},
    };
    async function* source() {
      yield start;
      atRest = counted;
      yield* rest();
    }
    const read = async () => {
      for await (const _ of wholeEnvelopes(source(), 20_000, unread));
    };
    const outcome = await read().catch(String);
    if (fault === undefined) expect(outcome).toBeUndefined();
    else expect(outcome).toContain(fault);
    expect(atRest).toBeGreaterThanOrEqual(6_000);
    expect(counted).toBe(0);
  });
});
