import { certificate, clientCore, configOf, inboundOf, openThrough, place, target } from '../kit.js';
import { ways } from '../protocols.js';

// A panel process that starts a core, uses it, and is then killed: see lifecycle.test.ts.
const [folder = '', port = ''] = process.argv.slice(2);
const cert = await certificate();
const web = await target(cert);
const way = ways(cert, web.tlsPort)['vless-tcp'];
if (way === undefined) throw new Error('no way');
const account = way.account('alice@x');
const { core } = place(folder);
const run = await core.process.start(configOf([inboundOf(way.inbound(Number(port)), [account])]));
const client = await clientCore(folder, [way.outbound(Number(port), account)]);
const download = await openThrough(client.ports[0] ?? 0, web.port, '/small');
await download.ended;
await client.close();
const { clients, inbounds, outbounds } = await core.stats.counters();
const all = [clients, inbounds, outbounds] as readonly ReadonlyMap<number | string, unknown>[];
const counters = all.map((some) => Object.fromEntries(some));
process.stdout.write(`${JSON.stringify({ run, counters })}\n`);
setInterval(() => undefined, 1000);
