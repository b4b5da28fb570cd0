import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { newTokenSecret } from '../../../../src/lib/secrets/token-secret.js';
import { defaultOutboundTestUrl } from '../../../../src/projections/core/template.js';
import type { ReadModels } from '../../../../src/projections/read-models.js';
import { clientNumber, draft, one, two, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';
import { API, TOKEN_HEADERS as headers, INBOUND, NODE, wireOf } from '../../kit/samples.js';

/** What an admin sees of the state. Numbers, times and key versions are of the log, and differ after an undo. */
function shown(read: ReadModels): unknown {
  const inbounds = read.inbounds.all().map((inbound) => {
    const { remark, tag, port, protocol, enabled, capBytes, config, sniffing, node, owner } = inbound;
    const owners = read.admins.access().owners;
    const clients = read.clients.ofInbound(inbound.id).map(({ spec, identity, credential, depletion, ...client }) => ({
      ...{ spec, identity, credential, depletion, owner: owners.get(client.number) ?? null },
      used: read.usage.client({ ...client, spec, identity, credential, depletion }),
    }));
    clients.sort((a, b) => a.identity.email.localeCompare(b.identity.email));
    const nodeName = node === null ? null : read.nodes.get(node)?.name;
    return { remark, tag, port, protocol, enabled, capBytes, config, sniffing, nodeName, owner, clients };
  });
  const { admins, tokens } = read.admins.access();
  const access = [...admins, ...tokens].map(([number, { role, inbounds: given }]) => ({
    ...{ number, role },
    inbounds: given.map((id) => read.inbounds.get(id)?.tag ?? `${id} is deleted`).sort(),
  }));
  const nodes = read.nodes.all().map(({ name, host, port, enabled, token }) => ({ name, host, port, enabled, token }));
  return {
    inbounds: inbounds.sort((a, b) => a.tag.localeCompare(b.tag)),
    access,
    nodes: nodes.sort((a, b) => a.name.localeCompare(b.name)),
    settings: read.settings.current(),
    template: read.desired.template(),
    outboundTestUrl: read.settings.template()?.outboundTestUrl ?? defaultOutboundTestUrl,
  };
}

async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const send = async (path: string, body: object = {}) => {
    panel.later(10);
    return panel.call('POST', API + path, { headers, body: JSON.stringify(body) });
  };
  await send('/inbounds/add', INBOUND);
  await send('/inbounds/add', { ...INBOUND, remark: 'away', port: 4434 });
  const access = { role: 'reseller', inbounds: [one, two], quotas: NO_QUOTAS };
  panel.given({ type: 'CreateUser', data: { username: 'maria', passwordHash: 'hash', access } });
  const { secret: _, ...stored } = newTokenSecret();
  const token = { name: 'program', role: 'reseller', inbounds: [one], admin: userId(2), expiresAt: 0, addresses: [] };
  panel.given({ type: 'CreateToken', data: { ...token, ...stored } });
  const clients = [draft('ann', 1), draft('bob', 2), draft('off', 3, { spec: { enabled: false } })];
  panel.given({ type: 'AddClients', data: { inbound: one, clients } });
  panel.given({ type: 'HandOverClients', data: { clients: [clientNumber(1), clientNumber(3)], owner: userId(2) } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 80, down: 5 } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'bob', up: 7, down: 3 } });
  await send('/nodes/add', NODE);
  const undo = async (position: number, body: object = {}) => send(`/events/${position}/undo`, body);
  return { panel, send, undo, head: () => panel.log.head().position, shown: () => shown(panel.read) };
}

