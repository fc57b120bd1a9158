import { PassThrough } from "node:stream";
import { createProgram } from "../../src/cli/program.ts";

/** The command line, to read its commands and options. */
export const program = createProgram({
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  showsProgress: false,
});
