import { getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PlanSchema, WritePolicySchema } from "../../gen/admin/v1/admin_pb.ts";
import { ChangeReasonSchema, PetStatusSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { output_only } from "../../gen/rules/v1/rules_pb.ts";
import { HoldStateSchema, OrderStatusSchema } from "../../gen/store/v1/store_pb.ts";
import {
  holdStateWords,
  orderStatusWords,
  planWords,
  reasonWords,
  statusWords,
  writePolicyWords,
} from "../../src/cli/command-options.ts";
import { enumWords } from "../../src/common/enum-word.ts";
import { program } from "../docs/reference.ts";
import { useRedis } from "../support/stores.ts";
import { useRedisProxy } from "../system/faults/redis-proxy.ts";
import { runHere } from "./command-line.ts";

const redis = useRedis();
const proxy = useRedisProxy();

describe("help", () => {
  test("--help and help list every command", async () => {
    for (const args of [["--help"], ["help"]]) {
      const { code, stdout } = await runHere(args);
      expect(code).toBe(0);
      for (const command of program.commands) expect(stdout).toContain(`  ${command.name()} `);
      expect(program.commands.length).toBeGreaterThan(10);
    }
  });

  test("lists the plans, statuses and reasons of the proto files", () => {
    const reasons = ChangeReasonSchema.values.filter((value) => !getOption(value, output_only));
    expect(planWords).toEqual(enumWords(PlanSchema));
    expect(writePolicyWords).toEqual(enumWords(WritePolicySchema));
    expect(statusWords).toEqual(enumWords(PetStatusSchema));
    expect(holdStateWords).toEqual(enumWords(HoldStateSchema));
    expect(orderStatusWords).toEqual(enumWords(OrderStatusSchema));
    expect(["unspecified", ...reasonWords]).toEqual(
      reasons.map(({ localName }) => localName.toLowerCase()),
    );
  });
});

describe("a wrong command line", () => {
  test.each([
    [["acounts"], "error: unknown command 'acounts'\n(Did you mean accounts?)"],
    [["keys", "creat"], "error: unknown command 'creat'\n(Did you mean create?)"],
    [["accounts", "list", "--outpt"], "error: unknown option '--outpt'\n(Did you mean --output?)"],
    [["accounts", "list", "extra"], "error: too many arguments"],
    [["accounts", "show"], "error: missing required argument 'account-id'"],
    [["accounts"], "Usage: inventory accounts"],
    [[], "Usage: inventory "],
  ])("%j prints the error: exit code 2", async (args, message) => {
    const outcome = await runHere(args, { redisUrl: redis.url });
    expect(outcome).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
  });

  test("--output json prints the error as JSON: exit code 2", async () => {
    const { code, stdout, stderr } = await runHere(["accounts show --output=json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      code: "invalid_argument",
      message: "missing required argument 'account-id'",
    });
  });
});

describe("without a usable Redis", () => {
  test("REDIS_URL is not set: exit code 2", async () => {
    const { code, stderr } = await runHere(["accounts list"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: REDIS_URL is not set: .*\n$/);
  });

  test("an invalid REDIS_URL is not printed: exit code 2", async () => {
    const { code, stderr } = await runHere(["accounts list"], { redisUrl: "http://:pass@host" });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "error: REDIS_URL is not valid: it must be a redis:// or rediss:// URL, or several separated by commas\n",
    });
  });
});

test("a command waits for replies that would be too late for the service", async () => {
  const { port, pathname } = new URL(redis.url);
  proxy.target = Number(port);
  proxy.delayMs = 400;
  const { code } = await runHere(["accounts list"], { redisUrl: proxy.url + pathname });
  expect(code).toBe(0);
});
