import { describe, expect, it } from 'vitest';
import { inboundId } from '../../kit/builders.js';
import { startPanel } from '../kit/panel.js';

const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
const GB = 1024 ** 3;

type Body = Readonly<Record<string, unknown>>;
interface Row extends Body {
  readonly email: string;
  readonly enable: boolean;
}

const anna = (more: Body = {}) => ({
  id: crypto.randomUUID(),
  email: 'anna',
  subId: 'person',
  enable: true,
  flow: '',
  limitIp: 0,
  totalGB: 10 * GB,
  expiryTime: 0,
  ...more,
});

/** A panel with a running core and two inbounds, the first of which has the client anna. */
async function start(settings: Body = {}) {
  const panel = await startPanel({ settings });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const get = async (path: string) => (await panel.call('GET', `/panel/api${path}`, { headers })).json?.obj;
  const post = async (path: string, body: Body = {}) =>
    (await panel.call('POST', `/panel/api${path}`, { headers, body: JSON.stringify(body) })).json;
  for (const port of [4431, 4432]) {
    const body = {
      enable: true,
      remark: `home ${port}`,
      port,
      protocol: 'vless',
      settings: JSON.stringify({ clients: port === 4431 ? [anna()] : [], decryption: 'none' }),
      streamSettings: '{"network":"tcp"}',
      sniffing: '{"enabled":false}',
    };
    expect(await post('/inbounds/add', body)).toMatchObject({ success: true });
  }
  panel.given({ type: 'RecordCoreStarted', data: { run: 'r1', version: '26', reason: 'start' } });
  const join = (client: object, id = 2) =>
    post('/inbounds/addClient', { id, settings: JSON.stringify({ clients: [client] }) });
  const uses = (up: number, down = 0, client = 1) =>
    panel.given({
      type: 'RecordTraffic',
      data: { run: 'r1', clients: [[client, up, down]], inbounds: [], outbounds: [] },
    });
  return { panel, get, post, join, uses };
}

