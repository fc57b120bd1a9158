/** The page that is served when the browser pages are not built. */
export const missingPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Inventory Service</title>
  </head>
  <body>
    <h1>This page is not built</h1>
    <p>The service works, but this installation has no browser pages. To build them, run this in the project's folder,
      then restart the service:</p>
    <pre>npm ci &amp;&amp; npm run build</pre>
    <p>The contract is at <a href="/openapi.json">/openapi.json</a>.</p>
  </body>
</html>
`;
