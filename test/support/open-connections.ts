import { readFileSync } from "node:fs";

const established = "01";

/**
 * Counts the open connections to a port of this machine, also those that the server has not accepted yet.
 *
 * @param port the port that the server listens on
 */
export function openConnections(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(local) && state === established).length;
}
