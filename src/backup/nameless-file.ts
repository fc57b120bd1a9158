import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Opens a temporary file without a name. The system deletes it when it is closed or the process ends. */
export async function openNameless(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), "inventory-"));
  try {
    return await open(join(directory, "data"), "wx+", 0o600);
  } finally {
    // The open file remains readable without a name.
    await rm(directory, { recursive: true });
  }
}
