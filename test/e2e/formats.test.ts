import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, startClientCore } from '../kit/real/client-core.js';
import { withoutCore } from '../kit/real/core-process.js';
import { inboundCases, makeClient, makeContext } from '../kit/real/inbounds.js';
import type { Outbound } from '../kit/real/outbound.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../kit/real/panel-process.js';
import { download } from '../kit/real/socks.js';
import { startTargets, type Targets } from '../kit/real/targets.js';
import { addInbound, template, until } from './support.js';

const SUITE = 'a subscription as configurations of Xray';

interface Config {
  readonly remarks: string;
  readonly outbounds: readonly [Outbound, ...Outbound[]];
}

/** The kit gives outbounds tags of its own. */
function untagged({ protocol, settings, streamSettings = {} }: Outbound): Outbound {
  return { protocol, settings, streamSettings };
}

describe.skipIf(withoutCore(SUITE))(SUITE, { timeout: 90_000 }, () => {
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let configs: readonly Config[];

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { subJsonEnable: true }));
    const cases = inboundCases(makeContext({ ...targets, targetPort: targets.port })).filter(({ link }) => link);
    for (const one of cases) await addInbound(admin, one, [makeClient({ email: one.name, subId: 'everything' })]);
    configs = await until('all of them are told', 20_000, async () => {
      const told = (await (await fetch(`${panel.subUrl}/json/everything`)).json()) as Config[];
      return told.length === cases.length && told;
    });
    client = await startClientCore(configs.map(({ outbounds: [proxy] }) => untagged(proxy)));
  }, 60_000);

  afterAll(() => Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]), 30_000);

  it('reaches the target through each of them', async () => {
    expect(configs.length).toBeGreaterThan(25);
    const failed: string[] = [];
    for (const [index, { remarks }] of configs.entries()) {
      const reached = await until(remarks, 10_000, async () => {
        const { status } = await download(client.socksPort(index), `${targets.url}/small`, { totalMs: 4_000 });
        return status === 200;
      }).catch(() => false);
      if (!reached) failed.push(remarks);
    }
    expect(failed).toStrictEqual([]);
  });
});
