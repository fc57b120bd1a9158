import type { BanEvents } from "../../access/admission/ban-watch.ts";
import { writeLine } from "./lines.ts";
import type { Log } from "./log.ts";

/** Logs bans and their ends. */
export function banEvents(log: Log): BanEvents {
  return {
    onBan({ accountId, keyId, level, until }) {
      const end = new Date(until).toISOString();
      writeLine(log, "banned", { accountId, keyId, banLevel: level, until: end });
    },
    onEnd({ accountId, keyId, level }, isLifted) {
      writeLine(log, "banEnded", { accountId, keyId, banLevel: level, lifted: isLifted });
    },
  };
}
