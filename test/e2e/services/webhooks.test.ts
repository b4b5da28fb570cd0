import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isSigned, startReceiver } from '../../commands/reactors/webhooks/kit.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { type Added, addInbound, headOf, until, wireOf } from '../support.js';

const NO_CERTIFICATE = { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} };
/** The receiver is on loopback. */
const ENV = { PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true' };
const SUITE = 'webhooks of a real panel';
/** Kills of the panel while it delivers. */
const KILLS = 3;
/** Clients that are added before each kill: more events than are delivered until then. */
const CLIENTS = 30;

interface Row {
  readonly status: { readonly position: number; readonly lag: number };
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let panel: PanelProcess;
  let admin: Admin;
  let added: Added;

  beforeAll(async () => {
    panel = await startPanel({ env: ENV });
    admin = await panel.admin();
    const context = makeContext({ certificate: NO_CERTIFICATE, realityTarget: '', targetPort: 9 });
    added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [makeClient()]);
  });
  afterAll(() => panel?.cleanUp());

  it('deliver every event in order, although the panel is killed amid deliveries', async () => {
    // It answers slowly, so that a kill finds a delivery in flight.
    const receiver = await startReceiver((_req, res) => {
      const timer = setTimeout(() => res.writeHead(200).end(), 5);
      onTestFinished(() => clearTimeout(timer));
    });
    const before = headOf(panel.dataDir);
    const draft = { name: 'billing', url: receiver.url, types: ['clients'] };
    const { secret } = await must(admin.post<{ secret: string }>('/panel/api/webhooks/add', draft));
    const positions = () => receiver.all.map(({ json }) => json.data.position);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const clients = Array.from({ length: CLIENTS }, () => wireOf(added.one, makeClient()));
      const settings = JSON.stringify({ clients });
      const received = receiver.all.length;
      await must(admin.post('/panel/api/inbounds/addClient', { id: added.id, settings }));
      await until('some are delivered', () => receiver.all.length >= received + 5);
      panel.kill('SIGKILL');
      await panel.exited;
      expect(new Set(positions()).size).toBeLessThan((kill + 1) * CLIENTS);
      panel = await startPanel({ dataDir: panel.dataDir, ports: panel.ports, env: ENV });
      admin = await panel.admin();
    }
    const wanted = await eventsOfClients(before);
    await until('all are delivered', () => positions().at(-1) === wanted.at(-1));
    expect([...new Set(positions())]).toStrictEqual(wanted);
    // A kill repeats at most the delivery in flight.
    expect(positions().length).toBeLessThanOrEqual(wanted.length + KILLS);
    expect(receiver.all.every((request) => isSigned(request, secret))).toBe(true);
    const ids = new Map(receiver.all.map(({ headers, json }) => [json.data.position, headers['webhook-id']]));
    expect(new Set(ids.values()).size).toBe(wanted.length);
    const rows = async () => must(admin.get<Row[]>('/panel/api/webhooks/list'));
    await until('it is done with the log', async () => (await rows())[0]?.status.lag === 0);
  });

  /** Positions of the events that the webhook must deliver. */
  async function eventsOfClients(after: number): Promise<readonly number[]> {
    interface Page {
      readonly events: readonly { readonly position: number; readonly type: string }[];
    }
    const path = `/panel/api/events?after=${after}&limit=5000&types=ClientAdded`;
    const page = await must(admin.get<Page>(path));
    return page.events.map(({ position }) => position);
  }
});
