import type { Command, Option } from "commander";
import { scopes } from "../../access/scopes.ts";
import { commandsOf, durationOption, limitOption, option } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Returns an option with values that are separated by commas. It can be repeated. */
function listOption(flags: string, description: string, byDefault: string): Option {
  return (
    option(flags, description)
      // Empty values are kept and rejected later: `--scope "$UNSET"` must not mean the default.
      .argParser<readonly string[]>((text, previous = []) => [
        ...previous,
        ...text.split(",").map((part) => part.trim()),
      ])
      .default(undefined, byDefault)
  );
}

export function addKeyCommands(program: Command, environment: Environment): void {
  const keys = program.command("keys").description("manage the API keys of accounts");
  const add = commandsOf(keys, environment, () => import("./keys.ts"));

  add(
    "create <account-id>",
    "create an API key\n\nThe key is shown only once: the service stores only its hash. The scope inventory:audit shows the account,\nkey, request id, note and reference of every change of the stock. The scope admin includes all others.",
    "createKey",
    option("--name <name>", "a human-readable name"),
    listOption(
      "--scope <scopes>",
      `scopes of the key, separated by commas: ${scopes.join(", ")}`,
      "all except inventory:audit, catalog:write and admin",
    ),
    listOption(
      "--allowed-address <networks>",
      "addresses and networks from which the key can be used, separated by commas",
      "all",
    ),
    durationOption("--expires <duration>", "time until the key expires", "never"),
    "inventory keys create 7k2mq0x4v9ab --name checkout",
    "inventory keys create 7k2mq0x4v9ab --scope inventory:read,store:read --expires 30d",
    "inventory keys create 7k2mq0x4v9ab --allowed-address 192.0.2.0/24,2001:db8::7",
  );
  add(
    "list [account-id]",
    "list the keys of an account, or of all accounts, oldest first, with their last use and bans",
    "listKeys",
    durationOption("--expiring <duration>", "only valid keys that expire within this time"),
    limitOption(),
    "inventory keys list 7k2mq0x4v9ab",
    "inventory keys list --expiring 14d",
  );
  add("revoke <key-id>", "revoke a key; its next request is rejected", "revokeKey");
  add(
    "rotate <key-id>",
    "replace a key with a new one that has the same name, scopes and allowed addresses\n\nThe new key is shown only once: the service stores only its hash. The old key stays valid for a grace\nperiod.",
    "rotateKey",
    durationOption(
      "--grace <duration>",
      "time for which the old key stays valid, at most 366d",
      "24h",
    ),
    "inventory keys rotate 7k2mq0x4v9ab3h8rt1zc --grace 7d",
  );
  add("unban <key-id>", "lift the ban of a key and delete its record of earlier bans", "unbanKey");
}
