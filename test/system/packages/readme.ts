/** The program of a README, what it prints, and the blocks of code after it. */
interface Example {
  readonly program: string;
  readonly output: string;
  readonly excerpts: readonly string[];
}

/** Returns the first code block of a README that is a whole program, and the block without a language after it. */
export function exampleOf(markdown: string): Example {
  const blocks = [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const at = blocks.findIndex(([, language]) => language === "");
  const [, , program = ""] = blocks[at - 1] ?? [];
  const [, , output = ""] = blocks[at] ?? [];
  if (program === "" || output === "") throw new Error("the README has no program with its output");
  const excerpts = blocks.slice(at + 1).map(([, , text = ""]) => text);
  return { program, output, excerpts };
}
