import { address, oneOf } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** The port for operators, with metrics. */
export const adminSettings = {
  ADMIN_ADDR: {
    meaning:
      "Address of the admin port, which serves `/metrics`, `/healthz`, `/config` and `/debug`. It needs no key, so only operators may reach it. An empty value turns it off. If the default port is in use, the service warns and starts without an admin port.",
    default: "127.0.0.1:9464",
    mayBeEmpty: true,
    ...address,
  },
  ADMIN_DEBUG: {
    meaning:
      "Whether the admin port serves heap snapshots and CPU profiles. A heap snapshot contains secrets, and the process does not respond while it is made.",
    default: "off",
    ...oneOf("on", "off"),
  },
} as const satisfies Record<string, Setting<unknown>>;
