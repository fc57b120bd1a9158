import { Code } from "@connectrpc/connect";
import { usage } from "./api.ts";
import { faultOf } from "./call-fault.ts";
import type { Identity } from "./session.ts";

/**
 * Asks the server which account and scopes a key has.
 *
 * @param key the key to check; the session's own if undefined
 * @returns undefined when the server does not report it
 * @throws ConnectError when the server does not accept the key, or does not respond
 */
export async function identify(key?: string): Promise<Identity | undefined> {
  const headers: HeadersInit = key === undefined ? {} : { authorization: `Bearer ${key}` };
  try {
    const report = await usage.getUsage({}, { headers });
    return {
      keyId: report.keyId,
      accountId: report.usage?.accountId ?? "",
      accountName: report.usage?.name ?? "",
      scopes: new Set(report.scopes),
      limits: {
        perMinute: Number(report.usage?.minute?.limit ?? 0n),
        perDay: Number(report.usage?.day?.limit ?? 0n),
      },
    };
  } catch (error) {
    // An older server does not have this method, but it accepts the key.
    if (faultOf(error).code === Code.Unimplemented) return undefined;
    throw error;
  }
}
