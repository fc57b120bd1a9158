import type { Config } from "../../config/config.ts";
import { writeLine } from "../log/lines.ts";
import type { Log } from "../log/log.ts";
import { type AdminHandler, createAdminListener } from "./listener.ts";

/**
 * Starts the admin port, and returns a function that closes it. The log says where it is, or why there is none.
 *
 * @param address undefined for no admin port
 * @throws Error that names the setting when the address cannot be used, and is required. The default is not: several
 * services on a machine have the same
 */
export async function startAdminPort(
  address: Omit<NonNullable<Config["admin"]>, "debug"> | undefined,
  handlers: () => ReadonlyMap<string, AdminHandler>,
  log: Log,
): Promise<() => void> {
  if (!address) return () => {};
  const { host, port, isRequired } = address;
  const listener = createAdminListener(handlers(), (err) => writeLine(log, "adminFault", { err }));
  try {
    writeLine(log, "adminPort", { url: await listener.listen(port, host) });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const why = code === "EADDRINUSE" ? "another process uses it" : code;
    if (isRequired) {
      throw new Error(
        `ADMIN_ADDR is "${place}": cannot listen there (${why}). Choose another address, or an empty one for no admin port.`,
      );
    }
    writeLine(log, "noAdminPort", { reason: `cannot listen on ${place}: ${why}` });
  }
  return listener.close;
}
