import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isQuick } from "../../support/effort.ts";
import { type Arena, openArena } from "./arena.ts";
import { attacks, quickAttacks } from "./attacks/all.ts";

/** The short form of the check has some attacks of different kinds. */
const chosen = isQuick ? quickAttacks.slice(0, 3) : attacks;

describe("a server that refuses 90 % of all calls is found during", () => {
  const own: { arena?: Arena } = {};
  beforeAll(async () => {
    own.arena = await openArena(join(import.meta.dirname, "refuse-most.ts"));
  });
  afterAll(() => own.arena?.close());

  test.each(chosen.map((attack) => [attack.name, attack] as const))("%s", async (_, attack) => {
    const verdict = await own.arena?.withstand(attack);
    expect(verdict?.findings).toContainEqual(
      expect.stringMatching(/^honest clients: \d+ of \d+ calls succeeded$/),
    );
  });
});
