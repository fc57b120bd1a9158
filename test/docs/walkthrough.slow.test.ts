import { describe, expect, test } from "vitest";
import { useRedis } from "../support/stores.ts";
import { freePort } from "../system/harness/redis-server.ts";
import { transcript, typePage } from "./console.ts";

describe("console sessions", () => {
  const redis = useRedis("--appendonly", "no");

  test.each(["docs/caller/walkthrough.md", "docs/operator/configuration.md"])(
    "%s shows the output of its commands",
    async (file) => {
      const port = await freePort();
      const { expected, actual } = await typePage(
        file,
        { ...process.env, PORT: String(port), npm_config_loglevel: "error" },
        [
          ["redis://127.0.0.1:6379", redis.url],
          ["127.0.0.1:8080", `127.0.0.1:${port}`],
        ],
      );
      expect(expected.length).toBeGreaterThan(3);
      expect(transcript(actual)).toEqual(transcript(expected));
    },
    240_000,
  );
});
