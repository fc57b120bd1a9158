/** The length above which a name may be cut, if its letters are wide. */
const longest = 20;

/** Shows a name on one line. A long one is cut; all of it is shown while the pointer is on it, or while it has the focus. */
export function Ellipsis({ text, href }: { readonly text: string; readonly href?: string }) {
  if (href !== undefined) {
    return (
      <a class="ellipsis" href={href} title={text}>
        {text}
      </a>
    );
  }
  return text.length > longest ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reads the rest of the name.
    <span class="ellipsis" title={text} tabIndex={0}>
      {text}
    </span>
  ) : (
    <span>{text}</span>
  );
}
