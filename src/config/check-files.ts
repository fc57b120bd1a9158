import { readCredentials } from "../stores/redis/connection/credentials.ts";
import type { RedisSettings } from "../stores/redis/connection/settings.ts";
import type { Setting } from "./setting.ts";
import { type SettingName, settings } from "./settings.ts";
import type { Sources } from "./sources.ts";
import { checkFile } from "./text-file.ts";
import { readTlsFiles, type TlsFiles } from "./tls-files.ts";

/** The parts of the configuration that name certificates. */
interface CertificateFiles {
  readonly tls: TlsFiles | undefined;
  readonly redis: RedisSettings | undefined;
}

/** Checks the files that settings name: each must be readable, and certificates must be valid. @returns a line for each fault */
export function fileFaults(sources: Sources, { tls, redis }: CertificateFiles): string[] {
  const faults = Object.entries<Setting<unknown>>(settings)
    // This file has been read already.
    .filter(([name, { isFile }]) => isFile && name !== "CONFIG_FILE")
    .flatMap(([name]) => {
      const { text } = sources.textOf(name as SettingName);
      return text === undefined ? [] : faultOf(() => checkFile(name, text));
    });
  // Otherwise the same file would be reported again.
  if (faults.length > 0) return faults;
  return [
    ...(tls ? faultOf(() => readTlsFiles(tls)) : []),
    ...(redis ? faultOf(() => readCredentials(redis)) : []),
  ];
}

function faultOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