/** Requests that can be taken back whole. */
const REVERSIBLE: readonly (readonly [path: string, body?: object])[] = [
  ['/inbounds/add', { ...INBOUND, remark: 'third', port: 4435 }],
  ['/inbounds/update/1', { remark: 'renamed', total: 77 }],
  ['/inbounds/update/2', { streamSettings: '{"network":"ws","security":"none"}' }],
  ['/inbounds/setEnable/1', { enable: false }],
  ['/inbounds/addClient', { id: 2, settings: JSON.stringify({ clients: [wireOf('new', 77), wireOf('newer', 78)] }) }],
  ['/inbounds/updateClientTraffic/ann', { upload: 10, download: 20 }],
  ['/inbounds/1/resetClientTraffic/ann'],
  ['/inbounds/resetAllClientTraffics/1'],
  ['/clients/change', { clients: [1, 2, 3], action: 'disable' }],
  ['/clients/change', { clients: [1, 2], action: 'reset' }],
  ['/clients/change', { clients: [1, 2], action: 'delete' }],
  ['/clients/change', { clients: [1, 2], action: 'move', to: 2 }],
  [
    '/clients/restore',
    {
      terms: [
        { client: 1, capBytes: 50 },
        { client: 3, enabled: true },
      ],
    },
  ],
  ['/inbounds/1/delClientByEmail/bob'],
  ['/inbounds/del/1'],
  ['/admins/handOver', { clients: [1, 2], owner: 0 }],
  ['/admins/handOver', { from: 2, owner: 1 }],
  ['/nodes/add', { ...NODE, name: 'second', address: '192.0.2.8' }],
  ['/nodes/update/1', { ...NODE, name: 'farther', apiToken: '' }],
  ['/nodes/setEnable/1', { enable: false }],
  ['/nodes/del/1'],
  ['/setting/update', { pageSize: 17, remarkModel: '-ieo', datepicker: 'jalalian' }],
  ['/xray/update', { outboundTestUrl: 'http://192.0.2.1/a' }],
  ['/xray/update', { xraySetting: JSON.stringify({ outbounds: [{ tag: 'direct', protocol: 'freedom' }] }) }],
];

const GEO = {
  ...({ type: 'geosite', alias: 'own', url: 'https://192.0.2.1/own.dat' } as const),
  content: { sha256: 'a'.repeat(64), bytes: 3, lastModified: '', tags: [] },
};

/** Numbers of clients that are enough for one event about all of them. */
const MANY = Array.from({ length: 10 }, (_, i) => 4 + i);

