import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { TokenId, WebhookId } from '../../../../src/events/ids.js';
import type { ReadModels } from '../../../../src/projections/read-models.js';
import { draft, inboundDraft, one, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const sorted = <T>(all: Iterable<T>, shownOf: (one: T) => object): readonly string[] =>
  [...all].map((one) => JSON.stringify(shownOf(one))).sort();

/** What an admin sees of the state. Numbers and times are of the log, and differ after an undo. */
function shown(read: ReadModels): unknown {
  const { roles, tokens } = read.admins.access();
  return {
    roles: sorted(roles, (role) => role),
    admins: [...read.admins.users().users.values()].map(({ id, username }) => {
      const { role, inbounds, quotas } = read.admins.accessOf(id);
      return { username, role, inbounds: [...inbounds], quotas };
    }),
    tokens: [...tokens.values()].map(
      ({ name, prefix, role, inbounds, admin, expiresAt, addresses, hash, previous }) => {
        return { name, prefix, role, inbounds, admin, expiresAt, addresses, hash, previous };
      },
    ),
    webhooks: sorted(read.records.webhooks().byId.values(), ({ name, url, types, secret, paused }) => {
      return { name, url, types, secret, paused };
    }),
    holds: sorted(read.records.legalHolds().values(), ({ clients, from, to, reason }) => ({
      clients,
      from,
      to,
      reason,
    })),
    geoSources: sorted(read.records.geoSources().values(), ({ type, alias, url }) => ({ type, alias, url })),
    inbounds: read.inbounds.all().map((inbound) => ({
      ...{ remark: inbound.remark, used: read.usage.inbound(inbound), total: read.usage.inboundAllTime(inbound) },
      ...{ depleted: inbound.depletion?.reason, resetAt: inbound.resetAt === 0 ? 0 : 'reset' },
    })),
    outbounds: sorted(read.usage.outbounds(), (outbound) => outbound),
  };
}

const place = { type: 'geosite', alias: 'own', url: 'https://192.0.2.1/own.dat' } as const;
const content = { sha256: 'a'.repeat(64), bytes: 3, lastModified: '', tags: [] };
const hook = { name: 'billing', url: 'https://hooks.example/1', types: ['clients'] };
const token = { name: 'program', role: 'night', inbounds: [], admin: null, expiresAt: 0, addresses: [] };
const grants = [{ permission: 'clients:read', scope: 'all' }] as const;
const access = { role: 'night', inbounds: [one], quotas: NO_QUOTAS };

async function start() {
  const panel = await startPanel();
  const browser = await panel.browser().login();
  const run = (command: AnyCommand) => {
    panel.later(10);
    panel.given(command);
  };
  const undo = async (position: number) => {
    panel.later(10);
    const { json, text } = await browser.post(`/panel/api/events/${position}/undo`);
    const obj = json?.obj as { obstacles: { field: string; whyCode: string }[] } | null;
    return { json, text, obstacles: obj?.obstacles ?? [] };
  };
  run({ type: 'AddInbound', data: { ...inboundDraft({ spec: { capBytes: 250 } }), owner: userId(1) } });
  run({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1)] } });
  run({ type: 'DefineRole', data: { role: 'night', grants: [...grants] } });
  run({ type: 'DefineRole', data: { role: 'unused', grants: [...grants] } });
  run({ type: 'CreateUser', data: { username: 'second', passwordHash: 'hash', access } });
  run({ type: 'CreateToken', data: { ...token, prefix: 'pt_1', hash: 'a'.repeat(64) } });
  run({ type: 'AddWebhook', data: { ...hook, secret: 'whsec_1', after: null } });
  run({ type: 'PlaceLegalHold', data: { clients: [1], from: 0, to: 0, reason: 'a dispute' } });
  run({ type: 'AddGeoSource', data: { ...place, content, used: false } });
  run({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1', reason: 'start' } });
  const uses = (up: number) =>
    run({
      type: 'RecordTraffic',
      data: {
        run: 'r1',
        clients: [],
        inbounds: [[1, up, 200]],
        outbounds: [
          ['direct', up, 7],
          ['blocked', 1, 2],
        ],
      },
    });
  uses(100);
  return { panel, browser, run, undo, uses, head: () => panel.log.head().position, shown: () => shown(panel.read) };
}
type Started = Awaited<ReturnType<typeof start>>;

/** The newest of each kind: what an undo adds again has another number. */
const newest = ({ panel: { read } }: Started) => ({
  webhook: WebhookId.parse(Math.max(1, ...read.records.webhooks().byId.keys())),
  hold: Math.max(1, ...read.records.legalHolds().keys()),
  source: Math.max(1, ...read.records.geoSources().keys()),
});

/** Commands that can be taken back whole. */
const COMMANDS: Readonly<Record<string, (started: Started) => AnyCommand>> = {
  'a changed role': () => ({
    type: 'DefineRole',
    data: { role: 'night', grants: [...grants, { permission: 'clients:update', scope: 'own' }] },
  }),
  'a new role': () => ({ type: 'DefineRole', data: { role: 'day', grants: [...grants] } }),
  'a deleted role': () => ({ type: 'DeleteRole', data: { role: 'unused' } }),
  'another role of an admin': () => ({
    type: 'ChangeAdminAccess',
    data: { user: userId(2), role: 'support', inbounds: [], quotas: NO_QUOTAS },
  }),
  'other quotas of an admin': () => ({
    type: 'ChangeAdminAccess',
    data: { user: userId(2), ...access, quotas: { ...NO_QUOTAS, clients: 5 } },
  }),
  'an admin who becomes an owner': () => ({
    type: 'ChangeAdminAccess',
    data: { user: userId(2), role: 'owner', inbounds: [], quotas: NO_QUOTAS },
  }),
  'a changed token': () => ({
    type: 'ChangeToken',
    data: { ...token, token: TokenId.parse(1), name: 'other', addresses: ['192.0.2.0/24'] },
  }),
  'a changed webhook': (started) => ({
    type: 'UpdateWebhook',
    data: { webhook: newest(started).webhook, ...hook, name: 'invoices', url: 'https://hooks.example/2' },
  }),
  'a paused webhook': (started) => ({ type: 'PauseWebhook', data: { webhook: newest(started).webhook } }),
  'a deleted webhook': (started) => ({ type: 'DeleteWebhook', data: { webhook: newest(started).webhook } }),
  'a new webhook': () => ({ type: 'AddWebhook', data: { ...hook, name: 'more', secret: 'whsec_2', after: null } }),
  'a legal hold': () => ({ type: 'PlaceLegalHold', data: { clients: [], from: 1, to: 2, reason: 'an audit' } }),
  'a released hold': (started) => ({
    type: 'ReleaseLegalHold',
    data: { hold: newest(started).hold, reason: 'settled' },
  }),
  'a new geo source': () => ({
    type: 'AddGeoSource',
    data: { ...place, alias: 'more', url: 'https://192.0.2.1/more.dat', content, used: false },
  }),
  'a reset of an inbound': () => ({ type: 'ResetInboundTraffic', data: { inbound: one } }),
  'a reset of all inbounds': () => ({ type: 'ResetAllTraffic', data: {} }),
  'a reset of an outbound': () => ({ type: 'ResetOutboundTraffic', data: { tag: 'direct' } }),
  'a reset of all outbounds': () => ({ type: 'ResetOutboundTraffic', data: { tag: null } }),
};

/** Carries a command out, takes it back, and takes that back. Each time the state is as before. */
async function roundTrip(started: Started, command: AnyCommand): Promise<void> {
  const { run, head, shown } = started;
  const undo = async (of: number) => {
    const undone = await started.undo(of);
    // The file of a geo source that is added again.
    return { ...undone, obstacles: undone.obstacles.filter(({ whyCode }) => whyCode !== 'undo.geoFile') };
  };
  const [before, position] = [shown(), head()];
  run(command);
  if (head() === position) return;
  const after = shown();
  // A reset of counters that are zero is an event, and there is nothing to take back.
  if (isDeepStrictEqual(after, before)) return;
  const done = head();
  const back = await undo(done);
  expect([back.json?.success, back.obstacles], `${JSON.stringify(command)} ${back.text}`).toStrictEqual([true, []]);
  expect(shown()).toStrictEqual(before);
  expect((await undo(done)).json, 'twice').toMatchObject({ success: false, code: 'ALREADY_UNDONE' });
  const again = await undo(head());
  expect([again.json?.success, again.obstacles], `${JSON.stringify(command)} ${again.text}`).toStrictEqual([true, []]);
  expect(shown()).toStrictEqual(after);
  const once = await undo(done);
  expect([once.json?.success, once.obstacles], `${JSON.stringify(command)} ${once.text}`).toStrictEqual([true, []]);
  expect(shown()).toStrictEqual(before);
  await undo(head());
  expect(shown()).toStrictEqual(after);
}

describe('an undo', () => {
  it('takes back what concerns roles, admins, tokens, webhooks, holds, geo sources and totals, and does it again', async () => {
    for (const [name, make] of Object.entries(COMMANDS)) {
      const started = await start();
      const [before, position] = [started.shown(), started.head()];
      await roundTrip(started, make(started));
      expect(started.head(), name).toBeGreaterThan(position);
      expect(started.shown(), name).not.toStrictEqual(before);
    }
  }, 60_000);

  it('of any of these in any state restores it', async () => {
    const started = await start();
    const step = fc.tuple(fc.constantFrom(...Object.values(COMMANDS)), fc.integer({ min: 0, max: 9 }));
    await fc.assert(
      fc.asyncProperty(step, async ([make, up]) => {
        if (up > 4) started.uses(up);
        await roundTrip(started, make(started));
      }),
      { numRuns: 60, endOnFailure: true },
    );
    expect(started.panel.complaints).toStrictEqual([]);
  }, 60_000);

  it('of a reset keeps what was counted since, and so does the undo of that', async () => {
    const { panel, run, undo, uses, head } = await start();
    const used = () => panel.read.usage.inbound(panel.read.inbounds.get(1) ?? expect.fail());
    run({ type: 'ResetInboundTraffic', data: { inbound: one } });
    const position = head();
    uses(5);
    expect((await undo(position)).obstacles).toStrictEqual([]);
    expect(used()).toStrictEqual({ up: 105, down: 400 });
    const undone = head();
    uses(1);
    expect((await undo(undone)).obstacles).toStrictEqual([]);
    expect(used()).toStrictEqual({ up: 6, down: 400 });
  });

  it('of a reset depletes the inbound again', async () => {
    const { panel, run, undo, head } = await start();
    const depletion = () => panel.read.inbounds.get(1)?.depletion;
    expect(depletion()?.reason).toBe('cap');
    run({ type: 'ResetInboundTraffic', data: { inbound: one } });
    expect(depletion()).toBeNull();
    await undo(head());
    expect(depletion()?.reason).toBe('cap');
  });

  it('changes the place of a geo source back, and says that its file is downloaded later', async () => {
    const { panel, run, undo, head, shown } = await start();
    const before = shown();
    run({
      type: 'UpdateGeoSource',
      data: { ...place, source: 1, url: 'https://192.0.2.2/a.dat', content, used: false },
    });
    expect((await undo(head())).obstacles).toMatchObject([{ field: 'content', whyCode: 'undo.geoFile' }]);
    expect(shown()).toStrictEqual(before);
    run({ type: 'DeleteGeoSource', data: { source: 1 } });
    expect((await undo(head())).obstacles).toMatchObject([{ field: 'content', whyCode: 'undo.geoFile' }]);
    expect(shown()).toStrictEqual(before);
    expect(panel.read.records.geoSources().values().next().value?.content).toBeNull();
  });

  it.each<readonly [string, AnyCommand]>([
    [
      'the former secret of a token does not become valid again',
      { type: 'RevokeToken', data: { token: TokenId.parse(1) } },
    ],
    [
      'the former secret of a token does not become valid again',
      { type: 'RotateToken', data: { token: TokenId.parse(1), prefix: 'pt_2', hash: 'b'.repeat(64), overlapHours: 0 } },
    ],
    [
      'the former secret of a webhook is not used again',
      { type: 'RotateWebhookSecret', data: { webhook: WebhookId.parse(1), secret: 'whsec_3', overlapMs: 0 } },
    ],
    [
      'set the position of the webhook instead',
      { type: 'ReplayWebhook', data: { webhook: WebhookId.parse(1), after: 1 } },
    ],
    ['add the account again', { type: 'DeleteAdmin', data: { user: userId(2) } }],
    [
      'accounts, passwords and sessions',
      { type: 'CreateUser', data: { username: 'third', passwordHash: 'hash', access } },
    ],
  ])('says “%s” of what it cannot take back', async (why, command) => {
    const { panel, run, undo, head } = await start();
    run(command);
    const { json } = await undo(head());
    expect(json).toMatchObject({ success: false, code: 'UNDO_IMPOSSIBLE' });
    expect(json?.msg).toContain(why);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('of a deleted webhook whose secret was destroyed is impossible', async () => {
    const { panel, browser, run, undo, head } = await start();
    run({ type: 'DeleteWebhook', data: { webhook: WebhookId.parse(1) } });
    const position = head();
    panel.later(31 * 86_400_000);
    run({ type: 'EraseDeleted', data: {} });
    await browser.login();
    const { json } = await undo(position);
    expect(json).toMatchObject({ success: false, code: 'UNDO_IMPOSSIBLE' });
    expect(json?.msg).toContain('data key was destroyed');
  });

  it('of a changed token keeps what was changed since, and says so', async () => {
    const { run, undo, head } = await start();
    const change = (over: object) => run({ type: 'ChangeToken', data: { ...token, token: TokenId.parse(1), ...over } });
    change({ name: 'other', addresses: ['192.0.2.1'] });
    const position = head();
    change({ name: 'third', addresses: ['192.0.2.1'] });
    expect((await undo(position)).obstacles).toMatchObject([{ field: 'name', whyCode: 'undo.changedSince' }]);
  });
});
