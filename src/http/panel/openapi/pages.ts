/** The page that shows the contract. Paths are relative, so it works under any base path. */
export const docsPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>API</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="api-docs/swagger-ui.css">
<script src="api-docs/swagger-ui-bundle.js" defer></script><script src="api-docs/start.js" defer></script></head>
<body><div id="docs"></div></body></html>
`;

/** Starts the page: sets the URL of the document, and adds the CSRF token to every unsafe request. */
export const startScript = `const base = new URL('..', location.href).href;
let token;
async function withToken(request) {
  if (!request.url.startsWith(base) || request.method === 'GET' || !request.method) return request;
  token ??= (await (await fetch(base + 'csrf-token')).json()).obj;
  request.headers['X-CSRF-Token'] = token;
  return request;
}
SwaggerUIBundle({
  url: base + 'panel/api/openapi.json',
  dom_id: '#docs',
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: false,
  requestInterceptor: withToken,
});
`;
