import type { Readable } from "node:stream";
import { CommandError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { print } from "../output/terminal.ts";

/** Most characters that are read: far more than an API key has. */
const maxLength = 1_000;

/**
 * Reads one line: from a terminal with a prompt and without echo, else from standard input.
 *
 * @throws CommandError if it is too long, or if Ctrl-C is pressed: exit code 130
 */
export async function readSecret({ stdin, stderr }: Environment, prompt: string): Promise<string> {
  if (!isTerminal(stdin)) return readLine(stdin, (character) => character === "\n");
  print(stderr, prompt);
  stdin.setRawMode(true);
  try {
    return await readLine(stdin, (character) => character === "\r" || character === "\n");
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    print(stderr, "\n");
  }
}

/** The part of a terminal that turns echo off. */
interface Terminal {
  setRawMode(isRaw: boolean): void;
}

function isTerminal(stdin: Readable): stdin is Readable & Terminal {
  return "isTTY" in stdin && stdin.isTTY === true && "setRawMode" in stdin;
}

async function readLine(stdin: Readable, isEnd: (character: string) => boolean): Promise<string> {
  let line = "";
  const decoder = new TextDecoder();
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      if (isEnd(character) || character === "\u0004") return line.trim();
      if (character === "\u0003") throw new CommandError("canceled", "Interrupted.", 130);
      if (character === "\u007f" || character === "\b") line = line.slice(0, -1);
      else line += character;
    }
    if (line.length > maxLength) {
      throw usageError("the API key is too long: paste only the key");
    }
  }
  return line.trim();
}
