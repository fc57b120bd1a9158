/** Moves the focus to the content of the page. */
export function focusMain(): void {
  document.getElementById("main")?.focus();
}

/** Skips the menu. A button, because a link would change the hash, which is the route. */
export function SkipLink() {
  return (
    <button type="button" class="skip-link" onClick={focusMain}>
      Skip to content
    </button>
  );
}
