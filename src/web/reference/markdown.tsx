import type { ComponentChildren } from "preact";

/** Shows the Markdown that comments of the contract use: paragraphs, lists, code, bold text and links. */
export function Markdown({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n\n+/).map((block) =>
        block.startsWith("- ") ? (
          <ul key={block}>
            {block
              .split(/\n- |^- /)
              .filter(Boolean)
              .map((item) => (
                <li key={item}>{inline(item)}</li>
              ))}
          </ul>
        ) : (
          <p key={block}>{inline(block)}</p>
        ),
      )}
    </>
  );
}

/** Shows Markdown without paragraphs. */
export function InlineMarkdown({ text }: { text: string }) {
  return <>{inline(text)}</>;
}

function inline(text: string): ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return <code key={part}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <strong key={part}>{part.slice(2, -2)}</strong>;
    return part;
  });
}
