import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isQuick } from "../../support/effort.ts";
import { type Arena, openArena } from "./arena.ts";
import { attacks, quickAttacks } from "./attacks/all.ts";
import { bounds } from "./settings.ts";
import { tableOf } from "./table.ts";
import type { Verdict } from "./verdict.ts";

describe("a server with honest traffic stays within its bounds during", () => {
  const verdicts: Verdict[] = [];
  const own: { arena?: Arena } = {};
  beforeAll(async () => {
    own.arena = await openArena();
  });
  afterAll(async () => {
    process.stdout.write(tableOf(verdicts, own.arena?.unloaded));
    await own.arena?.close();
  });

  const { ATTACK: part } = process.env;
  const all = isQuick ? quickAttacks : attacks;
  const chosen = part === undefined ? all : attacks.filter(({ name }) => name.includes(part));
  test.each(chosen.map((attack) => [attack.name, attack] as const))("%s", async (_, attack) => {
    const verdict = await own.arena?.withstand(attack);
    if (verdict) verdicts.push(verdict);
    expect(verdict?.findings).toEqual([]);
  });

  test(`no attack makes Redis run a command for more than ${bounds.redisCommandMs} ms`, async () => {
    const commands = (await own.arena?.slowCommands()) ?? [];
    expect(commands.filter(({ ms }) => ms > bounds.redisCommandMs)).toEqual([]);
  });
});
