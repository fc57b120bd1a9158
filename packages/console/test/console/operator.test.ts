import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  AuditEntryKind,
  AuditEntrySchema,
  TopAccountSchema,
} from "../../../../gen/admin/v1/admin_pb.ts";
import { OrderStatus } from "../../../../gen/store/v1/store_pb.ts";
import { refusing } from "../../src/console/operator/accounts/limit-state.ts";
import { oncePerChange, shortMethod } from "../../src/console/operator/audit/audit-entry.ts";
import { auditFilter, changes } from "../../src/console/operator/audit/audit-filter.ts";
import { expiryOf, graceOf } from "../../src/console/operator/keys/key-input.ts";
import { orderActions } from "../../src/console/operator/orders/order-actions.ts";
import { valuesOf } from "../../src/console/shared/form-values.ts";
import { readPages } from "../../src/console/shared/page-reader.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const at = (offsetMs: number) => timestampFromDate(new Date(now + offsetMs));

describe("actions of an order", () => {
  test.each([
    [OrderStatus.PLACED, ["approve", "deliver", "cancel"]],
    [OrderStatus.APPROVED, ["deliver", "cancel"]],
    [OrderStatus.DELIVERED, []],
    [OrderStatus.CANCELLED, []],
  ])("of status %i are %j", (status, actions) => {
    expect(orderActions(status)).toEqual(actions);
  });
});

describe("the filter of the audit trail", () => {
  const filterOf = (values: Readonly<Record<string, string>>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(values)) data.set(name, value);
    return auditFilter(valuesOf(data));
  };

  test("has no times when none were chosen, and only changes", () => {
    expect(filterOf({})).toEqual({ actor: "", method: "", kind: [...changes] });
    expect(filterOf({ kind: "reads" })).toMatchObject({ kind: [] });
  });

  test("reads times in the zone of the reader", () => {
    const startTime = timestampFromDate(new Date(2026, 10, 22, 10, 30));
    expect(filterOf({ start_time: "2026-11-22T10:30" })).toMatchObject({ startTime });
  });

  test("names an end that is not after the start", () => {
    const time = "2026-11-22T10:00";
    expect(() => filterOf({ start_time: time, end_time: time })).toThrow("must be later than From");
  });
});

describe("an audit entry", () => {
  test("is left out if the result of its change is in the list", () => {
    const entries = [
      { sequence: 4n, kind: AuditEntryKind.BEGIN },
      { sequence: 3n, kind: AuditEntryKind.END, beginSequence: 1n },
      { sequence: 2n, kind: AuditEntryKind.CALL },
      { sequence: 1n, kind: AuditEntryKind.BEGIN },
    ].map((each) => create(AuditEntrySchema, each));
    expect(oncePerChange(entries).map(({ sequence }) => sequence)).toEqual([4n, 3n, 2n]);
  });

  test("shows a method by its name, and a command whole", () => {
    expect(shortMethod("admin.v1.AdminService/SetPlan")).toBe("SetPlan");
    expect(shortMethod("inventory restore")).toBe("inventory restore");
  });
});

describe("an account whose requests are refused", () => {
  test("shows each reason and when it ends", () => {
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

  test("shows nothing while requests are left", () => {
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

  test("are read until there are enough rows", async () => {
    expect(await readPages(pages([2, 2, 2]), "", 3)).toEqual({
      rows: ["0.0", "0.1", "1.0", "1.1"],
      nextPageToken: "2",
    });
  });

  test("are read past empty ones to the last", async () => {
    expect(await readPages(pages([0, 0, 1]), "", 10)).toEqual({ rows: ["2.0"], nextPageToken: "" });
  });

  test("are not read without end when all are empty", async () => {
    const read = await readPages(pages(new Array(100).fill(0)), "", 10);
    expect(read).toEqual({ rows: [], nextPageToken: "20" });
  });
});

describe("the form of a key", () => {
  test("accepts a grace of 0 to 366 days", () => {
    expect(graceOf("0")?.seconds).toBe(0n);
    expect(graceOf("0.5")?.seconds).toBe(1_800n);
    expect(graceOf("8784")?.seconds).toBe(31_622_400n);
  });

  test.each(["", " ", "-1", "8785", "NaN", "soon"])("rejects a grace of '%s'", (text) => {
    expect(graceOf(text)).toBeUndefined();
  });

  test("keeps a key valid to the end of its last day", () => {
    const end = timestampFromDate(new Date(2026, 10, 24, 23, 59, 59));
    expect(expiryOf("2026-11-24", now)).toEqual(end);
  });

  test("rejects a last day that is over", () => {
    expect(expiryOf("2026-11-20", now)).toBeUndefined();
  });
});
