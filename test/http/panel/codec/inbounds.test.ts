import { beforeEach, describe, expect, it } from 'vitest';
import { pairProblem } from '../../../../src/adapters/tls/certificates.js';
import { InboundId } from '../../../../src/events/ids.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { inboundHandlers } from '../../../../src/http/panel/handlers/inbounds/inbounds.js';
import { message } from '../../../../src/messages/message.js';
import { makeCertificate } from '../../../kit/real/certificate.js';
import { failing, invalid, startPanel } from './panel.js';

const uuid = (n: number): string => `b831381d-6324-4d53-ad4f-${String(n).padStart(12, '0')}`;
const client = (n: number, more: object = {}) => ({ id: uuid(n), email: `c${n}`, ...more });
const vless = (port: number, clients: unknown[] = [], more: object = {}) => ({
  remark: 'r',
  port,
  protocol: 'vless',
  settings: JSON.stringify({ clients, decryption: 'none', fallbacks: [] }),
  streamSettings: '{"network":"tcp","security":"none"}',
  ...more,
});

let panel: ReturnType<typeof startPanel>;
const call = (name: keyof typeof tables.inbounds, input = {}) =>
  panel.call(tables.inbounds, inboundHandlers, name, input);
const add = (body: unknown) => call('add', { body });
const types = () => panel.log.events.map(({ type }) => type);
const get = async (id: number) => (await call('get', { params: { id: String(id) } })).obj as Record<string, unknown>;

beforeEach(() => {
  panel = startPanel();
});

describe('add', () => {
  it('returns the stored inbound, as list and get do', async () => {
    const added = await add(vless(443, [client(1, { totalGB: 9 })]));
    expect(added).toMatchObject({ success: true, msg: 'Inbound has been successfully created.' });
    expect(added.obj).toMatchObject({
      id: 1,
      userId: 1,
      up: 0,
      allTime: 0,
      enable: true,
      tag: 'inbound-443',
      trafficReset: 'never',
      sniffing: '{"enabled":false}',
      streamSettings: '{"network":"tcp","security":"none"}',
      clientStats: [{ id: 1, inboundId: 1, enable: true, email: 'c1', uuid: uuid(1), total: 9, lastOnline: 0 }],
    });
    expect(await get(1)).toStrictEqual(added.obj);
    expect((await call('list')).obj).toStrictEqual([added.obj]);
  });

  it('returns and lists the stored inbound unchanged, also with unusual characters', async () => {
    const odd = '"\\ \\n \u2028 </script> \u{1f30a} é \u0000 \n';
    const added = await add(vless(443, [client(1, { comment: odd, odd }), client(2), client(3, { comment: odd })]));
    const other = await add(vless(444));
    expect((await call('list')).obj).toStrictEqual([added.obj, other.obj]);
    const { settings } = added.obj as { settings: string };
    expect((JSON.parse(settings) as { clients: object[] }).clients[0]).toMatchObject({ odd });
    const changed = await call('update', { params: { id: '1' }, body: vless(443, [client(2, { comment: odd })]) });
    expect(changed.success).toBe(true);
    expect((await call('list')).obj).toStrictEqual([changed.obj, other.obj]);
  });

  it('returns settings as indented JSON with the clients first', async () => {
    await add(vless(443, [client(1), client(2)]));
    const { settings } = await get(1);
    const parsed = JSON.parse(String(settings)) as { clients: object[] };
    expect(Object.keys(parsed)).toStrictEqual(['clients', 'decryption', 'fallbacks']);
    expect(settings).toBe(JSON.stringify(parsed, null, 2));
  });

  it.each([
    ['vless', '{"decryption":"none"}', '{\n  "clients": [],\n  "decryption": "none"\n}'],
    ['vless', '', '{\n  "clients": []\n}'],
    ['vless', '{"fallbacks":null}', '{\n  "clients": []\n}'],
    ['socks', '{"auth":"noauth"}', '{\n  "auth": "noauth"\n}'],
    ['socks', '{"clients":[]}', '{}'],
  ])('accepts %s with the settings %s', async (protocol, settings, answered) => {
    await add({ port: 1080, protocol, settings });
    expect((await get(1))['settings']).toBe(answered);
  });

  it('returns all members that py3xui reads', async () => {
    await add({ port: 1080, protocol: 'socks', streamSettings: '{"sockopt":{}}', sniffing: '{}' });
    expect(await get(1)).toMatchObject({
      streamSettings: '{"sockopt":{},"network":"tcp","security":"none"}',
      sniffing: '{"enabled":false}',
    });
  });

  it.each([
    [{ port: 0, protocol: 'vless' }, 'Port 0 is not between 1 and 65535'],
    [{ port: 1 }, 'The inbound cannot be used: protocol "" is unknown'],
    [{ port: 1, protocol: 'ssh' }, 'The inbound cannot be used: protocol "ssh" is unknown'],
    [vless(443, [client(1), client(2, { email: 'C1' })]), 'Duplicate email: C1'],
    [vless(443, [{ email: 'x' }]), 'Client x: empty client ID'],
    [vless(443, [{ id: uuid(1) }]), 'Email "" cannot be used: it is empty'],
    [{ port: 1080, protocol: 'socks', settings: { clients: [client(1)] } }, 'Protocol socks does not support clients'],
  ])('rejects %j', async (body, msg) => {
    expect(await add(body)).toStrictEqual({ success: false, msg, obj: null });
    expect(panel.log.events).toStrictEqual([]);
  });
});

