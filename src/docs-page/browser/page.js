/** The document as this page can use it: the page calls its own server, and the renderer has doubles. */
function forThisPage(text) {
  const document = JSON.parse(text, (_, value) =>
    // A bound that a double can't hold would be shown wrong; the format says as much.
    Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value,
  );
  document.servers = document.servers.filter(({ url }) => url.startsWith("/"));
  return JSON.stringify(document);
}

/** Lays JSON out with every number as it came. Without the means for that it stays as it came. */
function layOut(json) {
  if (!JSON.rawJSON) return json;
  const exact = (_, value, { source }) =>
    typeof value === "number" && source ? JSON.rawJSON(source) : value;
  return JSON.stringify(JSON.parse(json, exact), undefined, 2);
}

/** Shows JSON of answers without rounding its integers, which the renderer itself would do. */
function exactIntegers({ React }) {
  const responseBody = (Original) => (props) => {
    const { content, contentType, getComponent } = props;
    if (contentType !== "application/json" || typeof content !== "string" || content === "") {
      return React.createElement(Original, props);
    }
    const code = { language: "json", downloadable: true, fileName: "answer.json", canCopy: true };
    return React.createElement(
      "div",
      null,
      React.createElement("h5", null, "Response body"),
      React.createElement(getComponent("HighlightCode", true), code, layOut(content)),
    );
  };
  return { wrapComponents: { responseBody } };
}

globalThis.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  plugins: [exactIntegers],
  responseInterceptor(response) {
    if (new URL(response.url).pathname !== "/openapi.json") return response;
    return { ...response, text: forThisPage(response.text) };
  },
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  showExtensions: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  // No outside request: by default the renderer has the document judged by a service elsewhere.
  validatorUrl: null,
});
