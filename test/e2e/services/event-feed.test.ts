import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../../kit/real/children.js';
import { startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, untilComplete } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { download } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { type Added, addInbound, entryOf, recorded, template, until } from '../support.js';

const SUITE = 'a program that follows the events';
const EXAMPLE = join('docs', 'examples', 'follow-events.mjs');
const DOWN = 300_000;
const OUTSIDE_IS_HERE = { PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true' };

interface Kept {
  readonly cursor: string;
  readonly clients: Readonly<Record<string, { up: number; down: number; email?: string }>>;
}

/** Sums up the bytes of each email, as exporters for 3x-ui do. */
async function startReceiver() {
  const told = new Map<string, number>();
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => (text += part));
    req.on('end', () => {
      const { clientTraffics } = JSON.parse(text) as { clientTraffics: { email: string; down: number }[] };
      for (const { email, down } of clientTraffics) told.set(email, (told.get(email) ?? 0) + down);
      res.writeHead(204).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { told, url: `http://127.0.0.1:${port}/metric`, stop: () => void server.close() };
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient();
  const folder = mkdtempSync(join(tmpdir(), 'portolan-e2e-follow-'));
  const file = join(folder, 'position.json');
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let added: Added;
  let token: string;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;

  beforeAll(async () => {
    targets = await startTargets();
    receiver = await startReceiver();
    panel = await startPanel({ env: OUTSIDE_IS_HERE });
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    const reporting = { externalTrafficInformEnable: true, externalTrafficInformURI: receiver.url };
    await must(admin.post('/panel/setting/update', { pollSeconds: 1, ...reporting }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    token = await must(admin.get<string>('/panel/setting/getApiToken'));
  });
  afterAll(async () => {
    await Promise.all([panel?.cleanUp(), targets?.stop()]);
    receiver?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const example = (...args: string[]) =>
    startChild(process.execPath, [EXAMPLE, '--file', file, ...args], {
      env: { ...process.env, PORTOLAN_URL: panel.url, PORTOLAN_TOKEN: token },
    });
  const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Kept;
  const bytesOf = (email: string) => Object.values(kept().clients).find((client) => client.email === email)?.down ?? 0;
  const inLog = () =>
    recorded(panel.dataDir, 'TrafficRecorded').reduce(
      (sum, { data }) => sum + data.clients.reduce((all, [, , down]) => all + down, 0),
      0,
    );

  it('counts every byte once, even if it is killed and the panel restarts', async () => {
    const first = example('--once');
    expect(await first.exited).toEqual({ code: 0, signal: null });
    expect(kept()).toMatchObject({ clients: { 1: { up: 0, down: 0, email: alice.email } } });

    const following = example();
    const client = await startClientCore([await entryOf(panel, added, alice)]);
    try {
      const port = client.socksPort(0);
      await untilComplete('the inbound runs', () => download(port, `${targets.url}/small`));
      expectComplete(await download(port, `${targets.url}/bytes/${DOWN}`), { bytes: DOWN });
      await until('the program has heard of it', () => bytesOf(alice.email) >= DOWN);
    } finally {
      await client.stop();
    }
    await until('the receiver was told all of it', () => receiver.told.get(alice.email) === inLog());
    await until('the program has printed it', () => following.stdout().includes(`${alice.email}: `));
    following.kill('SIGKILL');
    await following.exited;
    expect(following.stdout()).not.toContain(alice.id);

    await panel.stop();
    panel = await startPanel({ dataDir: panel.dataDir, ports: panel.ports, env: OUTSIDE_IS_HERE });
    const last = example('--once');
    expect(await last.exited).toEqual({ code: 0, signal: null });
    expect(bytesOf(alice.email)).toBe(inLog());
    expect(await example('--once').exited).toEqual({ code: 0, signal: null });
    expect(bytesOf(alice.email)).toBe(inLog());
  });

  it('gets an error when it is not authorized', async () => {
    const unauthorized = startChild(process.execPath, [EXAMPLE, '--file', file, '--once'], {
      env: { ...process.env, PORTOLAN_URL: panel.url, PORTOLAN_TOKEN: 'wrong' },
    });
    expect((await unauthorized.exited).code).toBe(1);
    expect(unauthorized.stderr()).toContain('HTTP 404: is the address right, and the token?');
  });
});
