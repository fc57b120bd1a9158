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
    const messages = [owner, auditor, stranger, another].map((viewer) => recent.after(0n, viewer));
    expect(messages[0]).toBe(messages[1]);
    expect(messages[2]).toBe(messages[3]);
    expect(messages[0]).not.toBe(messages[2]);
    for (const message of messages) expect(Object.isFrozen(message)).toBe(true);
  });
});
