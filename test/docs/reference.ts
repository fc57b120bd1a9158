import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";

/** The command line, to read its commands and options. */
export const program = createProgram({
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  showsProgress: false,
});

/** A command without commands below it, and its words, such as `items list`. */
export interface Leaf {
  readonly name: string;
  readonly command: Command;
}

/** All commands that do something. */
export const leaves = leavesOf(program, []);

function leavesOf(command: Command, words: readonly string[]): Leaf[] {
  if (command.commands.length === 0) return [{ name: words.join(" "), command }];
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]));
}
