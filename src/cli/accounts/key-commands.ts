import { type Command, Option } from "commander";
import { scopes } from "../../access/scopes.ts";
import { addCommand, durationOption, lazy, limitOption } from "../command-options.ts";
import type { Environment } from "../environment.ts";

const load = () => import("./keys.ts");

/** Returns an option with values that are separated by commas. It can be repeated. */
function listOption(flags: string, description: string, byDefault: string): Option {
  return (
    new Option(flags, description)
      // Empty values are kept and rejected later: `--scope "$UNSET"` must not mean the default.
      .argParser<readonly string[]>((text, previous = []) => [
        ...previous,
        ...text.split(",").map((part) => part.trim()),
      ])
      .default(undefined, byDefault)
  );
}

/** Adds the `keys` commands. */
export function addKeyCommands(program: Command, environment: Environment): void {
  const keys = program.command("keys").description("manage the API keys of accounts");

  addCommand(
    keys,
    "create <account-id>",
    "create an API key\n\nThe key is shown only once: the service stores only its hash. The scope inventory:audit shows the account,\nkey, request id, note and reference of every change of the stock. The scope admin includes all others.",
    "inventory keys create 7k2mq0x4v9ab --name checkout",
    "inventory keys create 7k2mq0x4v9ab --scope inventory:read,store:read --expires 30d",
    "inventory keys create 7k2mq0x4v9ab --allowed-address 192.0.2.0/24,2001:db8::7",
  )
    .option("--name <name>", "a human-readable name")
    .addOption(
      listOption(
        "--scope <scopes>",
        `scopes of the key, separated by commas: ${scopes.join(", ")}`,
        "all except inventory:audit and admin",
      ),
    )
    .addOption(
      listOption(
        "--allowed-address <networks>",
        "addresses and networks from which the key can be used, separated by commas",
        "all",
      ),
    )
    .addOption(
      durationOption("--expires <duration>", "time until the key expires").default(
        undefined,
        "never",
      ),
    )
    .action(lazy(environment, async () => (await load()).createKey));

  addCommand(
    keys,
    "list [account-id]",
    "list the keys of an account, or of all accounts, oldest first, with their last use and bans",
    "inventory keys list 7k2mq0x4v9ab",
    "inventory keys list --expiring 14d",
  )
    .addOption(
      durationOption("--expiring <duration>", "only valid keys that expire within this time"),
    )
    .addOption(limitOption())
    .action(lazy(environment, async () => (await load()).listKeys));

  addCommand(keys, "revoke <key-id>", "revoke a key; its next request is rejected").action(
    lazy(environment, async () => (await load()).revokeKey),
  );

  addCommand(
    keys,
    "rotate <key-id>",
    "replace a key with a new one that has the same name, scopes and allowed addresses\n\nThe new key is shown only once: the service stores only its hash. The old key stays valid for a grace\nperiod.",
    "inventory keys rotate 7k2mq0x4v9ab3h8rt1zc --grace 7d",
  )
    .addOption(
      durationOption(
        "--grace <duration>",
        "time for which the old key stays valid, at most 366d",
      ).default(undefined, "24h"),
    )
    .action(lazy(environment, async () => (await load()).rotateKey));

  addCommand(
    keys,
    "unban <key-id>",
    "lift the ban of a key and delete its record of earlier bans",
  ).action(lazy(environment, async () => (await load()).unbanKey));
}
