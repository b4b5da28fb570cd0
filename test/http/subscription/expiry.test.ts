import { describe, expect, it } from 'vitest';
import type { ReadModels as Models } from '../../../src/projections/read-models.js';
import { LogReadModels } from '../../../src/projections/read-models.js';
import { startPanel } from '../kit/panel.js';

const HOUR = 3_600_000;
const INBOUNDS = '/panel/api/inbounds';
const deplete = { type: 'DepleteExpired', data: {} } as const;
const client = (name: string, more: object = {}) => ({
  ...{ id: `b831381d-6324-4d53-ad4f-00000000000${name.length}`, email: name, subId: `sub-${name}`, enable: true },
  ...more,
});

/** A client whose term ends in an hour, another without an end, and an inbound that ends in an hour. */
async function start() {
  const panel = await startPanel();
  const browser = await panel.browser().login();
  const end = panel.now() + HOUR;
  const add = (port: number, expiryTime: number, clients: readonly object[]) =>
    browser.post(`${INBOUNDS}/add`, {
      ...{ enable: true, port, protocol: 'vless', expiryTime, streamSettings: '{"network":"tcp"}' },
      settings: JSON.stringify({ clients, decryption: 'none' }),
    });
  await add(20_443, 0, [client('ann', { expiryTime: end }), client('robert')]);
  await add(20_444, end, [client('claire')]);

  const fetchSub = async (name: string) => (await fetch(`${panel.subscriptions}/sub/sub-${name}`)).status;
  const inCore = (read: Models) =>
    [...read.desired.config().inbounds].map(
      ([tag, { users }]) => `${tag}: ${[...users.keys()].sort((a, b) => (a < b ? -1 : 1)).join(' ')}`,
    );
  const seen = async () => {
    const { obj } = (await browser.get(`${INBOUNDS}/list`)).json as {
      obj: { enable: boolean; clientStats: object[] }[];
    };
    return {
      inbounds: obj.map(({ enable }) => enable),
      clients: obj.flatMap(({ clientStats }) => clientStats as { enable: boolean }[]).map(({ enable }) => enable),
      subscriptions: [await fetchSub('ann'), await fetchSub('robert'), await fetchSub('claire')],
      links: (await browser.get(`${INBOUNDS}/getSubLinks/sub-ann`)).json?.obj,
      status: ((await browser.get('/panel/api/clients/ann/why')).json as { obj: { status: string } }).obj.status,
      core: inCore(panel.read),
      replayed: inCore(new LogReadModels(panel.log)),
    };
  };
  return { panel, browser, seen, end };
}

describe('an expired client', () => {
  it('stays expired in every reply when the clock is set back, until an admin changes that', async () => {
    const { panel, browser, seen, end } = await start();
    const open = await seen();
    expect(open).toMatchObject({ inbounds: [true, true], clients: [true, true, true], subscriptions: [200, 200, 200] });
    panel.later(2 * HOUR);
    panel.given(deplete);
    const expired = {
      inbounds: [true, false],
      clients: [false, true, true],
      subscriptions: [404, 200, 404],
      links: [],
      status: 'expired',
      core: ['inbound-20443: 2'],
      replayed: ['inbound-20443: 2'],
    };
    expect(await seen()).toEqual(expired);

    panel.later(-2 * HOUR);
    for (let poll = 0; poll < 2; poll += 1) panel.given(deplete);
    panel.given({ type: 'BeginPeriods', data: {} });
    await browser.post(`${INBOUNDS}/resetAllTraffics`);
    await browser.post(`${INBOUNDS}/resetAllClientTraffics/-1`);
    expect(await seen()).toEqual(expired);

    const settings = JSON.stringify({ clients: [client('ann', { expiryTime: end + HOUR })] });
    await browser.post(`${INBOUNDS}/updateClient/${client('ann').id}`, { id: 1, settings });
    await browser.post(`${INBOUNDS}/update/2`, { expiryTime: end + HOUR });
    expect(await seen()).toEqual({ ...open, links: expect.any(Array) as unknown });
  });
});
