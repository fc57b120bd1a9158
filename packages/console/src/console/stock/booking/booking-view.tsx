import { quote } from "connect-gateway/call";
import { useRef, useState } from "preact/hooks";
import { ChangeReason } from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { withKeySeries } from "../../../../../../src/common/key-series.ts";
import { idOf, type Names, petSubject, petText } from "../../pets/names.ts";
import { PetLink } from "../../pets/pet-link.tsx";
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
import { hasPet } from "../stock-model.ts";
import { useLevels } from "../use-levels.ts";
import { AddLines } from "./add-lines.tsx";
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
export function BookingView(props: { name: ModeName; items: readonly Item[]; names: Names }) {
  const { name, items, names } = props;
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
  const add = (petId: bigint) => {
    setFaults([]);
    put(petId, String(Number(units.get(petId) ?? 0) + 1));
  };
  const readFile = async (file: File) => {
    const rows = await readList(file);
    if (typeof rows === "string") return setFaults([rows]);
    const next = new Map(units);
    setFaults(addRows(next, rows, { items, names, least: mode.least }));
    setUnits(next);
  };
  const bookingOf = ({ item, units }: Line): Booking => ({
    petId: item.petId,
    units: Number(units),
    quantity: item.quantity,
    held: held.get(item.petId) ?? Number.NaN,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const wrong = lines.flatMap(({ item, units }) => {
      const fault = unitsFault(units, mode.least);
      return fault ? [`${petSubject(item.petId)}: ${fault}.`] : [];
    });
    const rows = lines.map(bookingOf);
    const unknown = rows.filter((row) => Number.isNaN(mode.after(row))).length;
    if (wrong.length === 0 && unknown > 0) {
      wrong.push(`The held units of ${countText(unknown, "pet")} are not known yet. Try again.`);
    }
    setFaults(wrong);
    if (wrong.length > 0) return;
    const values = valuesOf(new FormData(event.currentTarget as HTMLFormElement));
    const origin = {
      reason: Number(values.text("reason")) as ChangeReason,
      note: values.text("note"),
      reference: values.text("reference"),
    };
    const large = rows
      .flatMap((row) => quantityEffect(petSubject(row.petId), row.quantity, mode.after(row)))
      .filter(({ isLarge }) => isLarge);
    if (large.length > 0) setAsked({ send: { rows, origin }, large });
    else setSending({ rows, origin });
  };
  const columns: readonly Column<Line>[] = [
    { title: "Pet", cell: ({ item }) => <PetLink petId={item.petId} /> },
    {
      title: mode.units,
      cell: ({ item: { petId }, units }) => (
        <input
          class="units-input"
          type="text"
          inputMode="numeric"
          autocomplete="off"
          aria-label={`${mode.units} of ${petText(petId)}`}
          aria-invalid={unitsFault(units, mode.least) !== undefined}
          value={units}
          onInput={({ currentTarget: { value } }) => put(petId, value)}
        />
      ),
      isNumber: true,
    },
    { title: "Available", cell: (line) => beforeAfter(bookingOf(line), name), isNumber: true },
    { title: "Held", cell: ({ item }) => knownText(held.get(item.petId)), isNumber: true },
    actionColumn(({ item: { petId } }) => [
      { name: "Leave out", target: petText(petId), run: () => put(petId, undefined) },
    ]),
  ];
  return (
    <>
      <AddLines items={items} names={names} onPet={add} readFile={readFile} />
      {faults.length > 0 && <FaultList title="Not in the list:" faults={faults} />}
      <form class="form booking" onSubmit={submit}>
        <Table
          caption={`${countText(lines.length, "pet")} in the list`}
          columns={columns}
          rows={lines.slice(0, mostShown)}
          rowKey={({ item }) => String(item.petId)}
          empty="Scan the first pet, or choose a file. Nothing is changed before you book the list."
          isCards
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
  stock: { items: readonly Item[]; names: Names; least: number },
): readonly string[] {
  const seen = new Set<bigint>();
  return rows.flatMap((row) => {
    const petId = petOfRow(row, stock.names);
    if (petId === undefined || !hasPet(stock.items, petId)) {
      const code = row.sku ? `SKU ${quote(row.sku)}` : `id ${quote(row.petId)}`;
      return [`Line ${row.line}: no pet has the ${code}.`];
    }
    const fault =
      row.sku !== "" && row.petId !== "" && row.petId !== String(petId)
        ? `the SKU ${quote(row.sku)} is that of ${petText(petId)}, not of pet ${row.petId}`
        : seen.has(petId)
          ? `${petText(petId)} is in the file twice`
          : unitsFault(row.units, stock.least);
    if (!fault) units.set(petId, row.units);
    seen.add(petId);
    return fault ? [`Line ${row.line}: ${fault}.`] : [];
  });
}

/** A SKU can look like an id, so the column decides. */
function petOfRow({ sku, petId }: ListRow, names: Names): bigint | undefined {
  return sku === "" ? idOf(petId) : names.bySku.get(sku);
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

function unitsFault(text: string, least: number): string | undefined {
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= least && value <= largestQuantity && (least === 0 || value !== 0)) return undefined;
  const range = least === 0 ? `from 0 to ${largestQuantity}` : "other than 0";
  return `the units must be a whole number ${range}, not ${quote(text)}`;
}

const knownText = (count: number | undefined) => (count === undefined ? "" : numberText(count));

function beforeAfter(row: Booking, name: ModeName): string {
  const after = modes[name].after(row);
  return Number.isNaN(after)
    ? numberText(row.quantity)
    : `${numberText(row.quantity)} → ${numberText(after)}`;
}
