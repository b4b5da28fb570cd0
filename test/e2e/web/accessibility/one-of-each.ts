import { must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import type { WebPanel } from '../support.js';

/** Adds an inbound with a client, and a node that does not answer. */
export async function addOneOfEach({ panel }: WebPanel): Promise<void> {
  const admin = await panel.admin();
  const client = { id: crypto.randomUUID(), email: 'ahab', comment: 'pays late', totalGB: 1e9, enable: true };
  const settings = JSON.stringify({ clients: [client], decryption: 'none' });
  const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
  const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
  await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
  const place = { scheme: 'http', host: '127.0.0.1', port: await freePort(), basePath: '/' };
  const node = { name: 'Oslo', remark: '', ...place, apiToken: 'token', allowPrivateAddress: true, enable: true };
  await must(admin.post('/panel/api/nodes/add', node));
}
