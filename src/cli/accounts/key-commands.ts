import { type Command, Option } from "commander";
import { scopes } from "../../access/scopes.ts";
import { addCommand, durationOption, lazy, limitOption } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/**
 * Adds the values of a repeated option. Empty values are kept and rejected later: `--scope "$UNSET"` must not mean the
 * default.
 */
function listed(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...text.split(",").map((part) => part.trim())];
}

/** Adds the `keys` commands. */
export function addKeyCommands(program: Command, environment: Environment): void {
  const keys = program.command("keys").description("manage the API keys of accounts");

  addCommand(
    keys,
    "create",
    "create an API key\n\nThe key is shown only once: the service stores only its hash. The scope inventory:audit shows the account,\nkey, request id, note and reference of every change of the stock. The scope admin includes all others.",
    "inventory keys create 7k2mq0x4v9ab --name checkout",
    "inventory keys create 7k2mq0x4v9ab --scope inventory:read,store:read --expires 30d",
    "inventory keys create 7k2mq0x4v9ab --allowed-address 192.0.2.0/24,2001:db8::7",
  )
    .argument("<account-id>", "the id of the account that will own the key")
    .option("--name <name>", "a human-readable name")
    .addOption(
      new Option("--scope <scopes>", `scopes of the key, separated by commas: ${scopes.join(", ")}`)
        .argParser(listed)
        .default(undefined, "all except inventory:audit and admin"),
    )
    .addOption(
      new Option(
        "--allowed-address <networks>",
        "addresses and networks from which the key can be used, separated by commas",
      )
        .argParser(listed)
        .default(undefined, "all"),
    )
    .addOption(
      durationOption("--expires <duration>", "time until the key expires").default(
        undefined,
        "never",
      ),
    )
    .action(lazy(environment, async () => (await import("./keys.ts")).createKey));

  addCommand(
    keys,
    "list",
    "list the keys of an account, or of all accounts, oldest first, with their last use and bans",
    "inventory keys list 7k2mq0x4v9ab",
    "inventory keys list --expiring 14d",
  )
    .argument("[account-id]", "the account id; all accounts if absent")
    .addOption(
      durationOption("--expiring <duration>", "only valid keys that expire within this time"),
    )
    .addOption(limitOption())
    .action(lazy(environment, async () => (await import("./keys.ts")).listKeys));

  addCommand(
    keys,
    "revoke",
    "revoke a key; its next request is rejected",
    "inventory keys revoke 7k2mq0x4v9ab3h8rt1zc",
  )
    .argument("<key-id>", "the key id, not the key itself")
    .action(lazy(environment, async () => (await import("./keys.ts")).revokeKey));

  addCommand(
    keys,
    "rotate",
    "replace a key with a new one that has the same name, scopes and allowed addresses\n\nThe new key is shown only once: the service stores only its hash. The old key stays valid for a grace\nperiod.",
    "inventory keys rotate 7k2mq0x4v9ab3h8rt1zc --grace 7d",
  )
    .argument("<key-id>", "the id of the old key, not the key itself")
    .addOption(
      durationOption(
        "--grace <duration>",
        "time for which the old key stays valid, at most 366d",
      ).default(undefined, "24h"),
    )
    .action(lazy(environment, async () => (await import("./keys.ts")).rotateKey));

  addCommand(
    keys,
    "unban",
    "lift the ban of a key and delete its record of earlier bans",
    "inventory keys unban 7k2mq0x4v9ab3h8rt1zc",
  )
    .argument("<key-id>", "the key id, not the key itself")
    .action(lazy(environment, async () => (await import("./keys.ts")).unbanKey));
}
