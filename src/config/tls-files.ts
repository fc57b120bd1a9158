import { createSecureContext } from "node:tls";
import { readBytes } from "./text-file.ts";

export type TlsFiles = Readonly<Record<"certFile" | "keyFile", string>>;

/** Reads the files of TLS_CERT and TLS_KEY. @throws Error that names the setting when a file is not readable or valid */
export function readTlsFiles({ certFile, keyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  const tls = { cert: readBytes("TLS_CERT", certFile), key: readBytes("TLS_KEY", keyFile) };
  try {
    createSecureContext(tls);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`TLS_CERT "${certFile}" and TLS_KEY "${keyFile}" are not valid: ${reason}`);
  }
  return tls;
}
