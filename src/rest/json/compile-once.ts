import type { DescMessage } from "@bufbuild/protobuf";

/**
 * Wraps a compiler of message types, so that it compiles each type once.
 *
 * @param compile returns the function for a type. It may ask for the function of a type that contains the type itself
 */
export function compileOnce<A, B>(
  compile: (desc: DescMessage) => (input: A) => B,
): (desc: DescMessage) => (input: A) => B {
  const compiled = new WeakMap<DescMessage, (input: A) => B>();
  return function functionOf(desc) {
    const known = compiled.get(desc);
    if (known) return known;
    // A message type can contain itself, so a placeholder is needed while it is compiled.
    compiled.set(desc, (input) => functionOf(desc)(input));
    const made = compile(desc);
    compiled.set(desc, made);
    return made;
  };
}
