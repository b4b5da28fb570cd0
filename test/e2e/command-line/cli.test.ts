import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { untilComplete } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import {
  Admin,
  type CliResult,
  cli,
  must,
  type PanelProcess,
  startPanel,
  storeTemplate,
} from '../../kit/real/panel-process.js';
import { download } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { addInbound, clientBody, entryOf, headOf, logOf, recorded, template, until, wireOf } from '../support.js';

const CAP = 200_000;
const SUITE = 'the command line, with a running panel and without';

interface Chapter {
  position: number;
  type: string;
  what: string;
  by: string;
  because: { position: number; type: string } | null;
}

function jsonLines<T = Record<string, unknown>>({ stdout }: CliResult): T[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient({ totalGB: CAP });
  const bob = makeClient();
  const renewed = makeClient();
  let targets: Targets;
  let panel: PanelProcess;
  let copy: string;
  let secrets: string[];

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    const admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { pollSeconds: 1 }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const added = await addInbound(admin, inboundCase(context, 'vless-reality-vision'), [alice, bob]);
    await depleteByTraffic(admin, added);
    await must(admin.post(`/panel/api/inbounds/${added.id}/resetClientTraffic/${alice.email}`));
    const rotated = clientBody(added.id, wireOf(added.one, bob, { id: renewed.id }));
    await must(admin.post(`/panel/api/inbounds/updateClient/${bob.id}`, rotated));
    await must(admin.post(`/panel/api/inbounds/${added.id}/delClientByEmail/${bob.email}`));
    const token = await must(admin.get<string>('/panel/setting/getApiToken'));
    secrets = [alice.id, alice.email, alice.subId, bob.id, bob.email, renewed.id, token, panel.password];
    secrets.push(context.realityKeys.privateKey, context.shortId);
    copy = mkdtempSync(join(tmpdir(), 'portolan-e2e-copy-'));
  });

  afterAll(async () => {
    await Promise.all([panel?.cleanUp(), targets?.stop()]);
    rmSync(copy, { recursive: true, force: true });
  });

  async function depleteByTraffic(admin: Admin, added: Awaited<ReturnType<typeof addInbound>>): Promise<void> {
    const client = await startClientCore([await entryOf(panel, added, alice)]);
    try {
      const port = client.socksPort(0);
      await untilComplete('the inbound runs', () => download(port, `${targets.url}/small`));
      await download(port, `${targets.url}/bytes/${CAP}`);
      await until('alice is depleted', () => recorded(panel.dataDir, 'ClientDepleted').length > 0);
    } finally {
      await client.stop();
    }
    await must(admin.get(`/panel/api/inbounds/getClientTraffics/${alice.email}`));
  }

  const run = (args: string[], dataDir = panel.dataDir) => cli(args, dataDir);
  const ok = async (args: string[], dataDir?: string) => {
    const result = await run(args, dataDir);
    expect([args, result.code, result.stderr]).toEqual([args, 0, '']);
    return result;
  };

  /** All reads, with a running and with a stopped panel. */
  async function looksAround(): Promise<void> {
    const [why, spoken, statement, tail, shown, exported, verified, replayed] = await Promise.all([
      ok(['events', 'why', alice.email, '--json']),
      ok(['events', 'why', alice.email.toUpperCase()]),
      ok(['events', 'statement', alice.email, '--json']),
      ok(['events', 'tail', '-n', '5', '--json']),
      ok(['events', 'show', '1', '--json']),
      ok(['events', 'export']),
      ok(['events', 'verify', '--json']),
      ok(['events', 'replay', '--json']),
    ]);
    const [told] = jsonLines<{ status: string; mayConnect: boolean; story: Chapter[] }>(why);
    expect(told).toMatchObject({ email: alice.email, mayConnect: told?.status === 'active' });
    tellsWhy(told?.story ?? [], spoken.stdout);
    const [account] = jsonLines<Record<'used' | 'changed' | 'closing', { up: number; down: number }>>(statement);
    expect(account?.used.down).toBeGreaterThan(CAP / 2);
    expect((account?.used.down ?? 0) + (account?.changed.down ?? 0)).toBe(account?.closing.down);
    const head = headOf(panel.dataDir);
    const last = jsonLines<{ position: number }>(tail).map(({ position }) => position);
    expect(last).toHaveLength(5);
    expect(head - (last.at(-1) ?? 0)).toBeLessThan(50);
    expect(jsonLines(shown)).toMatchObject([{ position: 1, type: expect.any(String) as string }]);
    hidesSecrets([why.stdout.replaceAll(alice.email, ''), tail.stdout], [alice.id, renewed.id, panel.password]);
    hidesSecrets([exported.stdout], secrets);
    const rows = jsonLines<{ position: number; type: string }>(exported);
    expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.some(({ type }) => type === 'DataKeyDestroyed')).toBe(true);
    expect(jsonLines(verified)).toMatchObject([{ fault: null, events: expect.any(Number) as number }]);
    const [{ digests = {} } = {}] = jsonLines<{ digests?: Record<string, string> }>(replayed);
    expect(Object.keys(digests)).toEqual(expect.arrayContaining(['inbounds', 'clients', 'traffic', 'users', 'state']));
    for (const digest of Object.values(digests)) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  }

  /** The events in order, each with its actor and cause. */
  function tellsWhy(story: Chapter[], spoken: string): void {
    const positions = story.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    const told = story.filter(({ type }) => type !== 'ClientIpsSeen');
    expect(told.map(({ type }) => type)).toEqual([
      'ClientAdded',
      'ClientDepleted',
      'ClientTrafficReset',
      'ClientReactivated',
    ]);
    const [added, depleted, reset, restored] = told;
    expect(added?.by).toBe(`user ${panel.username} from 127.0.0.1`);
    expect(depleted).toMatchObject({ by: 'the panel (traffic)', because: { type: 'TrafficRecorded' } });
    expect(depleted?.what).toMatch(/^was cut off: it used 20\d,\d{3} bytes of 200,000 bytes$/);
    expect(restored?.because).toEqual({ position: reset?.position, type: 'ClientTrafficReset' });
    expect(spoken).toMatch(/was cut off: it used .* because of #\d+ TrafficRecorded/);
  }

  function hidesSecrets(texts: string[], words: string[]): void {
    for (const text of texts) expect(words.filter((word) => text.includes(word))).toEqual([]);
  }

  it('prints the status, the log and the exports, verifies and replays while the panel runs', looksAround);

  it('replays to a position and to a time', async () => {
    const adding = recorded(panel.dataDir, 'InboundAdded')[0];
    const [at, time] = [adding?.position ?? 0, adding?.meta.at ?? 0];
    const digestsAt = async (place: string) =>
      jsonLines<{ position: number; digests: Record<string, string> }>(
        await ok(['events', 'replay', '--at', place, '--json']),
      )[0];
    const [before, after, byTime, nothing] = await Promise.all([
      digestsAt(String(at - 1)),
      digestsAt(String(at)),
      digestsAt(new Date(time).toISOString()),
      digestsAt('0'),
    ]);
    expect(before?.digests['inbounds']).toBe(nothing?.digests['inbounds']);
    expect(after?.digests['inbounds']).not.toBe(before?.digests['inbounds']);
    // All events of one command have one time.
    const sameTime = logOf(panel.dataDir).findLast(({ meta }) => meta.at === time)?.position;
    expect(byTime?.position).toBe(sameTime);
    expect(byTime?.digests['inbounds']).toBe(after?.digests['inbounds']);
  });

  it('has different exit codes for success, failure and wrong usage', async () => {
    const calls: [number, string[]][] = [
      [1, ['events', 'why', 'nobody@nowhere']],
      [2, ['events', 'show', '999999']],
      [2, ['events', 'replay', '--at', 'yesterday-ish']],
      [2, ['events', 'dance']],
      [2, ['--no-such-flag']],
    ];
    const codes = await Promise.all(calls.map(async ([, args]) => [(await run(args)).code, args]));
    expect(codes).toEqual(calls);
  });

  it('lists admins and configuration while the panel runs', async () => {
    expect(jsonLines(await ok(['admin', 'list', '--json']))).toEqual([
      { id: 1, username: panel.username, role: 'owner' },
    ]);
    const shown = await cli(['config', 'show', '--json', '--port', '4321'], panel.dataDir, {
      env: { PORTOLAN_ADMIN_PASSWORD: 'not-to-be-shown', PORTOLAN_SUB_PORT: '1234' },
    });
    expect(shown.code).toBe(0);
    expect(shown.stdout).not.toContain('not-to-be-shown');
    const rows = jsonLines<{ name: string; value: string; source: string }>(shown);
    const row = (name: string) => rows.find((one) => one.name === `PORTOLAN_${name}`);
    expect(row('PORT')).toMatchObject({ value: '4321', source: 'flag' });
    expect(row('SUB_PORT')).toMatchObject({ value: '1234', source: 'environment' });
    expect(row('OPS_PORT')).toMatchObject({ value: '2054', source: 'default' });
    expect(row('DATA_DIR')).toMatchObject({ value: panel.dataDir, source: 'environment' });
    await ok(['doctor']);
  });

  it('does the same without a panel, and sets the password of an admin', async () => {
    await panel.stop();
    await looksAround();
    await ok(['doctor']);
    const [made] = jsonLines<{ username: string; password: string }>(
      await ok(['admin', 'reset-password', panel.username, '--json']),
    );
    const again = await startPanel({ dataDir: panel.dataDir });
    try {
      const login = (password: string) => new Admin(again.url, { username: panel.username, password }).login();
      expect(await login(made?.password ?? '')).toMatchObject({ success: true });
      expect(await login(panel.password)).toMatchObject({ success: false });
    } finally {
      await again.stop();
    }
  });

  it('reports the first invalid position of a log in which one byte was changed', async () => {
    cpSync(panel.dataDir, copy, { recursive: true });
    const position = recorded(copy, 'InboundAdded')[0]?.position ?? 0;
    const db = new Database(join(copy, 'events.db'));
    for (const { name } of db.prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger'`).all() as {
      name: string;
    }[]) {
      db.exec(`DROP TRIGGER ${name}`);
    }
    const { payload } = db.prepare('SELECT payload FROM events WHERE position = ?').get(position) as {
      payload: Buffer;
    };
    payload[payload.length - 5] = (payload[payload.length - 5] ?? 0) ^ 1;
    db.prepare('UPDATE events SET payload = ? WHERE position = ?').run(payload, position);
    db.close();
    const verified = await run(['events', 'verify', '--json'], copy);
    expect(verified.code).toBe(1);
    expect(verified.stderr).toContain(`first bad position: ${position}: the payload does not match its hash`);
    expect(await run(['doctor'], copy)).toMatchObject({ code: 1 });
  });
});
