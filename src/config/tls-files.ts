import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

/** The paths of the certificate chain and its private key. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Reads the files of TLS_CERT and TLS_KEY. @throws Error that names the setting when a file is not readable or valid */
export function readTlsFiles({ certFile, keyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  const tls = { cert: read("TLS_CERT", certFile), key: read("TLS_KEY", keyFile) };
  try {
    createSecureContext(tls);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`TLS_CERT "${certFile}" and TLS_KEY "${keyFile}" are not valid: ${reason}`);
  }
  return tls;
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`${name}: cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
