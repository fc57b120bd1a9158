/** Several things that are wrong, one a line. */
export function FaultList({ title, faults }: { title: string; faults: readonly string[] }) {
  return (
    <div class="banner banner-warning" role="alert">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long list. */}
      <div class="faults" tabIndex={0}>
        <p>{title}</p>
        <ul>
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
