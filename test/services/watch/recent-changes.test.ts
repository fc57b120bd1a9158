import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Viewer } from "../../../src/services/inventory/change-message.ts";
import { createRecentChanges } from "../../../src/services/watch/recent-changes.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";

const change = {
  ...unknownOrigin,
  accountId: "aaaaaaaaaaaa",
  version: 1n,
  petId: 1n,
  quantityBefore: 1,
  quantityAfter: 2,
  statusBefore: PetStatus.AVAILABLE,
  status: PetStatus.AVAILABLE,
  previousVersion: undefined,
  changedAt: 0,
};

const owner: Viewer = { accountId: "aaaaaaaaaaaa", scopes: new Set() };
const auditor: Viewer = { accountId: "bbbbbbbbbbbb", scopes: new Set(["inventory:audit"]) };
const stranger: Viewer = { accountId: "bbbbbbbbbbbb", scopes: new Set(["admin"]) };
const another: Viewer = { accountId: "cccccccccccc", scopes: new Set() };

describe("recent changes", () => {
  test("create two messages per change, with and without its author, however many viewers there are", () => {
    const recent = createRecentChanges(0n, 10);
    recent.append([change]);
    const messages = [owner, auditor, stranger, another].map((viewer) => recent.at(0, viewer));
    expect(messages[0]).toBe(messages[1]);
    expect(messages[2]).toBe(messages[3]);
    expect(messages[0]).not.toBe(messages[2]);
    for (const message of messages) expect(Object.isFrozen(message)).toBe(true);
  });

  test("return a place after each cached version, and after the one before them", () => {
    const recent = createRecentChanges(5n, 3);
    expect(recent.version).toBe(5n);
    expect(recent.positionAfter(5n)).toBe(0);
    const versions = [10n, 20n, 21n, 30n, 45n];
    recent.append(versions.map((version) => ({ ...change, version })));
    expect(recent.version).toBe(45n);
    const positions = [10n, 20n, 21n, 30n, 45n].map(recent.positionAfter);
    expect(positions).toEqual(["evicted", 2, 3, 4, 5]);
    expect(recent.at(2, owner)).toMatchObject({ resumeToken: "21" });
    expect(recent.at(1, owner)).toBe("evicted");
    expect(recent.at(5, owner)).toBeUndefined();
    expect([recent.isEvicted(1), recent.isEvicted(2)]).toEqual([true, false]);
  });

  test("return no place after a version of another history, and undefined after a future version", () => {
    const recent = createRecentChanges(5n, 3);
    recent.append([10n, 20n].map((version) => ({ ...change, version })));
    expect(recent.positionAfter(4n)).toBe("evicted");
    expect([6n, 11n, 19n].map(recent.positionAfter)).toEqual(["unknown", "unknown", "unknown"]);
    expect(recent.positionAfter(21n)).toBeUndefined();
  });
});
