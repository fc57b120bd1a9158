import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { memoryKind } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

describe.each(["MAX_CONNECTIONS", "MAX_CONNECTIONS_PER_ADDRESS"])("%s", (limit) => {
  const server = useServer(memoryKind, { LOG_LEVEL: "info", [limit]: "2" });

  test("is named in the log with the number of connections that it closed", async () => {
    const sockets = Array.from({ length: 5 }, () => connect(server.port, "127.0.0.1"));
    let closed = 0;
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.resume().on("close", () => closed++);
    }
    await until("three connections are closed", () => closed === 3);
    for (const socket of sockets) socket.destroy();
    await server.drain(0);
    expect(server.lines).toMatchObject([
      { level: 40, msg: "connections were closed because of limits", causes: { [limit]: 3 } },
    ]);
  });
});
