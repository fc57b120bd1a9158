import type { JsonObject } from "@bufbuild/protobuf";
import type { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import { example, ofManyKeys, type SamplesOf } from "./sample.ts";

export const usageSamples: SamplesOf<typeof UsageService> = {
  getUsage: {
    request: {},
    responses: example(
      "usage",
      "An account with one key. Of the last hour and days, only the newest is shown.",
      {
        usage: {
          accountId: "5f3k8w0n2c6t",
          name: "Corner shop",
          plan: "free",
          reportedAt: "2026-11-02T09:30:00Z",
          minute: {
            limit: 60,
            remaining: 48,
            moreAt: "2026-11-02T09:30:21Z",
            resetAt: "2026-11-02T09:31:01Z",
          },
          day: {
            limit: 1000,
            remaining: 940,
            moreAt: "2026-11-02T17:45:00Z",
            resetAt: "2026-11-03T09:45:00Z",
          },
          lastHour: [{ startAt: "2026-11-02T09:30:00Z", requests: requests(12, 0) }],
          lastDays: [
            {
              date: "2026-11-02",
              requests: requests(60, 3),
              keys: [{ keyId: "5f3k8w0n2c6tq1d70a4b", requests: requests(60, 3) }],
            },
          ],
          keys: [
            { keyId: "5f3k8w0n2c6tq1d70a4b", name: "till", lastUsedAt: "2026-11-02T09:30:00Z" },
          ],
        },
        keyId: "5f3k8w0n2c6tq1d70a4b",
        scopes: ["inventory:read", "inventory:write"],
      },
    ),
    largest: { "90 keys": () => ({}), "more keys": ofManyKeys },
  },
};

function requests(admitted: number, limited: number): JsonObject {
  return { admitted, limited, banned: 0 };
}
