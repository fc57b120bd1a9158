/** The live stock. */
export function StockView() {
  return <h1>Stock</h1>;
}
