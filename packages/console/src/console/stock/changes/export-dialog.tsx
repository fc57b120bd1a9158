import { names } from "../../pets/names.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { saveFile } from "../../shared/save-file.ts";
import { countText } from "../../text/number-text.ts";
import type { Item } from "../item.ts";
import { type FileFormat, itemTexts } from "./item-text.ts";

const mediaTypes: Readonly<Record<FileFormat, string>> = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

/** Saves the list as shown to a file. */
export function ExportDialog({ items, onClose }: { items: readonly Item[]; onClose(): void }) {
  const save = (format: FileFormat) => {
    saveFile(
      "stock",
      format,
      new Blob(itemTexts(items, names.get(), format), { type: mediaTypes[format] }),
    );
    onClose();
  };
  return (
    <Dialog title="Export" onClose={onClose}>
      <p>
        The file has the {countText(items.length, "pet")} that the list shows now, in the same
        order. An import reads both formats.
      </p>
      <div class="form-buttons">
        <button type="button" onClick={() => save("csv")}>
          Save as CSV
        </button>
        <button type="button" onClick={() => save("ndjson")}>
          Save as NDJSON
        </button>
      </div>
    </Dialog>
  );
}
