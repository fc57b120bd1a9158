import type { Command } from "commander";
import { expect, test } from "vitest";
import { sourceOfField } from "../../src/cli/session/field-sources.ts";
import { program } from "../docs/reference.ts";

test.each([
  ["accounts create", "name", "--name"],
  ["accounts create", "limits", "--per-minute with --per-day"],
  ["accounts create", "limits.per_day", "--per-day"],
  ["accounts rename", "name", "<name>"],
  ["accounts write-policy", "write_policy", "<policy>"],
  ["accounts usage", "account_id", "[account-id]"],
  ["keys create", "scopes[0]", "--scope"],
  ["keys create", "allowed_addresses[1]", "--allowed-address"],
  ["keys create", "expires_at", "--expires"],
  ["items create", "item.quantity", "--quantity"],
  ["items set", "update.quantity", "<quantity>"],
  ["items set", "expected_quantity", "--expect"],
  ["items adjust", "delta", "--by"],
  ["items list", "pet_ids[3]", "[pet-id...]"],
  ["items list", "max_quantity", "--max"],
  ["items list", "items[2].page_token", "items.page_token"],
])("an error of %s about the field %s names %s", (words, field, source) => {
  const command = words
    .split(" ")
    .reduce<Command | undefined>(
      (parent, word) => parent?.commands.find((each) => each.name() === word),
      program,
    );
  expect(command && sourceOfField(command, field)).toBe(source);
});
