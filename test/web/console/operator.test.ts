import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { AuditEntrySchema, TopAccountSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { refusing } from "../../../src/web/console/operator/accounts/limit-state.ts";
import { auditActor, shortMethod } from "../../../src/web/console/operator/audit/audit-actor.ts";
import { auditFilter } from "../../../src/web/console/operator/audit/audit-filter.ts";
import { expiryOf, graceOf } from "../../../src/web/console/operator/keys/key-input.ts";
import { orderActions } from "../../../src/web/console/operator/orders/order-actions.ts";
import { readPages } from "../../../src/web/console/shared/page-reader.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const at = (offsetMs: number) => timestampFromDate(new Date(now + offsetMs));

describe("actions of an order", () => {
  it.each([
    [OrderStatus.PLACED, ["approve", "deliver", "cancel"]],
    [OrderStatus.APPROVED, ["deliver", "cancel"]],
    [OrderStatus.DELIVERED, []],
    [OrderStatus.CANCELLED, []],
  ])("of status %i are %j", (status, actions) => {
    expect(orderActions(status)).toEqual(actions);
  });
});

describe("the filter of the audit trail", () => {
  const nothing = { actor: "", method: "", from: "", to: "" };

  it("has no times when none were typed", () => {
    expect(auditFilter(nothing)).toEqual({ request: { actor: "", method: "" } });
  });

  it.each(["2026-11-22 10:00", "2026-11-22T10:00", "2026-11-22 10:00:00"])(
    "reads %s as UTC",
    (from) => {
      expect(auditFilter({ ...nothing, from })).toEqual({
        request: { actor: "", method: "", startTime: at(-7_200_000) },
      });
    },
  );

  it("reads a day as its start", () => {
    expect(auditFilter({ ...nothing, to: "2026-11-22" })).toMatchObject({
      request: { endTime: at(-43_200_000) },
    });
  });

  it("names an end that is not after the start", () => {
    const text = { ...nothing, from: "2026-11-22 10:00", to: "2026-11-22 10:00" };
    expect(auditFilter(text)).toEqual({ field: "end_time", fault: "must be later than From" });
  });

  it.each(["yesterday", "2026-13-01", "2026-02-30", "2026-11-22 25:00", "10:00"])(
    "names %s, which is not a time",
    (from) => {
      expect(auditFilter({ ...nothing, from })).toEqual({
        field: "start_time",
        fault: "must be a day and time, such as 2026-11-22 10:00",
      });
    },
  );
});

describe("an audit entry", () => {
  it("has the user of a command, or the key of a call, as its actor", () => {
    expect(auditActor(create(AuditEntrySchema, { operator: "ann@till-1" }))).toBe("ann@till-1");
    expect(auditActor(create(AuditEntrySchema, { keyId: "k1" }))).toBe("k1");
  });

  it("shows a method by its name, and a command whole", () => {
    expect(shortMethod("admin.v1.AdminService/SetPlan")).toBe("SetPlan");
    expect(shortMethod("inventory restore")).toBe("inventory restore");
  });
});

describe("an account whose requests are refused", () => {
  it("shows each reason and when it ends", () => {
    const top = create(TopAccountSchema, {
      account: { disabledAt: at(-1) },
      minute: { limit: 60n, remaining: 0n, moreAt: at(5_000) },
      day: { limit: 1_000n, remaining: 0n, moreAt: at(3_600_000) },
      bannedKeys: 2,
    });
    expect(refusing(top, now)).toEqual([
      { kind: "disabled", text: "disabled" },
      { kind: "day", text: "day limit reached, more in 1 h" },
      { kind: "minute", text: "minute limit reached, more in 5 s" },
      { kind: "banned", text: "2 banned keys" },
    ]);
  });

  it("shows nothing while requests are left", () => {
    const window = { limit: 60n, remaining: 1n };
    expect(refusing(create(TopAccountSchema, { minute: window, day: window }), now)).toEqual([]);
  });
});

describe("pages", () => {
  const pages = (sizes: readonly number[]) => async (token: string) => {
    const page = Number(token || "0");
    return {
      rows: Array.from({ length: sizes[page] ?? 0 }, (_, row) => `${page}.${row}`),
      nextPageToken: page + 1 < sizes.length ? String(page + 1) : "",
    };
  };

  it("are read until there are enough rows", async () => {
    expect(await readPages(pages([2, 2, 2]), "", 3)).toEqual({
      rows: ["0.0", "0.1", "1.0", "1.1"],
      nextPageToken: "2",
    });
  });

  it("are read past empty ones to the last", async () => {
    expect(await readPages(pages([0, 0, 1]), "", 10)).toEqual({ rows: ["2.0"], nextPageToken: "" });
  });

  it("are not read without end when all are empty", async () => {
    const read = await readPages(pages(new Array(100).fill(0)), "", 10);
    expect(read).toEqual({ rows: [], nextPageToken: "20" });
  });
});

describe("the form of a key", () => {
  it("accepts a grace of 0 to 366 days", () => {
    expect(graceOf("0")?.seconds).toBe(0n);
    expect(graceOf("0.5")?.seconds).toBe(1_800n);
    expect(graceOf("8784")?.seconds).toBe(31_622_400n);
  });

  it.each(["", " ", "-1", "8785", "NaN", "soon"])("rejects a grace of '%s'", (text) => {
    expect(graceOf(text)).toBeUndefined();
  });

  it("keeps a key valid to the end of its last day", () => {
    expect(expiryOf("2026-11-22", now)).toEqual(at(11 * 3_600_000 + 3_599_000));
  });

  it.each(["2026-11-21", "", "soon", "2027-02-31", "2027"])("rejects the last day '%s'", (text) => {
    expect(expiryOf(text, now)).toBeUndefined();
  });
});
