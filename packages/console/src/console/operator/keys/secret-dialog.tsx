import { useState } from "preact/hooks";
import { CopyButton } from "../../shared/copy-button.tsx";
import { Dialog } from "../../shared/dialog.tsx";

interface Props {
  /** The new API key. */
  readonly secret: string;
  /** What happens to the old key, after a rotation. */
  readonly note?: string;
  readonly onClose: () => void;
}

/** Shows a new API key once. Escape asks before it closes, because the key cannot be shown again. */
export function SecretDialog({ secret, note, onClose }: Props) {
  const [isWarned, setWarned] = useState(false);
  return (
    <Dialog title="The new API key" onClose={isWarned ? onClose : () => setWarned(true)}>
      <p>Copy the key now. The service stores only its hash and cannot show it again.</p>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy the key" />
      </div>
      {note && <p class="muted">{note}</p>}
      {isWarned && (
        <p class="banner banner-warning" role="alert">
          The key is lost when this dialog closes. Close it again if you have stored the key.
        </p>
      )}
      <div class="form-buttons">
        <button type="button" class="button-main" onClick={onClose}>
          I have stored the key
        </button>
      </div>
    </Dialog>
  );
}