describe('an undo', () => {
  it.each(REVERSIBLE.map(([path, body = {}]) => [path, body] as const))(
    'takes back %s %j whole; its own undo does it again',
    async (path, body) => {
      const { panel, send, undo, head, shown } = await start();
      const before = shown();
      const done = await send(path, body);
      expect(done.json?.success, done.text).toBe(true);
      const [position, after] = [head(), shown()];
      expect(after).not.toStrictEqual(before);

      const back = await undo(position);
      expect(back.json, back.text).toMatchObject({ success: true, obj: { obstacles: [] } });
      expect(shown()).toStrictEqual(before);
      const [first] = panel.appended();
      const cause = panel.log.at((back.json?.obj as { from: number } | undefined)?.from ?? 0);
      expect(first?.meta.causationId).toBe(cause?.id);
      expect(back.headers.get('x-portolan-position')).toBe(String(head()));
      expect(first).toMatchObject({ type: 'CommandUndone', data: { to: position } });
      expect((await undo(position)).json, 'twice').toMatchObject({ success: false, code: 'ALREADY_UNDONE' });
      expect([shown(), panel.appended()]).toStrictEqual([before, []]);

      const again = await undo(head());
      expect(again.json, again.text).toMatchObject({ success: true, obj: { obstacles: [] } });
      expect(shown()).toStrictEqual(after);
      // What did the command again is taken back, whichever of its positions is named.
      for (const named of [position, head(), position]) {
        expect((await undo(named)).json, 'once more').toMatchObject({ success: true, obj: { obstacles: [] } });
        expect(shown()).toStrictEqual(before);
        expect((await undo(named)).json).toMatchObject({ success: false, code: 'ALREADY_UNDONE' });
        await undo(head());
        expect(shown()).toStrictEqual(after);
      }
    },
  );

  it('is carried out once, however many requests ask for it at once', async () => {
    const { panel, send, undo, head } = await start();
    const used = () => {
      const ann = panel.read.clients.firstByEmail('ann') ?? expect.fail();
      return panel.read.usage.client(ann);
    };
    await send('/inbounds/1/resetClientTraffic/ann');
    const position = head();
    panel.appended();
    const answers = await Promise.all(Array.from({ length: 6 }, async () => undo(position)));
    expect(answers.filter(({ json }) => json?.success)).toHaveLength(1);
    const refused = answers.find(({ json }) => !json?.success) ?? expect.fail();
    expect(refused.json).toMatchObject({
      code: 'ALREADY_UNDONE',
      msg: expect.stringContaining(`Position ${position} is already undone, at position ${position + 1}`),
    });
    expect(used()).toStrictEqual({ up: 80, down: 5 });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['CommandUndone', 'ClientTrafficAdjusted']);
    const dry = await undo(position, { dryRun: true });
    expect(dry.json).toMatchObject({ success: false, code: 'ALREADY_UNDONE' });
  });

  it('gives counters only to the clients that it really adds again', async () => {
    const { panel, send, undo, head } = await start();
    await send('/clients/change', { clients: [1, 2], action: 'delete' });
    const position = head();
    await send('/inbounds/addClient', { id: 2, settings: JSON.stringify({ clients: [wireOf('ann', 55)] }) });
    expect((await undo(position)).json).toMatchObject({ code: 'undo.donePartly' });
    const used = (email: string) => {
      const client = panel.read.clients.firstByEmail(email) ?? expect.fail();
      return panel.read.usage.client(client);
    };
    expect([used('ann'), used('bob')]).toStrictEqual([
      { up: 0, down: 0 },
      { up: 7, down: 3 },
    ]);
  });

  it('of a reset says that the client was deleted since', async () => {
    const { send, undo, head } = await start();
    await send('/inbounds/1/resetClientTraffic/ann');
    const position = head();
    await send('/inbounds/1/delClientByEmail/ann');
    expect((await undo(position)).json).toMatchObject({
      ...{ success: false, code: 'UNDO_IMPOSSIBLE' },
      msg: expect.stringContaining('deleted since'),
    });
  });

  it.each([
    ['ClientsUpdated', '/clients/change', { clients: MANY, action: 'disable' }],
    ['ClientsTrafficReset', '/clients/change', { clients: MANY, action: 'reset' }],
    ['ClientsTrafficReset', '/inbounds/resetAllClientTraffics/1', {}],
    ['ClientsDeleted', '/clients/change', { clients: MANY, action: 'delete' }],
    ['ClientsDeleted', '/inbounds/del/1', {}],
  ])('takes back %s, an event about many clients: %s %j', async (type, path, body) => {
    const { panel, send, undo, head, shown } = await start();
    const clients = MANY.map((n) => draft(`many-${n}`, n, { spec: { capBytes: n % 2 === 0 ? 50 : 0 } }));
    panel.given({ type: 'AddClients', data: { inbound: one, clients } });
    const owned = MANY.filter((n) => n % 3 > 0).map(clientNumber);
    panel.given({ type: 'HandOverClients', data: { clients: owned, owner: userId(2) } });
    for (const n of MANY) panel.given({ type: 'AdjustClientTraffic', data: { email: `many-${n}`, up: 60, down: n } });
    const [before, last] = [shown(), head()];
    await send(path, body);
    const [position, after] = [head(), shown()];
    expect(after).not.toStrictEqual(before);
    expect(panel.log.read(last, 100).map((event) => event.type)).toContain(type);

    const back = await undo(position);
    expect(back.json, back.text).toMatchObject({ success: true, obj: { obstacles: [] } });
    expect(shown()).toStrictEqual(before);
    expect((await undo(head())).json).toMatchObject({ success: true, obj: { obstacles: [] } });
    expect(shown()).toStrictEqual(after);
  });

  it('of any command after any others restores the state', async () => {
    const { panel, send, undo, head, shown } = await start();
    const request = fc.tuple(fc.constantFrom(...REVERSIBLE), fc.boolean());
    await fc.assert(
      fc.asyncProperty(request, async ([[path, body], keep]) => {
        const [before, position] = [shown(), head()];
        await send(path, body);
        if (head() === position) return;
        const after = shown();
        const done = head();
        const back = await undo(done);
        expect((back.json?.obj as { obstacles?: unknown } | undefined)?.obstacles, back.text).toStrictEqual([]);
        expect(shown()).toStrictEqual(before);
        // Such as a reset of counters that were 0.
        if ((back.json as { code?: string } | undefined)?.code === 'undo.nothingLeft') return;
        expect((await undo(done)).json).toMatchObject({ code: 'ALREADY_UNDONE' });
        await undo(head());
        expect(shown()).toStrictEqual(after);
        // The next request finds another state, but not only empty ones.
        if (keep) return;
        await undo(done);
        expect(shown()).toStrictEqual(before);
      }),
      { numRuns: 60, endOnFailure: true },
    );
    expect(panel.complaints).toStrictEqual([]);
  }, 60_000);

  it('gives a client back to the reseller who added it, whichever way the client was deleted', async () => {
    const { panel, send, undo, head } = await start();
    const { secret, ...stored } = newTokenSecret();
    const token = { name: 'shop', role: 'reseller', inbounds: [one], admin: userId(2), expiresAt: 0, addresses: [] };
    panel.given({ type: 'CreateToken', data: { ...token, ...stored } });
    const body = JSON.stringify({ id: 1, settings: JSON.stringify({ clients: [wireOf('eve', 9)] }) });
    const asShop = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
    await panel.call('POST', `${API}/inbounds/addClient`, { headers: asShop, body });
    panel.appended();
    for (const path of ['/inbounds/1/delClientByEmail/eve', '/inbounds/del/1']) {
      await send(path.replace('/1', `/${panel.read.clients.firstByEmail('eve')?.inbound}`));
      await undo(head());
      const eve = panel.read.clients.firstByEmail('eve')?.number ?? 0;
      expect(panel.read.admins.access().owners.get(eve)).toBe(2);
      const assigned = panel.appended().filter(({ type }) => type === 'OwnerAssigned');
      expect(assigned.flatMap(({ data }) => (data as { clients: number[] }).clients)).toContain(eve);
    }
  });

  it('of the deletion of an inbound gives it back to those who had it, and to no other', async () => {
    const { panel, send, undo, head } = await start();
    const given = (...inbounds: (typeof one)[]) => ({ role: 'reseller', inbounds, quotas: NO_QUOTAS });
    panel.given({ type: 'CreateUser', data: { username: 'otto', passwordHash: 'hash', access: given(two) } });
    panel.given({ type: 'CreateUser', data: { username: 'uma', passwordHash: 'hash', access: given(one, two) } });
    await send('/inbounds/del/1');
    const deletion = head();
    const { admins, tokens } = panel.read.admins.access();
    expect([2, 3, 4].map((user) => admins.get(user)?.inbounds)).toStrictEqual([[2], [2], [2]]);
    expect(tokens.get(1)?.inbounds).toStrictEqual([]);
    // Her access is set without the deleted inbound, and this is possible.
    const quotas = { clients: 50, totalBytes: 0, clientBytes: 0, days: 0 };
    expect((await send('/admins/access/2', { role: 'reseller', inbounds: [2], quotas })).json?.success).toBe(true);
    await send('/admins/access/4', { role: 'support', inbounds: [], quotas: NO_QUOTAS });
    const { json } = await undo(deletion);
    expect(json?.obj).toMatchObject({
      obstacles: [{ document: 'user-4', field: 'inbounds', whyCode: 'undo.changedSince' }],
    });
    const again = panel.read.inbounds.all().find(({ remark }) => remark === 'home')?.id ?? 0;
    expect(admins.get(2)).toStrictEqual({ role: 'reseller', inbounds: [2, again], quotas });
    expect([admins.get(3)?.inbounds, admins.get(4)?.inbounds]).toStrictEqual([[2], []]);
    expect(tokens.get(1)?.inbounds).toStrictEqual([again]);
    const ann = panel.read.clients.firstByEmail('ann') ?? expect.fail();
    expect(panel.read.admins.access().owners.get(ann.number)).toBe(2);
    expect(panel.read.admins.accessOf(2).covers('clients:read', ann.inbound, 2)).toBe(true);
  });

  it('does not change an owner who was chosen since, and leaves the clients of a deleted admin without one', async () => {
    const { panel, send, undo, head } = await start();
    await send('/admins/handOver', { clients: [1], owner: 1 });
    const position = head();
    await send('/admins/handOver', { clients: [1], owner: 0 });
    expect((await undo(position)).json).toMatchObject({
      ...{ success: false, code: 'UNDO_IMPOSSIBLE' },
      msg: expect.stringContaining('changed again since'),
    });
    await send('/inbounds/1/delClientByEmail/off');
    const deletion = head();
    await send('/admins/del/2');
    const { json } = await undo(deletion);
    expect(json?.obj).toMatchObject({ obstacles: [{ name: 'off', field: 'owner', whyCode: 'undo.ownerGone' }] });
    const off = panel.read.clients.firstByEmail('off')?.number ?? expect.fail();
    expect(panel.read.admins.access().owners.has(off)).toBe(false);
  });

  it('shows in a dry run what it would do, and appends nothing', async () => {
    const { panel, send, undo, head } = await start();
    await send('/inbounds/del/1');
    const position = head();
    for (const dry of [await undo(position, { dryRun: true }), await send(`/events/${position}/undo?dryRun=true`)]) {
      expect(panel.appended()).toStrictEqual([]);
      const obj = dry.json?.obj as { effects: { reconnected: { clients: { email: string }[] } } };
      expect(obj, dry.text).toMatchObject({ dryRun: true, report: { to: position, obstacles: [] } });
      expect(obj.effects.reconnected.clients.map(({ email }) => email)).toStrictEqual(['ann', 'bob']);
    }
  });

  it('can be named by any event of the command', async () => {
    const { send, undo, head } = await start();
    const position = head();
    await send('/clients/change', { clients: [1, 2], action: 'disable' });
    const { json } = await undo(position + 1, { dryRun: true });
    expect((json?.obj as { report: object } | undefined)?.report).toMatchObject({
      from: position + 1,
      to: position + 2,
    });
  });

  it('keeps what was changed since, and says so', async () => {
    const { panel, send, undo, head } = await start();
    await send('/inbounds/update/1', { remark: 'renamed', total: 77 });
    const position = head();
    await send('/inbounds/update/1', { remark: 'again' });
    const { json } = await undo(position);
    expect(json).toMatchObject({
      success: true,
      code: 'undo.donePartly',
      obj: { obstacles: [{ document: 'inbound-1', field: 'remark', whyCode: 'undo.changedSince' }] },
    });
    expect(panel.read.inbounds.get(1)).toMatchObject({ remark: 'again', capBytes: 0 });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['CommandUndone', 'InboundUpdated']);
  });

  it('of the deletion of an inbound restores its own counters', async () => {
    const { panel, send, undo, head } = await start();
    panel.given({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1', reason: 'start' } });
    const uses = () =>
      panel.given({
        type: 'RecordTraffic',
        data: { run: 'r1', clients: [], inbounds: [[1, 100, 200]], outbounds: [] },
      });
    uses();
    await send('/inbounds/1/resetTraffic');
    uses();
    const before = panel.read.inbounds.get(1) ?? expect.fail();
    const counters = (inbound: typeof before) => ({
      used: panel.read.usage.inbound(inbound),
      allTime: panel.read.usage.inboundAllTime(inbound),
      resetAt: inbound.resetAt,
    });
    const known = counters(before);
    expect(known).toMatchObject({ used: { up: 100, down: 200 }, allTime: 600 });
    await send('/inbounds/del/1');
    expect((await undo(head())).json).toMatchObject({ success: true, obj: { obstacles: [] } });
    const restored = panel.read.inbounds.all().find(({ remark }) => remark === 'home') ?? expect.fail();
    expect(restored.id).not.toBe(1);
    expect(counters(restored)).toStrictEqual(known);
    expect(panel.appended().map(({ type }) => type)).toContain('InboundHistoryImported');
  });

  it('counts the traffic since a reset on top', async () => {
    const { panel, send, undo, head } = await start();
    await send('/inbounds/1/resetClientTraffic/ann');
    const position = head();
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 1, down: 2 } });
    await undo(position);
    const ann = panel.read.clients.firstByEmail('ann');
    expect(ann && panel.read.usage.client(ann)).toStrictEqual({ up: 81, down: 7 });
  });

  it('is refused by a rule for one client, and done for the others', async () => {
    const { panel, send, undo, head } = await start();
    await send('/clients/change', { clients: [1, 2], action: 'delete' });
    const position = head();
    await send('/inbounds/addClient', { id: 2, settings: JSON.stringify({ clients: [wireOf('ann', 55)] }) });
    const { json } = await undo(position);
    expect(json?.obj).toMatchObject({ obstacles: [{ document: 'client-1', name: 'ann', whyCode: 'undo.refused' }] });
    expect(panel.read.clients.firstByEmail('bob')?.identity.email).toBe('bob');
  });

  it('says why something cannot be taken back', async () => {
    const { panel, send, undo, head } = await start();
    panel.given({ type: 'ChangeSettings', data: { changes: { ldapPassword: 'former' } } });
    panel.later(10);
    panel.given({ type: 'ChangeSettings', data: { changes: { ldapPassword: 'next' } } });
    const destroyed = await undo(head());
    expect(destroyed.json).toMatchObject({ success: false, code: 'UNDO_IMPOSSIBLE' });
    expect(destroyed.json?.msg).toContain('data key was destroyed');
    panel.given({ type: 'RecordTraffic', data: { run: 'r', clients: [], inbounds: [[1, 5, 6]], outbounds: [] } });
    expect((await undo(head())).json?.msg).toContain('traffic');
    panel.given({ type: 'CreateUser', data: { username: 'second', passwordHash: 'hash' } });
    expect((await undo(head())).json?.msg).toContain('accounts');
    await send('/inbounds/setEnable/1', { enable: false });
    const position = head();
    await undo(position);
    await send('/inbounds/setEnable/1', { enable: true });
    const off = await send('/inbounds/setEnable/1', { enable: false });
    expect(off.json?.success).toBe(true);
    const again = head();
    await send('/inbounds/setEnable/1', { enable: true });
    panel.appended();
    const nothing = await undo(again);
    expect(nothing.json).toMatchObject({ success: true, code: 'undo.nothingLeft' });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('of erased data is impossible', async () => {
    const { panel, send, undo, head } = await start();
    await send('/inbounds/1/delClientByEmail/bob');
    const position = head();
    panel.later(31 * 86_400_000);
    panel.given({ type: 'EraseDeleted', data: {} });
    const { json } = await undo(position);
    expect(json).toMatchObject({ success: false, code: 'UNDO_IMPOSSIBLE' });
  });

  it('of an unknown position is refused with 400', async () => {
    const { undo, head } = await start();
    const { status, json } = await undo(head() + 1);
    expect([status, json?.msg]).toStrictEqual([
      400,
      `Position ${head() + 1} is not in the log, which has the positions 1 to ${head()}`,
    ]);
    expect((await undo(0)).json?.success).toBe(false);
  });

  it('needs the permission for what it changes back, beside its own', async () => {
    const panel = await startPanel();
    const owner = await panel.browser().login();
    const grant = (permission: string) => ({ permission, scope: 'all' });
    const grants = ['account:read', 'audit:read', 'audit:undo', 'clients:read', 'clients:update'].map(grant);
    await owner.post('/panel/api/roles/save', { name: 'desk', grants });
    await owner.post('/panel/api/admins/add', { username: 'desk', password: 'a long pass phrase', role: 'desk' });
    const desk = await panel.browser().login({ username: 'desk', password: 'a long pass phrase' });
    await owner.post('/panel/setting/update', { pageSize: 17 });
    const { position } = panel.log.head();
    const refused = await desk.post(`/panel/api/events/${position}/undo`);
    expect([refused.status, refused.json]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    expect(panel.appended()).toMatchObject([{ type: 'CommandRefused', data: { permission: 'settings:update' } }]);
    expect(panel.read.settings.current().pageSize).toBe(17);
    const withSettings = { name: 'desk', grants: [...grants, grant('settings:read'), grant('settings:update')] };
    await owner.post('/panel/api/roles/save', withSettings);
    expect((await desk.post(`/panel/api/events/${position}/undo`)).json).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([
      { type: 'CommandUndone', data: { from: position, to: position } },
      { type: 'SettingsChanged', meta: { actor: { name: 'desk' } } },
    ]);
  });

  const withRole = async (permissions: readonly string[]) => {
    const panel = await startPanel();
    const owner = await panel.browser().login();
    const grants = ['account:read', 'audit:read', 'audit:undo', ...permissions].map((permission) => ({
      ...{ permission, scope: 'all' },
    }));
    await owner.post('/panel/api/roles/save', { name: 'night', grants });
    await owner.post('/panel/api/admins/add', { username: 'nina', password: 'a long pass phrase', role: 'night' });
    const nina = await panel.browser().login({ username: 'nina', password: 'a long pass phrase' });
    await owner.post('/panel/api/inbounds/add', INBOUND);
    panel.given({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1)] } });
    panel.later(10);
    return { panel, owner, nina };
  };

  const REFUSED: readonly (readonly [needed: string, granted: readonly string[], path: string, body?: object])[] = [
    ['inbounds:delete', ['inbounds:read', 'inbounds:update'], 'inbounds/add', { ...INBOUND, port: 4434 }],
    ['inbounds:create', ['inbounds:update', 'inbounds:delete', 'clients:read', 'clients:create'], 'inbounds/del/1'],
    ['clients:create', ['clients:read', 'clients:update'], 'inbounds/1/delClientByEmail/ann'],
    ['clients:update', ['clients:read', 'clients:extend'], 'clients/change', { clients: [1], action: 'disable' }],
    ['nodes:delete', ['nodes:read', 'nodes:update'], 'nodes/add', NODE],
    ['admins:update', ['clients:read', 'clients:update'], 'admins/handOver', { clients: [1], owner: 1 }],
    [
      'admins:delete',
      ['admins:read'],
      'roles/save',
      { name: 'x', grants: [{ permission: 'logs:read', scope: 'all' }] },
    ],
    ['geo:delete', ['geo:read', 'geo:update'], 'custom-geo/add'],
  ];
  it.each(REFUSED.map(([needed, granted, path, body = {}]) => ({ needed, granted, path, body })))(
    'needs $needed, although the role has $granted, to take back $path',
    async ({ needed, granted, path, body }) => {
      const { panel, owner, nina } = await withRole(granted);
      const before = panel.log.head().position;
      await owner.post(`/panel/api/${path}`, body);
      if (path === 'custom-geo/add') panel.given({ type: 'AddGeoSource', data: { ...GEO, used: false } });
      const { position } = panel.log.head();
      expect(position).toBeGreaterThan(before);
      for (const dryRun of [true, false]) {
        const { status, json } = await nina.post(`/panel/api/events/${position}/undo`, { dryRun });
        expect([status, json], needed).toMatchObject([403, { code: 'FORBIDDEN' }]);
        expect(json?.msg).toContain(needed);
      }
      // Recorded as every other refusal: once a minute for an actor and a kind.
      expect(panel.log.read(position, 10)).toMatchObject([
        { type: 'CommandRefused', data: { reason: 'permission', permission: needed, count: 1 } },
      ]);
    },
  );

  it('may be done by an operator who deleted what others had', async () => {
    const { panel, owner } = await withRole(['clients:read']);
    const access = { role: 'reseller', inbounds: [one], quotas: NO_QUOTAS };
    panel.given({ type: 'CreateUser', data: { username: 'maria', passwordHash: 'hash', access } });
    await owner.post('/panel/api/admins/handOver', { clients: [1], owner: 3 });
    await owner.post('/panel/api/admins/add', { username: 'olga', password: 'a long pass phrase', role: 'operator' });
    const olga = await panel.browser().login({ username: 'olga', password: 'a long pass phrase' });
    for (const path of ['inbounds/1/delClientByEmail/ann', 'inbounds/del/1']) {
      panel.later(10);
      expect((await olga.post(`/panel/api/${path}`)).json?.success).toBe(true);
      panel.later(10);
      const { json } = await olga.post(`/panel/api/events/${panel.log.head().position}/undo`);
      expect(json).toMatchObject({ success: true, obj: { obstacles: [] } });
      const { number, inbound } = panel.read.clients.firstByEmail('ann') ?? expect.fail();
      expect(panel.read.admins.access().owners.get(number)).toBe(3);
      expect(panel.read.admins.accessOf(3).inbounds).toStrictEqual(new Set([inbound]));
    }
    // What she may not change, she may not change back.
    panel.later(10);
    await owner.post('/panel/api/admins/access/3', { role: 'auditor', inbounds: [], quotas: NO_QUOTAS });
    const { position } = panel.log.head();
    panel.appended();
    const { status } = await olga.post(`/panel/api/events/${position}/undo`);
    expect([status, panel.appended()]).toMatchObject([
      403,
      [{ type: 'CommandRefused', data: { permission: 'admins:update' } }],
    ]);
  });
});
