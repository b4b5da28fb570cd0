import { describe, expect, it } from 'vitest';
import { verbatim } from '../../../../src/messages/message.js';
import { DAY, draft, inboundId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };

async function start(spec: object = {}) {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const client = {
    id: crypto.randomUUID(),
    email: 'one',
    subId: 's',
    enable: true,
    limitIp: 0,
    totalGB: 0,
    expiryTime: 0,
  };
  const body = {
    enable: true,
    remark: 'home',
    port: 4433,
    protocol: 'vless',
    settings: JSON.stringify({ clients: [{ ...client, ...spec }], decryption: 'none' }),
    streamSettings: '{"network":"tcp"}',
    sniffing: '{"enabled":false}',
  };
  await panel.call('POST', '/panel/api/inbounds/add', { headers, body: JSON.stringify(body) });
  panel.given({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1.0.0', reason: 'start' } });
  const why = async () => {
    const { json } = await panel.call('GET', '/panel/api/clients/one/why', { headers });
    return json?.obj as {
      status: string;
      mayConnect: boolean;
      rule: string;
      since: { by: string } | null;
      remedies: string[];
      story: { type: string }[];
    };
  };
  return { panel, why };
}

describe('the access report of a client', () => {
  it('shows the remaining traffic and time of a client that may connect', async () => {
    const { panel, why } = await start({ totalGB: 1000 });
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'one', up: 100, down: 200 } });
    expect(await why()).toMatchObject({
      status: 'active',
      mayConnect: true,
      rule: '700 bytes left of 1,000 bytes, no expiry',
      remedies: [],
      remedyCodes: [],
      inbound: { id: 1, remark: 'home' },
    });
    expect((await why()).story.map(({ type }) => type)).toStrictEqual(['ClientAdded', 'ClientTrafficAdjusted']);
  });

  it('names the rule, the numbers, the cause and the remedy', async () => {
    const { panel, why } = await start({ totalGB: 1000 });
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'one', up: 400, down: 800 } });
    expect(await why()).toMatchObject({
      status: 'cap reached',
      mayConnect: false,
      rule: 'it used 1,200 bytes of 1,000 bytes',
      ruleCode: 'why.capReached',
      since: { by: 'the panel (test)', byCode: 'history.byPanel' },
      remedies: ['reset its traffic', 'raise or remove its cap'],
      remedyCodes: ['why.resetTraffic', 'why.raiseCap'],
    });
    panel.given({ type: 'ResetClientTraffic', data: { inbound: null, email: 'one' } });
    expect(await why()).toMatchObject({ status: 'active' });
  });

  it.each([
    [{ enable: false }, 'disabled'],
    [{ expiryTime: -86_400_000 }, 'not used yet'],
    [{ enable: false, totalGB: 1000 }, 'disabled'],
  ])('of %j is %s', async (spec, status) => {
    const { why } = await start(spec);
    expect(await why()).toMatchObject({ status });
  });

  it('checks the inbound and the core after the client', async () => {
    const { panel, why } = await start();
    panel.given({ type: 'SetInboundEnabled', data: { inbound: inboundId(1), enabled: false } });
    expect(await why()).toMatchObject({ status: 'inbound disabled', since: { by: 'the panel (test)' } });
    panel.given({ type: 'SetInboundEnabled', data: { inbound: inboundId(1), enabled: true } });
    panel.given({ type: 'RecordCoreFailed', data: { run: 'r1', reason: verbatim('it fell over') } });
    expect(await why()).toMatchObject({
      status: 'core not running',
      rule: 'the core failed: it fell over',
      ruleCode: 'why.coreFailed',
    });
  });

  it('names every rule that applies', async () => {
    const { panel, why } = await start({ totalGB: 1000, enable: false });
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'one', up: 400, down: 800 } });
    panel.given({ type: 'SetInboundEnabled', data: { inbound: inboundId(1), enabled: false } });
    expect(await why()).toMatchObject({
      ...{ status: 'disabled', remedies: ['enable the client'] },
      also: [
        {
          ...{ status: 'cap reached', rule: 'it used 1,200 bytes of 1,000 bytes' },
          ...{ since: { by: 'the panel (test)' }, remedies: ['reset its traffic', 'raise or remove its cap'] },
        },
        { status: 'inbound disabled', remedies: ['enable the inbound'] },
      ],
    });
  });

  it('names who deleted a client and when, until the client is erased', async () => {
    const { panel, why } = await start();
    const remove = () =>
      panel.given({ type: 'DeleteClient', data: { inbound: inboundId(1), client: { email: 'ONE' } } });
    remove();
    const deleted = {
      ...{ email: 'one', status: 'deleted', mayConnect: false, rule: 'the client was deleted' },
      inbound: { id: 1, remark: 'home' },
      ...{ since: { by: 'the panel (test)' }, also: [], siblings: [], earlier: [] },
    };
    expect(await why()).toMatchObject(deleted);
    const { story, since } = await why();
    expect(story.map(({ type }) => type)).toStrictEqual(['ClientAdded', 'ClientDeleted']);
    // The current client with the email comes first, followed by the former one.
    panel.given({ type: 'AddClients', data: { inbound: inboundId(1), clients: [draft('One', 2)] } });
    expect(await why()).toMatchObject({ email: 'One', status: 'active', earlier: [{ client: 1 }] });
    remove();
    panel.given({ type: 'DeleteInbound', data: { inbound: inboundId(1) } });
    expect(await why()).toMatchObject({
      ...{ email: 'One', status: 'deleted', inbound: { id: 1, tag: '', remark: '' } },
      earlier: [{ client: 1, since }],
    });
    panel.later(31 * DAY);
    panel.given({ type: 'EraseDeleted', data: {} });
    for (const name of ['one', 'erased-1'])
      expect((await panel.call('GET', `/panel/api/clients/${name}/why`, { headers })).json).toMatchObject({
        ...{ success: false, msg: `Client ${name} not found` },
      });
  });

  it('reports an unknown client as not found, and requires an admin', async () => {
    const { panel } = await start();
    const { json } = await panel.call('GET', '/panel/api/clients/nobody/why', { headers });
    expect(json).toMatchObject({ success: false, msg: 'Client nobody not found' });
    panel.given({ type: 'DeleteClient', data: { inbound: inboundId(1), client: { email: 'one' } } });
    expect((await panel.call('GET', '/panel/api/clients/one/why')).status).toBe(404);
  });
});
