import type { ComponentChildren } from "preact";
import { CodeBlock } from "./code-block.tsx";

/** Returns the address of a link; undefined if its text must do without one. */
type LinkOf = (target: string) => string | undefined;

/**
 * Shows the Markdown of the contract's comments and of the READMEs of the client packages: headings, paragraphs, lists,
 * tables, blocks of code, code, bold text and links.
 */
export function Markdown({ text, linkOf }: { text: string; linkOf?: LinkOf }) {
  return (
    <>
      {text
        .split(/^```\w*\n(.*?)^```$/ms)
        .map((part, at) =>
          at % 2 === 1 ? (
            <CodeBlock key={part} text={part.trimEnd()} label={`Example ${(at + 1) / 2}`} />
          ) : (
            part
              .split(/\n\n+/)
              .map((block) => <Block key={block} text={block.trim()} linkOf={linkOf} />)
          ),
        )}
    </>
  );
}

function Block({ text, linkOf }: { text: string; linkOf: LinkOf | undefined }) {
  if (text === "") return null;
  const [, marks, title = ""] = /^(#+) (.*)$/.exec(text) ?? [];
  if (marks) {
    const id = title.toLowerCase().replaceAll(" ", "-");
    return marks === "#" ? <h1>{title}</h1> : <h2 id={id}>{title}</h2>;
  }
  if (text.startsWith("- ")) {
    return (
      <ul>
        {text
          .split(/^- /m)
          .slice(1)
          .map((item) => (
            <li key={item}>{inline(item, linkOf)}</li>
          ))}
      </ul>
    );
  }
  return text.startsWith("|") ? (
    <Table text={text} linkOf={linkOf} />
  ) : (
    <p>{inline(text, linkOf)}</p>
  );
}

function Table({ text, linkOf }: { text: string; linkOf: LinkOf | undefined }) {
  const [head = [], , ...rows] = text.split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll the table.
    <section class="table-scroll" aria-label={head.join(", ")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {inline(cell, linkOf)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join()}>
              {row.map((cell, at) => (
                <td key={head[at]}>{inline(cell, linkOf)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Shows Markdown without paragraphs. */
export function InlineMarkdown({ text }: { text: string }) {
  return <>{inline(text)}</>;
}

function inline(text: string, linkOf?: LinkOf): ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith("`")) return <code key={part}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <strong key={part}>{part.slice(2, -2)}</strong>;
    const [, label, target] = /^\[([^\]]+)\]\((.+)\)$/s.exec(part) ?? [];
    if (label === undefined || target === undefined) return part;
    const href = linkOf?.(target);
    return href ? (
      <a key={part} href={href}>
        {inline(label)}
      </a>
    ) : (
      inline(label)
    );
  });
}
