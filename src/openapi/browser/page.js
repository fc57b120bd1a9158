/** Adapts the document to this page: Swagger UI reads numbers as doubles, and the page calls only its own server. */
function forThisPage(text) {
  const document = JSON.parse(text, (_, value) =>
    // A double would show such a bound wrong. The format implies the bound, so it can be left out.
    Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value,
  );
  document.servers = document.servers.filter(({ url }) => url.startsWith("/"));
  return JSON.stringify(document);
}

/** Indents JSON and keeps the digits of all numbers. Browsers without JSON.rawJSON show it unchanged. */
function indent(json) {
  if (!JSON.rawJSON) return json;
  const exact = (_, value, { source }) =>
    typeof value === "number" && source ? JSON.rawJSON(source) : value;
  return JSON.stringify(JSON.parse(json, exact), undefined, 2);
}

/** A Swagger UI plugin that shows the integers of responses exactly. Swagger UI would round them. */
function exactIntegers({ React }) {
  const responseBody = (Original) => (props) => {
    const { content, contentType, getComponent } = props;
    if (contentType !== "application/json" || typeof content !== "string" || content === "") {
      return React.createElement(Original, props);
    }
    const code = { language: "json", downloadable: true, fileName: "response.json", canCopy: true };
    return React.createElement(
      "div",
      null,
      React.createElement("h5", null, "Response body"),
      React.createElement(getComponent("HighlightCode", true), code, indent(content)),
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
  // By default Swagger UI sends the document to an online validator. Null disables that.
  validatorUrl: null,
});
