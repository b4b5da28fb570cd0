import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

// Simulates the part of 3x-ui that a heartbeat uses, over TLS. One server represents any number of nodes.
const [cert = '', key = ''] = process.argv.slice(2);
const obj = {
  ...{ cpu: 12.5, mem: { current: 2, total: 8 }, uptime: 345_600, xray: { state: 'running', version: '26.5.9' } },
};
const body = JSON.stringify({ success: true, msg: '', obj });
let answered = 0;
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
  const known = request.url?.endsWith('/panel/api/server/status') === true;
  if (known) answered += 1;
  response.writeHead(200, { 'content-type': 'application/json' }).end(known ? body : '{"success":true,"obj":[]}');
});
process.on('message', () => process.send?.({ answered }));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