describe('one email in two inbounds over HTTP', () => {
  it('is accepted with the same subId, and rejected with another, with a reason', async () => {
    const { panel, join, post } = await start();
    expect(await join(anna({ subId: 'other' }))).toMatchObject({ success: false, msg: 'Duplicate email: anna' });
    const key = crypto.randomUUID();
    expect(await join(anna({ id: key, email: 'Anna' }))).toMatchObject({ success: true });
    const before = panel.log.head().position;
    const settings = JSON.stringify({ clients: [anna({ id: key, email: 'Anna', subId: 'other' })] });
    expect(await post(`/inbounds/updateClient/${key}`, { id: 2, settings })).toMatchObject({
      success: false,
      msg: 'Anna is also in inbound 1: both must have the same subId',
    });
    expect(panel.log.head().position).toBe(before);
  });

  it('has one sum, shown in the row of each inbound', async () => {
    const { get, join, uses } = await start();
    await join(anna({ totalGB: 20 * GB }));
    uses(3 * GB, 4 * GB);
    const row = { up: 3 * GB, down: 4 * GB, allTime: 7 * GB, email: 'anna', enable: true };
    const inbounds = (await get('/inbounds/list')) as { id: number; up: number; down: number; clientStats: Row[] }[];
    expect(inbounds.map(({ id, up, down, clientStats }) => ({ id, up, down, clientStats }))).toMatchObject([
      { id: 1, up: 0, down: 0, clientStats: [{ ...row, inboundId: 1, total: 10 * GB }] },
      { id: 2, up: 0, down: 0, clientStats: [{ ...row, inboundId: 2, total: 20 * GB }] },
    ]);
    expect(await get('/inbounds/getClientTraffics/ANNA')).toMatchObject(row);
    expect(await get('/inbounds/getClientTrafficsById/person')).toMatchObject(row);
    uses(4 * GB);
    const after = (await get('/inbounds/list')) as { clientStats: Row[] }[];
    expect(after.map(({ clientStats: [only] }) => only?.enable)).toStrictEqual([false, true]);
  });

  it('is listed once as online, with one time', async () => {
    const { panel, post, join, uses } = await start();
    await join(anna({ email: 'Anna' }));
    uses(1, 1, 2);
    panel.read.usage.online.set(['Anna', 'anna']);
    expect((await post('/inbounds/onlines'))?.obj).toStrictEqual(['anna']);
    expect((await post('/inbounds/lastOnline'))?.obj).toStrictEqual([
      { email: 'anna', lastOnline: expect.any(Number) as number },
    ]);
    panel.given({
      type: 'RecordClientIps',
      data: { seen: [{ client: 1, ips: [{ ip: '198.51.100.7', seenAt: 1_700_000_000_000 }] }] },
    });
    expect((await post('/inbounds/clientIps/anna'))?.obj).toHaveLength(1);
    await post('/inbounds/clearClientIps/anna');
    expect((await post('/inbounds/clientIps/anna'))?.obj).toStrictEqual([]);
  });

  it('is one row by its id in the dialect of 3x-ui', async () => {
    const { get, join } = await start({ apiDialect: '3x-ui' });
    const id = crypto.randomUUID();
    await join(anna({ id }));
    await join({ ...anna({ id, email: 'bert', subId: 'b' }) }, 1);
    expect(await get(`/inbounds/getClientTrafficsById/${id}`)).toMatchObject([{ email: 'anna' }, { email: 'bert' }]);
  });

  it('counts once in its subscription, with the largest of its caps', async () => {
    const { panel, join, uses } = await start();
    await join(anna({ totalGB: 20 * GB }));
    const ask = async () => {
      const reply = await fetch(`${panel.subscriptions}/sub/person`);
      const links = Buffer.from(await reply.text(), 'base64')
        .toString()
        .trim()
        .split('\n');
      return [reply.headers.get('subscription-userinfo'), links.length];
    };
    expect(await ask()).toStrictEqual([`upload=0; download=0; total=${20 * GB}; expire=0`, 2]);
    uses(GB, 2 * GB);
    expect(await ask()).toStrictEqual([`upload=${GB}; download=${2 * GB}; total=${20 * GB}; expire=0`, 2]);
    uses(10 * GB);
    expect(await ask()).toStrictEqual([`upload=${11 * GB}; download=${2 * GB}; total=${20 * GB}; expire=0`, 1]);
  });

  it('keeps its traffic in one inbound after it is deleted from the other', async () => {
    const { get, post, join, uses } = await start();
    await join(anna());
    uses(5);
    expect(await post('/inbounds/1/delClientByEmail/anna')).toMatchObject({ success: true });
    expect(await get('/inbounds/getClientTraffics/anna')).toMatchObject({ inboundId: 2, up: 5, allTime: 5 });
    expect(await get('/inbounds/getClientLinks/1/anna')).toStrictEqual([]);
    expect(await get('/inbounds/getClientLinks/2/anna')).toHaveLength(1);
    expect(await post('/inbounds/1/delClientByEmail/anna')).toMatchObject({ success: false });
  });

  it('is reset and set as a whole through either inbound', async () => {
    const { get, post, join, uses } = await start();
    await join(anna());
    uses(10 * GB);
    expect(await get('/inbounds/getClientTraffics/anna')).toMatchObject({ up: 10 * GB, enable: false });
    await post('/inbounds/2/resetClientTraffic/anna');
    expect(await get('/inbounds/getClientTraffics/anna')).toMatchObject({ up: 0, enable: true, allTime: 10 * GB });
    await post('/inbounds/updateClientTraffic/anna', { upload: 7, download: 8 });
    await post('/inbounds/updateClientTraffic/anna', { upload: 9 });
    expect(await get('/inbounds/getClientTraffics/anna')).toMatchObject({ up: 9, down: 8 });
  });

  it('is copied under another email', async () => {
    const { post, join } = await start();
    await join(anna());
    expect(
      await post('/inbounds/2/copyClients', { sourceInboundId: 1, clientEmails: ['anna'], flow: '' }),
    ).toMatchObject({ success: true, obj: { added: ['anna_2'], skipped: [], errors: [] } });
  });

  it('has an access report with its other inbounds', async () => {
    const { panel, get, join, uses } = await start();
    await join(anna({ totalGB: 20 * GB }));
    uses(10 * GB);
    panel.given({ type: 'SetInboundEnabled', data: { inbound: inboundId(2), enabled: false } });
    const together = ' (the 2 inbounds with this email count together: inbound-4431, inbound-4432)';
    expect(await get('/clients/anna/why')).toMatchObject({
      status: 'cap reached',
      rule: `it used 10,737,418,240 bytes of 10,737,418,240 bytes${together}`,
      inbound: { id: 1 },
      siblings: [{ inbound: { id: 2 }, status: 'inbound disabled', mayConnect: false }],
    });
  });
});
