import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { Dialog } from "./dialog.tsx";
import { Form, type FormProps } from "./form.tsx";
import { showToast } from "./toasts.tsx";

interface Props<Desc extends DescMessage>
  extends Omit<FormProps<Desc>, "read" | "send" | "notice" | "onCancel"> {
  readonly title: string;
  readonly request: MessageInitShape<Desc>;
  readonly send: (...request: Parameters<FormProps<Desc>["send"]>) => Promise<unknown>;
  /** What is shown after the call has succeeded. */
  readonly success: string;
  readonly onClose: () => void;
  /** Called after the call has succeeded and the dialog is closed. */
  readonly onDone: () => void;
}

/** Asks whether to make a call whose request is known. */
export function ConfirmDialog<Desc extends DescMessage>(props: Props<Desc>) {
  const { title, request, send, success, onClose, onDone, ...form } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        {...form}
        onCancel={onClose}
        read={() => request}
        send={async (message) => {
          await send(message);
          showToast(success);
          onClose();
          onDone();
        }}
      />
    </Dialog>
  );
}
