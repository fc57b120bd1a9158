import { useRef, useState } from "preact/hooks";
import { ChangeReason } from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { withKeySeries } from "../../../../../../src/common/key-series.ts";
import { actionColumn } from "../../shared/action-column.tsx";
import { useDraft } from "../../shared/draft.tsx";
import { type Effect, largestQuantity, quantityEffect } from "../../shared/effect.ts";
import { LargeEffectsDialog } from "../../shared/effects.tsx";
import { SelectField, TextField } from "../../shared/field.tsx";
import { valuesOf } from "../../shared/form-values.ts";
import { randomId } from "../../shared/random-id.ts";
import { type Column, Table } from "../../shared/table.tsx";
import { showToast } from "../../shared/toasts.tsx";
import { countText, numberText } from "../../text/number-text.ts";
import { FaultList } from "../changes/fault-list.tsx";
import { PartsDialog } from "../changes/parts-dialog.tsx";
import type { Item } from "../item.ts";
import { reasons } from "../reasons.ts";
import { useLevels } from "../use-levels.ts";
import { type ListRow, readList } from "./list-file.ts";
import { type Booking, bookBack, type ModeName, modes, type Origin } from "./modes.ts";
import { textHash } from "./text-hash.ts";

/** Most rows that the page shows. All rows are booked. */
const mostShown = 200;

interface Line {
  readonly item: Item;
  /** The units as the user has typed them. */
  readonly units: string;
}

/** Books a list of pets and units: by scans, by typing, or from a file. It shows what the list would change before. */
export function BookingView({ name, items }: { name: ModeName; items: readonly Item[] }) {
  const mode = modes[name];
  const [units, setUnits] = useState<ReadonlyMap<bigint, string>>(new Map());
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [sending, setSending] = useState<{ rows: readonly Booking[]; origin: Origin }>();
  const [asked, setAsked] = useState<{ send: typeof sending; large: readonly Effect[] }>();
  const lines = items.flatMap((item): Line[] => {
    const text = units.get(item.petId);
    return text === undefined ? [] : [{ item, units: text }];
  });
  const { held, reload } = useLevels(lines.map(({ item }) => item));
  useDraft(lines.length > 0 ? `The list of ${countText(lines.length, "pet")}` : undefined);

  const put = (petId: bigint, text: string | undefined) => {
    const next = new Map(units);
    if (text === undefined) next.delete(petId);
    else next.set(petId, text);
    setUnits(next);
  };
  const scan = (code: string) => {
    const item = codesOf(items).get(code);
    setFaults(item ? [] : [`No pet has the code or id ${code}.`]);
    if (item) put(item.petId, String(Number(units.get(item.petId) ?? 0) + 1));
    return item !== undefined;
  };
  const readFile = async (file: File) => {
    const rows = await readList(file);
    if (typeof rows === "string") return setFaults([rows]);
    const next = new Map(units);
    setFaults(addRows(next, rows, items, mode.least));
    setUnits(next);
  };
  const bookingOf = ({ item, units }: Line): Booking => ({
    petId: item.petId,
    units: Number(units),
    quantity: item.quantity,
    held: held.get(item.petId) ?? 0,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const wrong = lines.flatMap(({ item, units }) => {
      const fault = unitsFault(units, mode.least);
      return fault ? [`Pet ${item.petId}: ${fault}.`] : [];
    });
    setFaults(wrong);
    if (wrong.length > 0) return;
    const values = valuesOf(new FormData(event.currentTarget as HTMLFormElement));
    const origin = {
      reason: Number(values.text("reason")) as ChangeReason,
      note: values.text("note"),
      reference: values.text("reference"),
    };
    const rows = lines.map(bookingOf);
    const large = rows
      .flatMap((row) => quantityEffect(`Pet ${row.petId}`, row.quantity, mode.after(row)))
      .filter(({ isLarge }) => isLarge);
    if (large.length > 0) setAsked({ send: { rows, origin }, large });
    else setSending({ rows, origin });
  };
  const columns: readonly Column<Line>[] = [
    { title: "Pet", cell: ({ item }) => String(item.petId) },
    {
      title: mode.units,
      cell: ({ item: { petId }, units }) => (
        <input
          class="units-input"
          type="text"
          inputMode="numeric"
          autocomplete="off"
          aria-label={`${mode.units} of pet ${petId}`}
          aria-invalid={unitsFault(units, mode.least) !== undefined}
          value={units}
          onInput={({ currentTarget: { value } }) => put(petId, value)}
        />
      ),
      isNumber: true,
    },
    { title: "Available", cell: (line) => beforeAfter(bookingOf(line), name), isNumber: true },
    { title: "Held", cell: (line) => numberText(bookingOf(line).held), isNumber: true },
    actionColumn(({ item: { petId } }) => [
      { name: "Leave out", target: `pet ${petId}`, run: () => put(petId, undefined) },
    ]),
  ];
  return (
    <>
      <AddLines scan={scan} readFile={readFile} />
      {faults.length > 0 && <FaultList title="Not in the list:" faults={faults} />}
      <form class="form booking" onSubmit={submit}>
        <Table
          caption={`${countText(lines.length, "pet")} in the list`}
          columns={columns}
          rows={lines.slice(0, mostShown)}
          rowKey={({ item }) => String(item.petId)}
          empty="Scan the first pet, or choose a file. Nothing is changed before you book the list."
        />
        {lines.length > mostShown && (
          <p class="muted">And {numberText(lines.length - mostShown)} more.</p>
        )}
        <div class="booking-fields">
          {mode.hasReason && (
            <SelectField
              label="Reason"
              name="reason"
              value={String(ChangeReason.ARRIVAL)}
              options={reasons}
            />
          )}
          <TextField label="Note" name="note" />
          <TextField
            label="Reference"
            name="reference"
            hint="Such as the number of the delivery or the count."
          />
        </div>
        <div class="form-buttons">
          <button type="submit" class="button-main" disabled={lines.length === 0}>
            {mode.submit} {countText(lines.length, "pet")}
          </button>
        </div>
      </form>
      {asked && (
        <LargeEffectsDialog
          effects={asked.large}
          submit={mode.submit}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            setSending(asked.send);
          }}
        />
      )}
      {sending && (
        <SendBooking
          name={name}
          {...sending}
          onClose={(done) => {
            const next = new Map(units);
            for (const { petId } of sending.rows.slice(0, done)) next.delete(petId);
            setUnits(next);
            setSending(undefined);
            reload();
          }}
        />
      )}
    </>
  );
}

