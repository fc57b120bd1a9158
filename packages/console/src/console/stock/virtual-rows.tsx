import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Item } from "./item.ts";
import { rowTop, rowWindow } from "./row-window.ts";
import { type Sort, sortColumns } from "./sort.ts";
import { SortHeader } from "./sort-header.tsx";

/** Most rows of the list. Browsers limit the height of an element. */
export const mostRows = 200_000;

/** How long the rows must stay the same before the page reads more about them, in milliseconds. */
const settledMs = 150;

interface Rows {
  readonly items: readonly Item[];
  /** The pet that is edited. */
  readonly open: bigint | undefined;
  /** Whether the editor is below the row. Otherwise it is in a cell. */
  readonly hasEditor: boolean;
  readonly sort: Sort | undefined;
  onSort(sort: Sort): void;
  /** Another text is another list, which begins at its top. */
  readonly listKey: string;
  /** A cell of the header before the others. Then each row has one, too. */
  readonly firstCell?: ComponentChildren;
  /** Called with the pets of the rows that are in the document, when the user stops scrolling. */
  onVisible(petIds: readonly bigint[]): void;
  /** The cells of a row. */
  row(item: Item): ComponentChildren;
  /** The editor below the open row. */
  editor(item: Item): ComponentChildren;
}

const controls = "a, button, input";

/** Moves the focus to the same control of the next or previous row. */
function moveToRow(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const { target, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (step === 0 || ctrlKey || metaKey || altKey || shiftKey) return;
  if (!(target instanceof Element) || target.matches("input[type='text']")) return;
  const row = target.closest("tbody tr[aria-rowindex]");
  const index = Number(row?.ariaRowIndex) + step;
  const next = row?.parentElement?.querySelector(`tr[aria-rowindex="${index}"]`);
  const place = [...(row?.querySelectorAll(controls) ?? [])].indexOf(target);
  const control = next?.querySelectorAll<HTMLElement>(controls)[place];
  if (!row) return;
  event.preventDefault();
  control?.focus();
}

/** Where a list was scrolled to, for when the user comes back to it. */
let last = { listKey: "", scrollTop: 0 };

/** A long table: only the rows near the visible part are in the document. */
export function VirtualRows(props: Rows) {
  const { items, open, hasEditor, sort, onSort, listKey, onVisible, firstCell, row, editor } =
    props;
  const list = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [size, setSize] = useState({ row: 45, view: 600 });
  const [extraHeight, setExtraHeight] = useState(0);

  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const height = getComputedStyle(element).getPropertyValue("--row-height");
      setSize({ row: Number.parseFloat(height), view: element.clientHeight });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (last.listKey !== listKey) last = { listKey, scrollTop: 0 };
    list.current?.scrollTo(0, last.scrollTop);
    setScrollTop(last.scrollTop);
  }, [listKey]);

  const shown = items.slice(0, mostRows);
  const indexOf = (id: bigint | undefined) =>
    id === undefined ? -1 : shown.findIndex(({ petId }) => petId === id);
  const openIndex = indexOf(open);
  /** The pet whose row has the focus. */
  const [focused, setFocused] = useState<bigint>();
  const focusedIndex = focused === open ? openIndex : indexOf(focused);
  const isFocusLost = focused !== undefined && focusedIndex < 0;
  useLayoutEffect(() => {
    if (isFocusLost && document.activeElement === document.body) list.current?.focus();
  }, [isFocusLost]);
  const extra = openIndex < 0 || !hasEditor ? 0 : extraHeight;
  const heights = { ...size, extra };
  const { first, end } = rowWindow(shown.length, scrollTop, heights);
  const indexes = Array.from({ length: end - first }, (_, n) => first + n);
  // The open editor stays in the document, so that it keeps its values, and so does the row that has the focus, with the
  // rows that the arrow keys go to.
  const focusable = focusedIndex < 0 ? [] : [focusedIndex - 1, focusedIndex, focusedIndex + 1];
  for (const index of [openIndex, ...focusable]) {
    if (index >= 0 && !indexes.includes(index)) indexes.push(index);
  }

  const ids = indexes.map((index) => shown[index]?.petId ?? 0n);
  useEffect(() => {
    const timer = setTimeout(() => onVisible(ids), settledMs);
    return () => clearTimeout(timer);
  }, [ids.join()]);

  return (
    <section
      ref={list}
      class={firstCell ? "rows rows-selectable" : "rows"}
      aria-label="Pets"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can scroll only an element that has the focus.
      tabIndex={0}
      onKeyDown={moveToRow}
      onFocusCapture={({ target }) => {
        const row = target instanceof Element && target.closest("tbody tr[aria-rowindex]");
        setFocused(row ? shown[Number(row.ariaRowIndex) - 2]?.petId : undefined);
      }}
      onBlurCapture={({ relatedTarget }) => {
        if (relatedTarget !== null) setFocused(undefined);
      }}
      onScroll={(event) => {
        const { scrollTop } = event.currentTarget;
        last = { listKey, scrollTop };
        setScrollTop(scrollTop);
      }}
    >
      <table aria-rowcount={shown.length + 1}>
        <caption class="visually-hidden">Stock of each pet</caption>
        <thead>
          <tr class="row" aria-rowindex={1}>
            {firstCell}
            {sortColumns.map((column) => (
              <SortHeader key={column} column={column} sort={sort} onSort={onSort} />
            ))}
            <th scope="col" class="number row-level">
              Held
            </th>
            <th scope="col" class="number row-level">
              On hand
            </th>
            <td class="row-action" />
          </tr>
        </thead>
        <tbody style={{ height: `${shown.length * size.row + extra}px` }}>
          {indexes.flatMap((index) => {
            const item = shown[index];
            if (!item) return [];
            const top = rowTop(index, openIndex, heights);
            const cells = (
              <tr key={item.petId} class="row" aria-rowindex={index + 2} style={placeAt(top)}>
                {row(item)}
              </tr>
            );
            if (index !== openIndex || !hasEditor) return [cells];
            return [
              cells,
              <EditorRow
                key={`${item.petId} editor`}
                top={top + size.row}
                onHeight={setExtraHeight}
              >
                {editor(item)}
              </EditorRow>,
            ];
          })}
        </tbody>
      </table>
    </section>
  );
}

function placeAt(top: number): { transform: string } {
  return { transform: `translateY(${top}px)` };
}

/** Reports its height, so that the rows below it move down. */
function EditorRow(props: {
  top: number;
  onHeight(height: number): void;
  children: ComponentChildren;
}) {
  const { top, onHeight, children } = props;
  const place = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => onHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [onHeight]);
  return (
    <tr ref={place} class="row-editor" style={placeAt(top)}>
      <td colSpan={7}>{children}</td>
    </tr>
  );
}
