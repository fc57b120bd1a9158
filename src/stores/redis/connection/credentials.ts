import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import type { RedisLogin, RedisSettings } from "./settings.ts";

/** The part of a client's options that comes from files, and can change while the process runs. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions;
}

/** A login whose password may be in a file. */
type Login = RedisLogin & Pick<Partial<RedisSettings>, "passwordFile">;

/**
 * Reads the password of a login, by default that of the servers, and the certificates from their files.
 *
 * @throws Error that names the setting when a file cannot be read, or the files do not fit together
 */
export function readCredentials(settings: RedisSettings, login: Login = settings): Credentials {
  const { username, passwordFile, readPassword } = login;
  const password =
    passwordFile === undefined
      ? (readPassword?.() ?? login.password)
      : read("REDIS_PASSWORD_FILE", passwordFile)
          .toString("utf8")
          .replace(/\r?\n$/, "");
  const tls = readTls(settings);
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
  };
}

const lastCredentials = new WeakMap<Login, Credentials>();

/**
 * Reads the credentials for a new connection. When files are missing or invalid, or the password is gone, because they may
 * just be replaced, returns those that the same login has read last, and calls `onFailure`.
 *
 * @throws Error like {@link readCredentials} when none has been read yet
 */
export function currentCredentials(
  settings: RedisSettings,
  onFailure: (error: unknown) => void,
  login: Login = settings,
): Credentials {
  const before = lastCredentials.get(login);
  try {
    const credentials = readCredentials(settings, login);
    if (before?.password && credentials.password === "") {
      throw new Error(`REDIS_PASSWORD_FILE: ${login.passwordFile} is empty`);
    }
    lastCredentials.set(login, credentials);
    return credentials;
  } catch (error) {
    if (!before) throw error;
    onFailure(error);
    return before;
  }
}

/** Reads the options of TLS; undefined when connections are not encrypted. @throws Error like {@link readCredentials} */
function readTls({ tls }: RedisSettings): ConnectionOptions | undefined {
  if (!tls) return undefined;
  const { caFile, certFile, keyFile, servername } = tls;
  const ca = caFile === undefined ? undefined : read("REDIS_TLS_CA", caFile);
  const options = {
    ...(ca && { ca }),
    ...(certFile !== undefined && { cert: read("REDIS_TLS_CERT", certFile) }),
    ...(keyFile !== undefined && { key: read("REDIS_TLS_KEY", keyFile) }),
    ...(servername !== undefined && { servername }),
  };
  try {
    // ioredis never reconnects after an attempt with invalid options.
    createSecureContext(options);
    if (ca) checkAuthorities(ca);
    return options;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `REDIS_TLS_CERT, REDIS_TLS_KEY or REDIS_TLS_CA has no valid PEM data, or the key does not belong to the certificate (${message}). Correct the files`,
      { cause: error },
    );
  }
}

/** Checks each certificate. Node leaves out those that it cannot read, and all that follow. @throws Error */
function checkAuthorities(ca: Buffer): void {
  const blocks = ca.toString("latin1").split(/(?=-----BEGIN )/);
  const certificates = blocks.filter((block) =>
    /^-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/.test(block),
  );
  if (certificates.length === 0) throw new Error("REDIS_TLS_CA has no certificate");
  for (const certificate of certificates) new X509Certificate(certificate);
}

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${setting}: cannot read ${file}: ${code}`, { cause: error });
  }
}
