import fc from "fast-check";
import { createRandom } from "../linearizability/random.ts";
import { type Call, copyOf, type FuzzCase } from "./corpus.ts";
import { fileOf } from "./item-file.ts";
import { mutateBytes, mutateCall } from "./mutations.ts";
import { chunked, http1Bytes, http2Bytes, http2Frames, mutateFrames } from "./wire.ts";

/** A seed of a random generator. A smaller one is not simpler. */
const seeds = fc.noShrink(fc.nat());

/** What a case is made from. Without mutations, the request is valid. */
const choices = fc.record({
  kind: fc.constantFrom("http1", "http1", "http1", "http2", "http2", "csv", "ndjson"),
  call: seeds,
  other: seeds,
  // One in four cases mutates the bytes of the connection. The others mutate the request, because most changes of the
  // bytes end the parsing of HTTP.
  isRaw: fc.constantFrom(false, false, false, true),
  inChunks: fc.constantFrom(false, false, false, true),
  wire: seeds,
  mutations: fc.array(seeds, { maxLength: 4, size: "max" }),
  cuts: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 2, maxLength: 2 }),
  ),
});

/** Makes random cases from valid requests. */
export function casesOf(corpus: readonly Call[]): fc.Arbitrary<FuzzCase> {
  return choices.map((chosen) => {
    const made = makeCase(corpus, chosen);
    const shown = JSON.stringify(made.bytes.toString("latin1", 0, 2_000));
    return { ...made, [fc.toStringMethod]: () => `${made.name}, chunks ${made.cuts}: ${shown}` };
  });
}

type Choices = typeof choices extends fc.Arbitrary<infer Value> ? Value : never;

function makeCase(
  corpus: readonly Call[],
  { kind, isRaw, inChunks, cuts, ...seed }: Choices,
): FuzzCase {
  const mutations = seed.mutations.map(createRandom);
  if (kind === "csv" || kind === "ndjson") {
    return { kind, name: `file ${kind}`, cuts, bytes: fileOf(kind, mutations) };
  }
  const usable = corpus.filter(({ http2Only }) => kind === "http2" || !http2Only);
  const call = copyOf(usable[seed.call % usable.length] as Call);
  const other = usable[seed.other % usable.length] as Call;
  const wire = createRandom(seed.wire);
  const name = `${kind} ${call.name}${isRaw ? " (raw)" : ""}`;
  if (!isRaw) for (const each of mutations) mutateCall(call, each, other);
  if (kind === "http1") {
    if (inChunks && call.body.length > 0) chunked(call, wire);
    let bytes = http1Bytes(call);
    if (isRaw) for (const each of mutations) bytes = mutateBytes(bytes, each, http1Bytes(other));
    return { kind, name, bytes, cuts };
  }
  const frames = http2Frames(call, wire);
  if (isRaw) for (const each of mutations) mutateFrames(frames, each);
  const bytes = http2Bytes(frames);
  const isCut = isRaw && wire.oneIn(3) && mutations.length > 0;
  return { kind, name, cuts, bytes: isCut ? mutateBytes(bytes, wire, Buffer.alloc(20, 1)) : bytes };
}
