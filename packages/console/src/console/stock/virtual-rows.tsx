import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Item } from "./item.ts";
import { rowHeight, rowTop, rowWindow } from "./row-window.ts";
import { type Sort, sortColumns } from "./sort.ts";
import { SortHeader } from "./sort-header.tsx";

/** Most rows of the list. Browsers limit the height of an element. */
export const mostRows = 200_000;

interface Rows {
  readonly items: readonly Item[];
  /** The pet whose editor is open. */
  readonly open: bigint | undefined;
  readonly sort: Sort | undefined;
  onSort(sort: Sort): void;
  /** Another text is another list, which begins at its top. */
  readonly listKey: string;
  /** A cell of the header before the others. Then each row has one, too. */
  readonly firstCell?: ComponentChildren;
  /** The cells of a row. */
  row(item: Item): ComponentChildren;
  /** The editor below the open row. */
  editor(item: Item): ComponentChildren;
}

/** Where a list was scrolled to, for when the user comes back to it. */
let last = { listKey: "", scrollTop: 0 };

/** A long table: only the rows near the visible part are in the document. */
export function VirtualRows(props: Rows) {
  const { items, open, sort, onSort, listKey, firstCell, row, editor } = props;
  const list = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [viewHeight, setViewHeight] = useState(600);
  const [extraHeight, setExtraHeight] = useState(0);

  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setViewHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (last.listKey !== listKey) last = { listKey, scrollTop: 0 };
    list.current?.scrollTo(0, last.scrollTop);
    setScrollTop(last.scrollTop);
  }, [listKey]);

  const shown = items.slice(0, mostRows);
  const openIndex = open === undefined ? -1 : shown.findIndex(({ petId }) => petId === open);
  const extra = openIndex < 0 ? 0 : extraHeight;
  const { first, end } = rowWindow(shown.length, scrollTop, viewHeight, extra);
  const indexes = Array.from({ length: end - first }, (_, n) => first + n);
  // The open editor stays in the document, so that it keeps its values.
  if (openIndex >= 0 && !indexes.includes(openIndex)) indexes.push(openIndex);

  return (
    <section
      ref={list}
      class={firstCell ? "rows rows-selectable" : "rows"}
      aria-label="Pets"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can scroll only an element that has the focus.
      tabIndex={0}
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
            <td class="row-action" />
          </tr>
        </thead>
        <tbody style={{ height: `${shown.length * rowHeight + extra}px` }}>
          {indexes.flatMap((index) => {
            const item = shown[index];
            if (!item) return [];
            const top = rowTop(index, openIndex, extra);
            const cells = (
              <tr key={item.petId} class="row" aria-rowindex={index + 2} style={placeAt(top)}>
                {row(item)}
              </tr>
            );
            if (index !== openIndex) return [cells];
            return [
              cells,
              <EditorRow
                key={`${item.petId} editor`}
                top={top + rowHeight}
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
      <td colSpan={5}>{children}</td>
    </tr>
  );
}
