import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Viewer } from "../../src/inventory/change-message.ts";
import { unknownOrigin } from "../../src/inventory/stock-change.ts";
import { createRecentChanges } from "../../src/live/recent-changes.ts";

const change = {
  ...unknownOrigin,
  accountId: "aaaaaaaaaaaa",
  version: 1n,
  petId: 1n,
  quantityBefore: 1,
  quantityAfter: 2,
  status: PetStatus.AVAILABLE,
  previousVersion: undefined,
  changedAt: 0,
};

const owner: Viewer = { accountId: "aaaaaaaaaaaa", scopes: new Set() };
const auditor: Viewer = { accountId: "bbbbbbbbbbbb", scopes: new Set(["inventory:audit"]) };
const stranger: Viewer = { accountId: "bbbbbbbbbbbb", scopes: new Set(["admin"]) };
const another: Viewer = { accountId: "cccccccccccc", scopes: new Set() };

describe("recent changes", () => {
  it("are two messages at most, however many watch: with who made the change, and without", () => {
    const recent = createRecentChanges(0n, 10);
    recent.append([change]);
    const messages = [owner, auditor, stranger, another].map((viewer) => recent.at(0, viewer));
    expect(messages[0]).toBe(messages[1]);
    expect(messages[2]).toBe(messages[3]);
    expect(messages[0]).not.toBe(messages[2]);
    for (const message of messages) expect(Object.isFrozen(message)).toBe(true);
  });

  it("have a place after every version that is kept, and after the one before", () => {
    const recent = createRecentChanges(5n, 3);
    expect(recent.version).toBe(5n);
    expect(recent.placeAfter(5n)).toBe(0);
    const versions = [10n, 20n, 21n, 30n, 45n];
    recent.append(versions.map((version) => ({ ...change, version })));
    expect(recent.version).toBe(45n);
    const places = [10n, 20n, 21n, 30n, 45n].map(recent.placeAfter);
    expect(places).toEqual(["gone", 2, 3, 4, 5]);
    expect(recent.at(2, owner)).toMatchObject({ resumeToken: "21" });
    expect(recent.at(1, owner)).toBe("gone");
    expect(recent.at(5, owner)).toBeUndefined();
    expect([recent.isGone(1), recent.isGone(2)]).toEqual([true, false]);
  });

  it("have no place after a version of another history, and do not know one that is yet to come", () => {
    const recent = createRecentChanges(5n, 3);
    recent.append([10n, 20n].map((version) => ({ ...change, version })));
    expect(recent.placeAfter(4n)).toBe("gone");
    expect([6n, 11n, 19n].map(recent.placeAfter)).toEqual(["lost", "lost", "lost"]);
    expect(recent.placeAfter(21n)).toBeUndefined();
  });
});
