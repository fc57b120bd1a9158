import type { Command } from "commander";
import { usageError } from "./command-error.ts";

const apiKey = /inv_[0-9a-z]{20,}/i;
const accountId = /^[0-9a-hjkmnp-tv-z]{12}$/;
const keyId = /^[0-9a-hjkmnp-tv-z]{20}$/;

/** Rejects a command line with an API key, which errors of the parser would print. @throws CommandError without the key */
export function rejectApiKeys(args: readonly string[]): void {
  if (!args.some((arg) => apiKey.test(arg))) return;
  const wanted =
    args[0] === "keys" && args[1] !== "create" && args[1] !== "list"
      ? "that is an API key; this command wants a key id, which `inventory keys list <account-id>` prints. "
      : "that is an API key; no command wants one as an argument. An account id is the 12 characters after inv_, and `inventory keys list <account-id>` prints key ids. ";
  throw usageError(
    `${wanted}Other users of this machine can read command lines, so consider rotating the key`,
  );
}

/** Rejects a key id in place of an account id, and the reverse. @throws CommandError that says which id is wanted */
export function rejectMistakenIds(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries()) {
    const name = argument.name();
    const value = `${command.processedArgs[index] ?? ""}`;
    if (name === "account-id" && keyId.test(value)) {
      throw usageError(
        `<${name}>: ${value} is a key id; this command wants an account id. The account of that key is ${value.slice(0, 12)}`,
      );
    }
    if (name === "key-id" && accountId.test(value)) {
      throw usageError(
        `<${name}>: ${value} is an account id; this command wants a key id. \`inventory keys list ${value}\` prints those of the account`,
      );
    }
  }
}