describe('an inbound checked by the machine and the core', () => {
  it('is rejected with a port that another program uses', async () => {
    panel = startPanel({ portProblem: async (_, port, udp) => (port === 443 && !udp ? 'taken' : null) });
    expect((await add(vless(443))).msg).toBe('Port already exists: 443 is used by another program');
    expect((await add(vless(444))).success).toBe(true);
  });

  it('may have a port of the panel, which the command checks', async () => {
    let holder: 'taken' | null = null;
    panel = startPanel({ portProblem: async () => holder });
    await add(vless(443, [], { tag: 'mine' }));
    holder = 'taken';
    expect((await add(vless(443))).msg).toBe('Port already exists: 443 is used by inbound mine');
  });

  it('is rejected with the message of the core, which gets the configuration in its own format', async () => {
    const asked: unknown[] = [];
    panel = startPanel({
      core: {
        config: {
          testInbound: async (inbound) => {
            asked.push(inbound.config, [...inbound.users.values()]);
            if (inbound.config['port'] === 444) await invalid('bad')();
          },
        },
      },
    });
    await add(vless(443, [client(1)]));
    expect(asked).toMatchObject([
      { tag: 'inbound-443', port: 443, settings: { decryption: 'none' } },
      [{ email: 'c1', account: { id: uuid(1) } }],
    ]);
    expect((await add(vless(444))).msg).toBe('The core does not accept this configuration: bad');
    asked.length = 0;
    await call('update', { params: { id: '1' }, body: { remark: 'only the remark' } });
    expect(asked).toStrictEqual([]);
  });

  it('is rejected with invalid certificate files, under any spelling, while TLS is on', async () => {
    const seen: unknown[] = [];
    panel = startPanel({
      pairProblem: async ({ certificate, key }) => {
        seen.push(certificate, key);
        return message('certificate.keyMismatch');
      },
    });
    const tls = (security: string) =>
      JSON.stringify({
        network: 'tcp',
        security,
        tlsSettings: { certificates: [{ CertificateFile: '/c', keyFile: '/k' }] },
      });
    expect((await add(vless(443, [], { streamSettings: tls('tls') }))).msg).toContain('The key does not belong');
    expect(seen).toStrictEqual([{ file: '/c' }, { file: '/k' }]);
    expect((await add(vless(443, [], { streamSettings: tls('none') }))).success).toBe(true);
  });

  it('is rejected with invalid inline certificates on every route, also for a node', async () => {
    panel = startPanel({ pairProblem });
    const tls = (certificate: string[], key: string[]) =>
      JSON.stringify({ network: 'tcp', security: 'tls', tlsSettings: { certificates: [{ certificate, key }] } });
    const [good, other] = [await makeCertificate(), await makeCertificate()];
    for (const { remove } of [good, other]) remove();
    const lines = (pem: string) => pem.trim().split('\n');
    const foreign = { streamSettings: tls(lines(good.certPem), lines(other.keyPem)) };
    const garbage = { streamSettings: tls(['my secret'], ['my secret']) };
    const sound = { streamSettings: tls(lines(good.certPem), lines(good.keyPem)) };
    const notTheirs = {
      success: false,
      msg: 'The inbound cannot be used: The key does not belong to the certificate',
      obj: null,
    };
    expect(await add(vless(443, [], foreign))).toStrictEqual(notTheirs);
    expect(await call('import', { body: { data: vless(443, [], foreign) } })).toStrictEqual(notTheirs);
    expect(await add(vless(443, [], garbage))).toMatchObject({
      msg: 'The inbound cannot be used: The certificate lines do not contain a PEM certificate',
    });
    expect(panel.log.events).toStrictEqual([]);
    expect(await add(vless(443, [], sound))).toMatchObject({ success: true });
    expect(await call('update', { params: { id: '1' }, body: foreign })).toStrictEqual(notTheirs);

    const place = {
      scheme: 'https',
      host: 'oslo.example',
      port: 443,
      basePath: '/',
      allowPrivateAddress: false,
    } as const;
    const spec = { name: 'Oslo', remark: '', ...place };
    panel.dispatch({ type: 'AddNode', data: { enabled: true, spec, token: 't' } });
    const files = { certificateFile: '/there/c', keyFile: '/there/k' };
    const there = JSON.stringify({ network: 'tcp', security: 'tls', tlsSettings: { certificates: [files] } });
    expect(await add(vless(444, [], { ...foreign, nodeId: 1 }))).toStrictEqual(notTheirs);
    expect(await add(vless(444, [], { streamSettings: there, nodeId: 1 }))).toMatchObject({ success: true });
    expect(await call('update', { params: { id: '2' }, body: foreign })).toStrictEqual(notTheirs);
    expect(await call('update', { params: { id: '2' }, body: { remark: 'other' } })).toMatchObject({ success: true });
  });
});