/** Adds the good rows of a file. @returns what is wrong with the others */
function addRows(
  units: Map<bigint, string>,
  rows: readonly ListRow[],
  items: readonly Item[],
  least: number,
): readonly string[] {
  const codes = codesOf(items);
  const seen = new Set<bigint>();
  return rows.flatMap(({ line, code, units: text }) => {
    const petId = codes.get(code.trim())?.petId;
    const fault =
      petId === undefined
        ? `no pet has the code or id ${JSON.stringify(code)}`
        : seen.has(petId)
          ? `pet ${petId} is in the file twice`
          : unitsFault(text, least);
    if (petId !== undefined && !fault) units.set(petId, text);
    if (petId !== undefined) seen.add(petId);
    return fault ? [`Line ${line}: ${fault}.`] : [];
  });
}

/** The field of scans and typed codes, and the choice of a file. Scanners type a code and Enter. */
function AddLines(props: { scan(code: string): boolean; readFile(file: File): Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = (files: FileList | null | undefined) => {
    if (files?.[0]) void props.readFile(files[0]);
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const code = input.current?.value.trim() ?? "";
    if (!input.current || code === "") return;
    if (props.scan(code)) input.current.value = "";
    input.current.select();
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
        <label for="scan">Scan or type a code or id</label>
        <input id="scan" ref={input} type="text" autocomplete="off" enterKeyHint="enter" />
        <p class="field-hint">Enter adds a unit of the pet.</p>
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

/** Sends the rows in parts. The same list has the same idempotency keys, so a repetition changes nothing. */
function SendBooking(props: {
  name: ModeName;
  rows: readonly Booking[];
  origin: Origin;
  onClose(done: number): void;
}) {
  const { name, rows, origin, onClose } = props;
  const mode = modes[name];
  const attempted = useRef(new Set<string>());
  const send = async (part: readonly Booking[]) => {
    const list = part.map((row) => [String(row.petId), row.units, mode.expected(row)]);
    const { reason, note, reference } = origin;
    const key = `${name}-${textHash(JSON.stringify([list, reason, note, reference]))}`;
    const isFirst = !attempted.current.has(key);
    attempted.current.add(key);
    let isRepeated = false;
    await withKeySeries(key, (idempotencyKey) =>
      mode.send(part, origin, {
        headers: { "Idempotency-Key": idempotencyKey },
        onHeader: (headers) => {
          isRepeated = isFirst && headers.get("idempotency-replayed") === "true";
        },
      }),
    );
    if (isRepeated) {
      showToast(
        `${countText(part.length, "row was", "rows were")} booked before. Nothing is changed. To book the same list again, give it another reference.`,
      );
      return async () => {};
    }
    const undoKey = randomId();
    return () => bookBack(mode, part, origin, undoKey);
  };
  return <PartsDialog title={mode.title} rows={rows} send={send} onClose={onClose} />;
}

/** Returns the pets by the codes that a scanner or a file has for them. */
function codesOf(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [String(item.petId), item]));
}

function unitsFault(text: string, least: number): string | undefined {
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= least && value <= largestQuantity && (least === 0 || value !== 0)) return undefined;
  const range = least === 0 ? `from 0 to ${largestQuantity}` : "other than 0";
  return `the units must be a whole number ${range}, not ${JSON.stringify(text)}`;
}

function beforeAfter(row: Booking, name: ModeName): string {
  const after = modes[name].after(row);
  return Number.isNaN(after)
    ? numberText(row.quantity)
    : `${numberText(row.quantity)} → ${numberText(after)}`;
}
