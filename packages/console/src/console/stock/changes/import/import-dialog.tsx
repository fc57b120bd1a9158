import { ConnectError } from "@connectrpc/connect";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ImportedPet } from "../../../../../../../gen/catalog/v1/catalog_pb.ts";
import { faultOf } from "../../../shared/call-fault.ts";
import { Dialog } from "../../../shared/dialog.tsx";
import { saveFile } from "../../../shared/save-file.ts";
import { countText } from "../../../text/number-text.ts";
import { type CheckedFile, checkFile } from "./check-file.ts";
import { ColumnChoice } from "./column-choice.tsx";
import { ImportPreview } from "./import-preview.tsx";
import { type ColumnName, columns, FileFault } from "./item-reader.ts";
import { readKnownPets } from "./known-pets.ts";

/** The items that were imported from earlier choices of a file, by the ids of their pets. */
type Imported = ReadonlyMap<bigint, ImportedPet>;

/** Imports a file of items: checks it, shows what it would change, and sends it. */
export function ImportDialog({ onClose }: { onClose(): void }) {
  const [checked, setChecked] = useState<CheckedFile>();
  const [name, setName] = useState("");
  const [imported, setImported] = useState<Imported>(new Map());
  if (checked) {
    const chooseAgain = (more: readonly ImportedPet[]) => {
      setImported(new Map([...imported, ...more.map((item) => [item.petId, item] as const)]));
      setChecked(undefined);
    };
    return <ImportPreview name={name} checked={checked} {...{ chooseAgain, onClose }} />;
  }
  const onChecked = (file: File, found: CheckedFile) => {
    setName(file.name);
    setChecked(found);
  };
  return (
    <Dialog title="Import a file" onClose={onClose}>
      <p>
        CSV with the columns <code>{columns.join(",")}</code>, or NDJSON, as an export has them.
        Name and SKU stay where the file has none. Nothing is changed before you have seen the first
        rows.
      </p>
      {imported.size > 0 && (
        <p>{countText(imported.size, "row is", "rows are")} imported. They are left out.</p>
      )}
      <FileChoice imported={imported} onChecked={onChecked} />
      <div class="form-buttons">
        <button type="button" onClick={saveTemplate}>
          Download a template
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Saves a file with the columns and two pets. */
export function saveTemplate(): void {
  const text = `${columns.join(",")}\n1,Rex,DO-301,1,available\n2,Goldfish,FI-501,25,available\n`;
  saveFile("pets-template", "csv", new Blob([text], { type: "text/csv" }));
}

/** Reads the chosen file. Another choice, or the end of the dialog, ends the reading. */
function FileChoice(props: {
  imported: Imported;
  onChecked(file: File, found: CheckedFile): void;
}) {
  const { imported, onChecked } = props;
  const [progress, setProgress] = useState<{ file: File; bytes: number }>();
  const [fault, setFault] = useState("");
  /** A file whose columns have other names. */
  const [other, setOther] = useState<{ file: File; names: readonly string[] }>();
  const reading = useRef<AbortController>(undefined);
  useEffect(() => () => reading.current?.abort(), []);

  const choose = (files: FileList | null | undefined) => {
    if (files?.[0]) void check(files[0]);
  };
  async function check(file: File, chosen?: readonly (ColumnName | undefined)[]): Promise<void> {
    reading.current?.abort();
    reading.current = new AbortController();
    const { signal } = reading.current;
    setFault("");
    setOther(undefined);
    setProgress({ file, bytes: 0 });
    try {
      const stock = await readKnownPets();
      const onProgress = (bytes: number) => setProgress({ file, bytes });
      onChecked(file, await checkFile(file, { stock, imported, chosen, signal, onProgress }));
    } catch (error) {
      if (signal.aborted) return;
      setProgress(undefined);
      const names = error instanceof FileFault ? error.names : [];
      if (names.length > 0) setOther({ file, names });
      else setFault(faultText(error));
    }
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the input does the same by the keyboard. */}
      <div
        class="drop-zone"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          choose(event.dataTransfer?.files);
        }}
      >
        <label class="field">
          <strong>File</strong>
          <input
            type="file"
            accept=".csv,.ndjson,.jsonl"
            onChange={({ currentTarget }) => choose(currentTarget.files)}
          />
        </label>
        <p class="field-hint">Or drop a file here.</p>
      </div>
      {other && (
        <ColumnChoice
          key={other.file.name}
          names={other.names}
          onChoose={(chosen) => void check(other.file, chosen)}
        />
      )}
      {progress && (
        <progress
          class="progress"
          aria-label="Reading the file"
          value={progress.bytes}
          max={progress.file.size}
        />
      )}
      {fault && (
        <p class="banner banner-error" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

/** Browsers refuse to read a file that has changed since it was chosen. */
function faultText(error: unknown): string {
  if (error instanceof FileFault) return error.message;
  if (error instanceof ConnectError) return faultOf(error).message;
  return "The file cannot be read. Choose it again.";
}