describe('an inbound that reached its cap', () => {
  const stored = () => [...panel.read.inbounds.all()][0];
  const enable = async () => {
    const [listed] = (await call('list')).obj as { enable: boolean }[];
    expect((await get(1))['enable']).toBe(listed?.enable);
    return listed?.enable;
  };
  const update = (body: object) => call('update', { params: { id: '1' }, body });
  const deplete = () =>
    panel.dispatch({
      type: 'RecordTraffic',
      data: { run: 'r', clients: [], inbounds: [[InboundId.parse(1), 5, 5]], outbounds: [] },
    });

  beforeEach(async () => {
    await add(vless(443, [client(1)], { total: 10, tag: 'mine' }));
    expect(await enable()).toBe(true);
    deplete();
  });

  it('is shown as disabled, while the log keeps the choice of the admin', async () => {
    expect(await enable()).toBe(false);
    expect(stored()).toMatchObject({ enabled: true, depletion: { reason: 'cap' } });
    expect(types().filter((type) => /^InboundDis|^InboundEn/.test(type))).toEqual([]);
  });

  it('keeps that choice if the reply is sent back, and is enabled when its traffic is reset', async () => {
    const read = await get(1);
    const answer = await update({ ...read, remark: 'another' });
    expect(answer).toMatchObject({ success: true, obj: { enable: false, remark: 'another' } });
    expect(stored()).toMatchObject({ enabled: true });
    await call('resetTraffic', { params: { id: '1' } });
    expect(await enable()).toBe(true);
  });

  it('is enabled by a higher cap, also one sent back with the other members', async () => {
    expect(await update({ ...(await get(1)), total: 100 })).toMatchObject({ obj: { enable: true } });
    expect(await enable()).toBe(true);
  });

  it('stays disabled after an admin disabled it, also with a higher cap', async () => {
    await call('setEnable', { params: { id: '1' }, body: { enable: false } });
    expect(stored()).toMatchObject({ enabled: false });
    await update({ ...(await get(1)), total: 100 });
    expect(await enable()).toBe(false);
    await update({ ...(await get(1)), enable: true });
    expect(await enable()).toBe(true);
    await update({ ...(await get(1)), enable: false });
    expect([await enable(), stored()?.enabled]).toEqual([false, false]);
  });

  it('accepts no connections if an admin enables it while the cap is reached', async () => {
    await update({ enable: true });
    const answer = await call('setEnable', { params: { id: '1' }, body: { enable: true } });
    expect(answer).toMatchObject({ success: true, msg: expect.stringContaining('accepts no connections') as string });
    expect([await enable(), stored()?.enabled]).toEqual([false, true]);
  });
});

