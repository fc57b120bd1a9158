import { Dialog } from "./dialog.tsx";
import { Table } from "./table.tsx";
import { useDialog } from "./use-dialog.ts";
import { useKey } from "./use-key.ts";

const keys = [
  ["/", "Find a pet"],
  ["Enter", "In the search: open the first pet. On a quantity: change it, then save it"],
  ["↓ ↑", "Next or previous row of the list"],
  ["Space", "Select the row whose checkbox has the focus"],
  ["Escape", "Close what is open"],
  ["?", "Show these keys"],
] as const;

/** The button that lists the keys of the pages. The key `?` does the same. */
export function KeyHelp() {
  const dialog = useDialog();
  const open = () =>
    dialog.open(
      <Dialog title="Keys" onClose={dialog.close}>
        <Table
          caption="Keys"
          columns={[
            { title: "Key", cell: ([key]) => <kbd>{key}</kbd> },
            { title: "Does", cell: ([, text]) => text, isText: true },
          ]}
          rows={keys}
          rowKey={([key]) => key}
          empty=""
        />
      </Dialog>,
    );
  useKey("?", open);
  return (
    <>
      <button
        type="button"
        class="button-quiet"
        aria-label="Keys"
        title="Keys"
        aria-keyshortcuts="?"
        onClick={open}
      >
        <span aria-hidden="true">?</span>
      </button>
      {dialog.shown}
    </>
  );
}
