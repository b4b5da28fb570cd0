import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, untilComplete } from '../../kit/real/expect-transfer.js';
import { type CaseContext, type InboundBody, inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import type { PanelProcess } from '../../kit/real/panel-process.js';
import { type Admin, type Envelope, must, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { download, type TransferOptions } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import {
  type Added,
  addInbound,
  clientBody,
  deedsOf,
  entryOf,
  headOf,
  recorded,
  template,
  wireOf,
} from '../support.js';

/** A request, and the expected message of the reply. */
type Refusal = [name: string, path: string, body: unknown, msg: RegExp];

const SUITE = 'the panel rejects';

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient({ email: 'Alice@example.org' });
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let context: CaseContext;
  let added: Added;
  let client: ClientCore;
  let otherProgram: Server;
  let taken: number;
  let empty: number;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    empty = headOf(panel.dataDir);
    context = makeContext({ ...targets, targetPort: targets.port });
    added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    client = await startClientCore([await entryOf(panel, added, alice)]);
    await untilComplete('the inbound runs', () => small({ totalMs: 3_000 }));
    taken = await freePort('tcp');
    otherProgram = createServer();
    await new Promise<void>((resolve) => otherProgram.listen(taken, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    otherProgram?.close();
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  const small = (options: TransferOptions = {}) => download(client.socksPort(0), `${targets.url}/small`, options);

  const inbound = (name: string, port: number, over: Partial<InboundBody> & { tag?: string } = {}): object =>
    Object.assign(inboundCase(context, name).body(port, [makeClient()]), over);
  const person = (over: Record<string, unknown> = {}): object => wireOf(added.one, makeClient(), over);

  /** Each request is rejected with a reason, and appends no event. */
  async function allRefused(refusals: Refusal[]): Promise<void> {
    const before = deedsOf(panel.dataDir).length;
    const answers = await Promise.all(
      refusals.map(async ([name, path, body, msg]) => {
        const init = {
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        };
        const response = await admin.raw('POST', path, init);
        const said = await response.text();
        const { success, msg: reason } = JSON.parse(said) as Envelope;
        const fine = [200, 400, 413].includes(response.status) && !success && msg.test(reason);
        return fine ? [] : [`${name}: HTTP ${response.status} ${said.slice(0, 300)}`];
      }),
    );
    expect(answers.flat()).toEqual([]);
    expect(deedsOf(panel.dataDir)).toHaveLength(before);
    expect((await fetch(`${panel.opsUrl}/readyz`)).status).toBe(200);
  }

  const ADD = '/panel/api/inbounds/add';
  const ADD_CLIENT = '/panel/api/inbounds/addClient';

  it('a port in use by an inbound, the panel or another program, and numbers that are not ports', async () => {
    const { panel: own, sub, ops } = panel.ports;
    await allRefused([
      ['an inbound', ADD, inbound('vless-ws', added.port), /Port already exists/],
      ['the same on all addresses', ADD, inbound('vless-ws', added.port, { listen: '' }), /Port already exists/],
      ['the panel', ADD, inbound('vless-ws', own), /Port already exists.*the panel/],
      ['subscriptions', ADD, inbound('vless-ws', sub), /Port already exists.*subscription/],
      ['health', ADD, inbound('vless-ws', ops), /Port already exists/],
      ['another program', ADD, inbound('vless-ws', taken), /Port already exists.*another program/],
      ['zero', ADD, inbound('vless-ws', 0), /[Pp]ort/],
      ['too high', ADD, inbound('vless-ws', 65_536), /port/],
      ['negative', ADD, inbound('vless-ws', -1), /port/],
      ['an update', `/panel/api/inbounds/update/${added.id}`, inbound('vless-tcp', own), /Port already exists/],
    ]);
  });

  it('names and credentials that are in use or invalid', async () => {
    const free = await freePort();
    const twin = makeClient().email;
    const of = (...clients: object[]) => clientBody(added.id, ...clients);
    await allRefused([
      ['the email', ADD_CLIENT, of(person({ email: alice.email })), /Duplicate email/],
      ['by case', ADD_CLIENT, of(person({ email: 'aLICE@EXAMPLE.ORG' })), /Duplicate email/],
      ['twice', ADD_CLIENT, of(person({ email: twin }), person({ email: twin.toUpperCase() })), /Duplicate email/],
      ['the id', ADD_CLIENT, of(person({ id: alice.id.toUpperCase() })), /already used/],
      ['one of three', ADD_CLIENT, of(person(), person({ email: alice.email }), person()), /Duplicate email/],
      ['an arrow', ADD_CLIENT, of(person({ email: 'a>>>b' })), /Email .* cannot be used/],
      ['no email', ADD_CLIENT, of(person({ email: '' })), /Email .* cannot be used/],
      ['no id', ADD_CLIENT, of(person({ id: 'x'.repeat(40) })), /UUID/],
      ['a tag', ADD, inbound('vless-ws', free, { tag: 'a>>>b' }), /cannot (be used|have the tag)/],
      ['a key', ADD, ss2022(free, { password: 'c2hvcnQ=' }, {}), /password must be 16 bytes/],
      ['a user key', ADD, ss2022(free, {}, { password: 'c2hvcnQ=' }), /16 bytes/],
      ['elsewhere', ADD, inbound('vless-ws', free, { settings: settingsOf(alice.email) }), /Duplicate email/],
    ]);
  });

  const settingsOf = (email: string): string => JSON.stringify({ clients: [person({ email })], decryption: 'none' });

  function ss2022(port: number, server: object, user: object): object {
    const body = inboundCase(context, 'ss-2022-128').body(port, [makeClient()]);
    const { clients, ...settings } = JSON.parse(body.settings) as { clients: object[] };
    const changed = clients.map((one) => ({ ...one, ...user }));
    return { ...body, settings: JSON.stringify({ ...settings, ...server, clients: changed }) };
  }

  it('an id or a name that does not exist', async () => {
    const at = (path: string) => `/panel/api/inbounds/${path}`;
    await allRefused([
      ['del', at('del/999'), {}, /Inbound 999 not found/],
      ['update', at('update/999'), inbound('vless-ws', 4444), /Inbound 999 not found/],
      ['setEnable', at('setEnable/999'), { enable: false }, /Inbound 999 not found/],
      ['resetTraffic', at('999/resetTraffic'), {}, /Inbound 999 not found/],
      ['addClient', ADD_CLIENT, clientBody(999, person()), /Inbound 999 not found/],
      ['no clients', ADD_CLIENT, clientBody(added.id), /contains no clients/],
      ['updateClient', at('updateClient/nobody'), clientBody(added.id, person()), /Client nobody not found/],
      ['delClient', at(`${added.id}/delClient/nobody`), {}, /Client nobody not found/],
      ['delClientByEmail', at(`${added.id}/delClientByEmail/nobody`), {}, /Client nobody not found/],
      ['resetClientTraffic', at(`${added.id}/resetClientTraffic/nobody`), {}, /Client nobody not found/],
      ['resetAllClientTraffics', at('resetAllClientTraffics/999'), {}, /Inbound 999 not found/],
      ['delDepletedClients', at('delDepletedClients/999'), {}, /Inbound 999 not found/],
      ['copyClients', at('999/copyClients'), { sourceInboundId: added.id }, /Inbound 999 not found/],
      ['from nowhere', at(`${added.id}/copyClients`), { sourceInboundId: 999 }, /Inbound 999 not found/],
      ['counters', at('updateClientTraffic/nobody'), { upload: 1, download: 1 }, /Client nobody not found/],
      ['a word', at('del/one'), {}, /whole number/],
    ]);
    for (const path of ['get/999', 'getClientTraffics/nobody', 'getClientTrafficsById/nobody', 'get/one']) {
      expect([path, (await admin.get(at(path))).success]).toEqual([path, false]);
    }
    expect(await must(admin.get(at('getSubLinks/nobody')))).toEqual([]);
    expect((await fetch(`${panel.subUrl}/sub/nobody`)).status).toBe(404);
  });

  it('values of a wrong type or range, invalid JSON, and bodies that are too large or nested too deeply', async () => {
    const free = await freePort();
    const deep = (levels: number) => '[{"a":'.repeat(levels) + '1' + '}]'.repeat(levels);
    const own = (over: Partial<Record<keyof InboundBody, unknown>>) => ({ ...inbound('vless-ws', free), ...over });
    const of = (over: Record<string, unknown>) => clientBody(added.id, person(over));
    await allRefused([
      ['a body', ADD, '{"port":', /not valid JSON/],
      ['settings', ADD, own({ settings: '{"clients":[' }), /settings: is not valid JSON/],
      ['stream', ADD, own({ streamSettings: 'ws' }), /streamSettings: is not valid JSON/],
      ['sniffing', ADD, own({ sniffing: '[]' }), /sniffing: must be a JSON object/],
      ['a list', ADD, own({ settings: '[1]' }), /settings: must be a JSON object/],
      ['clients', ADD, own({ settings: '{"clients":"all"}' }), /clients/],
      ['a client', ADD, own({ settings: '{"clients":[5]}' }), /clients/],
      ['a port', ADD, own({ port: 'eighty' }), /port: must be a whole number \(value: "eighty"\)/],
      ['a fraction', ADD, own({ port: 80.5 }), /port: must be a whole number/],
      ['a flag', ADD, own({ enable: 'maybe' }), /enable: must be true or false/],
      ['a protocol', ADD, own({ protocol: 'pigeon' }), /pigeon|protocol/i],
      ['an address', ADD, own({ listen: 'over there' }), /Listen address/],
      ['a total', ADD, own({ total: -1 }), /total: must not be negative/],
      ['a huge total', ADD, own({ total: 1e300 }), /total: must be 0 to 9007199254740991 \(value: 1e\+300\)/],
      ['a cap', ADD_CLIENT, of({ totalGB: -5 }), /totalGB: must not be negative/],
      ['an expiry', ADD_CLIENT, of({ expiryTime: 'soon' }), /expiryTime: must be a whole number/],
      ['a limit', ADD_CLIENT, of({ limitIp: 1.5 }), /limitIp: must be a whole number/],
      ['an email', ADD_CLIENT, of({ email: ['x'] }), /email: must be a string/],
      ['counters', `/panel/api/inbounds/updateClientTraffic/${alice.email}`, { upload: -1 }, /must not be negative/],
      ['a setting', '/panel/setting/update', { pollSeconds: 0 }, /pollSeconds/],
      ['a good one and a bad one', '/panel/setting/update', { subTitle: 'x', subPort: 0 }, /subPort/],
      ['deep body', ADD, deep(50_000), /nested deeper/],
      ['deep settings', ADD, own({ settings: `{"clients":${deep(50_000)}}` }), /nested deeper/],
      ['large', '/panel/setting/update', { subTitle: 'x'.repeat(1_100_000) }, /larger than/],
      ['very large', ADD_CLIENT, 'x'.repeat(17_000_000), /larger than/],
    ]);
  });

  it('what the core rejects, with the reason, while other clients stay connected', async () => {
    const free = await freePort();
    const settings = JSON.stringify({ clients: [], decryption: 'nonsense' });
    const missing = inbound('vless-tcp-tls', free) as InboundBody;
    const gone = missing.streamSettings.replaceAll('cert.pem', 'gone.pem');
    const form = (coreSetting: string) => ({ coreSetting, outboundTestUrl: 'https://example.com/' });
    await allRefused([
      ['an inbound', ADD, inbound('vless-ws', free, { settings }), /nonsense|decryption/],
      [
        'an update',
        `/panel/api/inbounds/update/${added.id}`,
        { ...inbound('vless-tcp', added.port), settings },
        /nonsense|decryption/,
      ],
      ['a certificate', ADD, { ...missing, streamSettings: gone }, /cannot be used.*certificate/i],
      ['a template', '/panel/core/update', form('{"outbounds":[{"protocol":"pigeon"}]}'), /core|outbound/],
      ['no JSON', '/panel/core/update', form('{'), /not valid JSON/],
      ['nothing', '/panel/core/update', form(''), /coreSetting is missing/],
    ]);
    expectComplete(await small());
    expect([...recorded(panel.dataDir, 'CoreStarted', empty), ...recorded(panel.dataDir, 'CoreFailed', empty)]).toEqual(
      [],
    );
  });

  it('all but one of several equal clients from twenty concurrent writers, and loses no acknowledged one', async () => {
    const writers = Array.from({ length: 20 }, (_, n) => n);
    const outcomes = await Promise.all(
      writers.map(async (n) => {
        const email = `writer-${n % 15}`;
        return { email, ...(await admin.post(ADD_CLIENT, clientBody(added.id, person({ email })))) };
      }),
    );
    const good = outcomes.filter(({ success }) => success).map(({ email }) => email);
    expect(good.toSorted()).toEqual(Array.from({ length: 15 }, (_, n) => `writer-${n}`).toSorted());
    for (const { success, msg } of outcomes) if (!success) expect(msg).toMatch(/Duplicate email/);
    const [one] = await must(admin.get<{ clientStats: { email: string }[] }[]>('/panel/api/inbounds/list'));
    expect(one?.clientStats.map(({ email }) => email)).toEqual(expect.arrayContaining(good));

    const headers = { 'content-type': 'application/json', 'idempotency-key': 'the-same' };
    const body = JSON.stringify(clientBody(added.id, person({ email: 'only-once' })));
    const twice = await Promise.all([1, 2, 3].map(() => admin.raw('POST', ADD_CLIENT, { headers, body })));
    for (const response of twice) expect(await response.json()).toMatchObject({ success: true });
    const other = await admin.raw('POST', ADD_CLIENT, { headers, body: body.replace('only-once', 'another') });
    expect(await other.json()).toMatchObject({ success: false });
    const emails = recorded(panel.dataDir, 'ClientAdded').map(({ data }) => data.identity.email);
    expect(emails.filter((email) => email === 'only-once')).toHaveLength(1);
    expect(emails).not.toContain('another');
    expectComplete(await small());
  });
});
