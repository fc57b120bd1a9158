import type { DescMessage, Registry } from "@bufbuild/protobuf";
import type { JsonStyle } from "./style.ts";

export interface Compiled<F> {
  readonly style: JsonStyle;
  /** Types that a google.protobuf.Any can hold. */
  readonly registry: Registry | undefined;
  /** Returns the function for a message type. It is compiled at the first use. */
  readonly message: (desc: DescMessage) => F;
}

/** Wraps a compiler of message types. It may ask for the function of a type that contains the type itself. */
export function compileOnce<A, B>(
  style: JsonStyle,
  registry: Registry | undefined,
  compile: (all: Compiled<(input: A) => B>, desc: DescMessage) => (input: A) => B,
): Compiled<(input: A) => B> {
  const known = new WeakMap<DescMessage, (input: A) => B>();
  const message = (desc: DescMessage) => {
    const before = known.get(desc);
    if (before) return before;
    // A message type can contain itself, so a placeholder is needed while it is compiled.
    known.set(desc, (input) => message(desc)(input));
    const made = compile(all, desc);
    known.set(desc, made);
    return made;
  };
  const all = { style, registry, message };
  return all;
}
