import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Names, petOfCode, petParts, petText } from "../../pets/names.ts";
import { filterItems, noFilter } from "../filter.ts";
import type { Item } from "../item.ts";
import { hasPet } from "../stock-model.ts";

/** How long a text must stay the same before the page searches for it, in milliseconds. A scanner types faster. */
const settledMs = 150;

/** Most pets that the search offers. */
const mostFound = 6;

/** The field of scans and searches, and the choice of a file. Scanners type a code and Enter. */
export function AddLines(props: {
  items: readonly Item[];
  names: Names;
  /** Adds a unit of a pet. */
  onPet(petId: bigint): void;
  readFile(file: File): Promise<void>;
}) {
  const { items, names, onPet, readFile } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [said, setSaid] = useState({ text: "", isFault: false });
  const find = (search: string) =>
    search === "" ? [] : filterItems(items, { ...noFilter, search }, names);
  const [found, setFound] = useState<readonly Item[]>([]);
  useEffect(() => {
    const search = text.trim();
    if (search === "") return setFound([]);
    const timer = setTimeout(() => setFound(find(search)), settledMs);
    return () => clearTimeout(timer);
  }, [text, names]);
  const choose = (files: FileList | null | undefined) => {
    if (files?.[0]) void readFile(files[0]);
  };
  const add = (petId: bigint) => {
    onPet(petId);
    setText("");
    setSaid({ text: `Added a unit of ${petText(petId)}.`, isFault: false });
    input.current?.focus();
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const search = input.current?.value.trim() ?? "";
    if (search === "") return;
    const code = petOfCode(names, search);
    if (code !== undefined && hasPet(items, code)) return add(code);
    const matches = find(search);
    const [first, second] = matches;
    if (first && !second) return add(first.petId);
    setFound(matches);
    const fault = first ? "Choose one of these pets." : `No pet has the name, SKU or id ${search}.`;
    setSaid({ text: fault, isFault: true });
    input.current?.select();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input does the same by the keyboard.
    <div
      class="add-lines drop-zone"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        choose(event.dataTransfer?.files);
      }}
    >
      <form class="field" onSubmit={onSubmit}>
        <label for={id}>Scan or find a pet</label>
        <input
          id={id}
          ref={input}
          type="text"
          autocomplete="off"
          enterKeyHint="enter"
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            setSaid({ text: "", isFault: false });
          }}
        />
        <p class="field-hint">A name, SKU or id. Enter adds a unit of the pet.</p>
        <div class="view-actions">
          {found.slice(0, mostFound).map(({ petId }) => {
            const { title, detail } = petParts(petId, names);
            return (
              <button key={petId} type="button" onClick={() => add(petId)}>
                Add {detail === "" ? petText(petId) : `${title} · ${detail}`}
              </button>
            );
          })}
        </div>
        <p role="status" class={said.isFault ? "field-error" : "field-hint"}>
          {said.text}
        </p>
      </form>
      <label class="field">
        <strong>File</strong>
        <input
          type="file"
          accept=".csv"
          onChange={({ currentTarget }) => choose(currentTarget.files)}
        />
        <span class="field-hint">CSV with sku or petId, and units. Or drop it here.</span>
      </label>
    </div>
  );
}
