import { createRandom, type Random } from "../linearizability/random.ts";
import { type Call, copyOf } from "./call.ts";
import { fileOf } from "./item-file.ts";
import { mutateBytes, mutateCall } from "./mutations.ts";
import { chunked, http1Bytes, http2Bytes, http2Frames, mutateFrames } from "./wire.ts";

/** A fuzz case: bytes to send on a connection, or a file to import. */
export type FuzzCase = ConnectionCase | FileCase;

export interface ConnectionCase {
  readonly kind: "http1" | "http2";
  readonly number: number;
  readonly name: string;
  /** Number of mutations of the valid request. */
  readonly mutations: number;
  readonly bytes: Buffer;
  /** Lengths of the first chunks in which the bytes are sent. */
  readonly cuts: readonly number[];
}

export interface FileCase {
  readonly kind: "file";
  readonly number: number;
  readonly name: string;
  readonly mutations: number;
  readonly format: "csv" | "ndjson";
  readonly bytes: Buffer;
  readonly cuts: readonly number[];
}

const mostMutations = 4;

/** Random numbers for one part of a case. */
function randomOf(seed: number, number: number, part: number): Random {
  return createRandom(
    Math.imul(seed ^ 0x2545f491, 0x9e3779b1) ^
      Math.imul(number + 1, 0x85ebca6b) ^
      Math.imul(part + 1, 0xc2b2ae35),
  );
}

/** Creates a case. */
export function caseOf(corpus: readonly Call[], seed: number, number: number): FuzzCase {
  const random = randomOf(seed, number, 0);
  const mutations = random.between(random.oneIn(20) ? 0 : 1, mostMutations);
  const kind = random.pick(["http1", "http1", "http1", "http2", "http2", "file"] as const);
  // One in four cases mutates the bytes of the connection. The others mutate the request, because most changes of the
  // bytes end the parsing of HTTP.
  const raw = random.oneIn(4);
  const inChunks = random.oneIn(6);
  const cuts = random.oneIn(5) ? [random.between(1, 400), random.between(1, 400)] : [];
  const made = Array.from({ length: mutations }, (_, index) => index);
  if (kind === "file") {
    return {
      number,
      mutations,
      cuts,
      ...fileOf(
        random,
        made.map((index) => randomOf(seed, number, index + 1)),
      ),
    };
  }

  const usable = corpus.filter(({ http2Only }) => kind === "http2" || !http2Only);
  const pick = (from: Random) => usable[from.between(0, usable.length - 1)] as Call;
  const call = copyOf(pick(random));
  const other = pick(random);
  const wire = randomOf(seed, number, 99);
  const name = `${kind} ${call.name}${raw ? " (raw)" : ""}`;
  if (!raw) for (const index of made) mutateCall(call, randomOf(seed, number, index + 1), other);
  if (kind === "http1") {
    if (inChunks && call.body.length > 0) chunked(call, wire);
    let bytes = http1Bytes(call);
    for (const index of raw ? made : []) {
      bytes = mutateBytes(bytes, randomOf(seed, number, index + 1), http1Bytes(other));
    }
    return { kind, number, name, mutations, bytes, cuts };
  }
  const frames = http2Frames(call, wire);
  for (const index of raw ? made : []) mutateFrames(frames, randomOf(seed, number, index + 1));
  let bytes = http2Bytes(frames);
  if (raw && wire.oneIn(3) && made.length > 0)
    bytes = mutateBytes(bytes, wire, Buffer.alloc(20, 1));
  return { kind, number, name, mutations, bytes, cuts };
}
