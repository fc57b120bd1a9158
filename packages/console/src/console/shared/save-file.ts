/** Saves a file, whose name has the day: `stock-2026-05-31.csv`. */
export function saveFile(name: string, extension: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  // Swedish dates are those of ISO 8601.
  link.download = `${name}-${new Date().toLocaleDateString("sv")}.${extension}`;
  link.click();
  // The download has begun, and keeps the content.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
