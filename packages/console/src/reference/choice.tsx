/** Buttons of which one is pressed. */
export function Choice({
  label,
  options,
  chosen,
  onChoose,
}: {
  /** What is chosen, for screen readers. */
  label: string;
  options: readonly (readonly [value: string, text: string])[];
  chosen: string | undefined;
  onChoose(value: string): void;
}) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
