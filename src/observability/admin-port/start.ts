import { type AdminHandler, createAdminListener } from "./listener.ts";

export interface AdminAddress {
  readonly host: string;
  readonly port: number;
  /** Whether the service cannot start without it. */
  readonly isRequired: boolean;
}

export interface AdminEvents {
  onListening(url: string): void;
  /** Called when the port cannot be used, and is not required. */
  onUnavailable(reason: string): void;
  onFault(error: unknown): void;
}

/**
 * Starts the admin port, and returns a function that closes it.
 *
 * @param address undefined for no admin port
 * @throws Error that names the setting when the address cannot be used, and is required. The default is not: several
 * services on a machine have the same
 */
export async function startAdminPort(
  address: AdminAddress | undefined,
  handlers: () => ReadonlyMap<string, AdminHandler>,
  { onListening, onUnavailable, onFault }: AdminEvents,
): Promise<() => void> {
  if (!address) return () => {};
  const { host, port, isRequired } = address;
  const listener = createAdminListener(handlers(), onFault);
  try {
    onListening(await listener.listen(port, host));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const why = code === "EADDRINUSE" ? "another process uses it" : code;
    if (isRequired) {
      throw new Error(
        `ADMIN_ADDR is "${place}": cannot listen there (${why}). Choose another address, or an empty one for no admin port.`,
      );
    }
    onUnavailable(`cannot listen on ${place}: ${why}`);
  }
  return listener.close;
}