it('an inbound is stored untested only if there is no core, and the reply says so', async () => {
  panel = startPanel({ core: { config: { testInbound: failing('missing', 'no core is installed') } } });
  expect((await add(vless(443))).msg).toBe(
    'Inbound has been successfully created. It was not tested, because no core is installed.',
  );
  const update = () => call('update', { params: { id: '1' }, body: { port: 444 } });
  const before = panel.log.events.length;
  panel.context.core.config.testInbound = failing('unreachable', 'The core gave no answer in 15 seconds (xray)');
  const silent = {
    success: false,
    msg: 'The operation failed in the core: The core gave no answer in 15 seconds (xray)',
  };
  expect(await update()).toMatchObject(silent);
  expect(await add(vless(445))).toMatchObject(silent);
  expect(panel.log.events).toHaveLength(before);
  panel.context.core.config.testInbound = failing('missing', 'no core is installed');
  expect((await update()).msg).toBe(
    'Inbound has been successfully updated. It was not tested, because no core is installed.',
  );
});

describe('update', () => {
  beforeEach(() => add(vless(443, [client(1, { totalGB: 5 }), client(2)], { total: 7, tag: 'mine' })));

  it('keeps members that the body omits', async () => {
    const before = await get(1);
    const answer = await call('update', { params: { id: '1' }, body: { remark: 'new', enable: 'false' } });
    expect(answer).toMatchObject({ success: true, msg: 'Inbound has been successfully updated.' });
    expect(answer.obj).toStrictEqual({ ...before, remark: 'new', enable: false });
  });

  it('keeps the clients if settings omit them, and replaces them otherwise', async () => {
    await call('update', { params: { id: '1' }, body: { settings: '{"decryption":"none"}' } });
    expect((await get(1))['clientStats']).toHaveLength(2);
    await call('update', {
      params: { id: '1' },
      body: { settings: { clients: [{ email: 'c1', comment: 'hi' }, client(3)] } },
    });
    const { clientStats, settings } = await get(1);
    expect(clientStats).toMatchObject([{ email: 'c1', total: 5 }, { email: 'c3' }]);
    expect(JSON.parse(String(settings))).toMatchObject({ clients: [{ id: uuid(1), comment: 'hi' }, { id: uuid(3) }] });
  });

  it('changes nothing if it receives the inbound as it was read', async () => {
    const inbound = await get(1);
    const events = panel.log.events.length;
    expect(await call('update', { params: { id: '1' }, body: inbound })).toMatchObject({ success: true, obj: inbound });
    expect(panel.log.events).toHaveLength(events);
  });

  it('rejects an unknown inbound', async () => {
    expect((await call('update', { params: { id: '9' }, body: {} })).msg).toBe('Inbound 9 not found');
    expect((await call('update', { params: { id: '0' }, body: {} })).msg).toBe('Inbound 0 not found');
    expect((await call('update', { params: { id: '1e0' }, body: {} })).msg).toBe('id: must be a whole number');
  });
});

it('import accepts an exported inbound and chooses an unused tag', async () => {
  await add(vless(443, [client(1)]));
  const exported = { ...(await get(1)), port: 444, settings: '{"clients":[]}' };
  const answer = await call('import', { body: { data: JSON.stringify(exported) } });
  expect(answer).toMatchObject({ success: true, obj: { id: 2, tag: 'inbound-444', port: 444 } });
  expect((await call('import', { body: {} })).msg).toBe('data: is missing');
});

it('del, setEnable and resets report their result', async () => {
  await add(vless(443));
  const params = { id: '1' };
  expect(await call('setEnable', { params, body: { enable: 'false' } })).toMatchObject({ success: true });
  expect((await get(1))['enable']).toBe(false);
  expect((await call('setEnable', { params, body: {} })).msg).toBe('enable: is missing');
  expect((await call('resetTraffic', { params })).msg).toBe('Inbound traffic has been reset.');
  expect((await get(1))['lastTrafficResetTime']).toBeGreaterThan(0);
  expect((await call('resetAllTraffics')).msg).toBe('All traffic has been reset.');
  expect(await call('del', { params })).toStrictEqual({
    success: true,
    msg: 'Inbound has been successfully deleted.',
    obj: 1,
  });
  expect((await call('del', { params })).success).toBe(false);
  expect((await call('list')).obj).toStrictEqual([]);
});
