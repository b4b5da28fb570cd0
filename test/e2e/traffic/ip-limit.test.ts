import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, type ClientEntry, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, untilComplete, untilNoReply } from '../../kit/real/expect-transfer.js';
import { type ClientSeed, inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { withoutRight } from '../../kit/real/rights.js';
import {
  download,
  moved,
  startTransfer,
  type Transfer,
  type TransferOptions,
  type TransferResult,
} from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import {
  type Added,
  addInbound,
  clientBody,
  entryOf,
  headOf,
  keyOf,
  logOf,
  recorded,
  template,
  until,
  wireOf,
} from '../support.js';

/** One inbound over TCP, and one over UDP. */
const NAMES = ['vless-tcp', 'hysteria2'];
/** The core does not count 127.0.0.1 among the addresses that are online. */
const [HOME, CAFE] = ['127.0.0.2', '127.0.0.3'];
/** The connections by client and address; the neighbour is another client behind the blocked address. */
const WAYS = ['home', 'cafe', 'neighbour'] as const;
type Way = (typeof WAYS)[number];
const GRACE_S = 5;
const RATE = 60_000;

const SUITE = 'a client with an IP limit of one';

describe.skipIf(withoutCore(SUITE) || withoutRight(SUITE))(SUITE, () => {
  /** Ids, in the order of their names. They were added side by side, so the log may have another one. */
  let inbounds: readonly number[] = [];
  const cases: { added: Added; guest: ClientSeed; running: Record<Way, Transfer> }[] = [];
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let start: number;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { pollSeconds: 1, ipLimitGraceSeconds: GRACE_S }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const entries: ClientEntry[] = [];
    const dialled = (entry: ClientEntry, from: string): ClientEntry =>
      typeof entry === 'object' && 'via' in entry ? { ...entry, from } : { via: entry, from };
    const prepared = await Promise.all(
      NAMES.map(async (name) => {
        const [guest, neighbour] = [makeClient({ limitIp: 1 }), makeClient()];
        return { guest, neighbour, added: await addInbound(admin, inboundCase(context, name), [guest, neighbour]) };
      }),
    );
    inbounds = prepared.map(({ added }) => added.id);
    for (const { added, guest, neighbour } of prepared) {
      const entry = await entryOf(panel, added, guest);
      entries.push(dialled(entry, HOME), dialled(entry, CAFE));
      entries.push(dialled(await entryOf(panel, added, neighbour), HOME));
    }
    client = await startClientCore(entries);
    start = headOf(panel.dataDir);
    for (const [index, { added, guest }] of prepared.entries()) {
      await untilComplete(`${added.one.name} runs`, attempt(index, 'neighbour'));
      // One after the other: simultaneous requests for one target cannot be distinguished.
      const neighbour = await startDownload(index, 'neighbour');
      const home = await startDownload(index, 'home');
      await until('home is seen', () => seenAt(index).includes(HOME));
      cases.push({ added, guest, running: { home, neighbour, cafe: await startDownload(index, 'cafe') } });
    }
  });

  afterAll(async () => {
    for (const { running } of cases) for (const one of Object.values(running)) one.stop();
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  const portOf = (index: number, way: Way): number => client.socksPort(index * WAYS.length + WAYS.indexOf(way));

  function small(index: number, way: Way, options: TransferOptions = {}): Promise<TransferResult> {
    return download(portOf(index, way), `${targets.url}/small`, options);
  }

  /** A blocked connection may hang, so a repeated attempt has a short timeout. */
  const attempt = (index: number, way: Way) => () => small(index, way, { totalMs: 2_000 });

  async function startDownload(index: number, way: Way): Promise<Transfer> {
    const transfer = startTransfer(portOf(index, way), `${targets.url}/slow?rate=${RATE}`);
    await moved(transfer, 1);
    return transfer;
  }

  const numberOf = (index: number): number => {
    const added = recorded(panel.dataDir, 'ClientAdded').filter(({ data }) => data.spec.limitIp === 1);
    return added.find(({ data }) => data.inbound === inbounds[index])?.data.client ?? 0;
  };

  const seenAt = (index: number): string[] =>
    recorded(panel.dataDir, 'ClientIpsSeen')
      .filter(({ data }) => data.client === numberOf(index))
      .flatMap(({ data }) => data.ips.map(({ ip }) => ip));

  const eventsOf = (index: number) =>
    logOf(panel.dataDir, start).filter(
      (event) => /^ClientIps(Blocked|Unblocked)$/.test(event.type) && event.stream === `client-${numberOf(index)}`,
    );

  /** The first address is blocked; the second one, and another client at the first address, stay connected. */
  async function isBlocked(index: number): Promise<void> {
    await untilNoReply('the first address is blocked', attempt(index, 'home'));
    for (const way of ['cafe', 'neighbour'] as const) expectComplete(await small(index, way));
  }

  describe.each([...NAMES.entries()])('%i: over %s', (index) => {
    it('is disconnected from its first address after the grace period, with the reason in the log', async () => {
      const { running } = cases[index] ?? expect.fail('no such case');
      await until('the first address is cut', () => running.home.isCut());
      await isBlocked(index);
      expect(eventsOf(index).map(({ type, data }) => [type, data])).toEqual([
        [
          'ClientIpsBlocked',
          {
            ...{ client: numberOf(index), limit: 1, keep: 'newest', graceSeconds: GRACE_S },
            ips: { allowed: [CAFE], blocked: [HOME] },
          },
        ],
      ]);
      for (const way of ['cafe', 'neighbour'] as const) {
        await moved(running[way], running[way].bytes() + RATE / 4);
        expect([way, running[way].ended()]).toEqual([way, false]);
      }
    });
  });

  it('is still blocked after the panel was killed, while the downloads of the others never stopped', async () => {
    panel.kill('SIGKILL');
    await panel.exited;
    panel = await startPanel({ dataDir: panel.dataDir, ports: panel.ports });
    admin = await panel.admin();
    await Promise.all(cases.map((_, index) => isBlocked(index)));
    for (const { running } of cases) {
      for (const way of ['cafe', 'neighbour'] as const) expect([way, running[way].ended()]).toEqual([way, false]);
    }
    expect(recorded(panel.dataDir, 'CoreStarted', start).map(({ data }) => data.reason)).toEqual(['adopted']);
  });

  it('is allowed again at once with a higher limit', async () => {
    const { added, guest } = cases[0] ?? expect.fail('no such case');
    const wire = wireOf(added.one, guest, { limitIp: 2 });
    await must(admin.post(`/panel/api/inbounds/updateClient/${keyOf(added.one, guest)}`, clientBody(added.id, wire)));
    await untilComplete('the first address is allowed', attempt(0, 'home'));
    expect(eventsOf(0).at(-1)).toMatchObject({ type: 'ClientIpsUnblocked', data: { reason: 'changed' } });
  });

  it('is allowed again at a blocked address when it leaves the other one, without a restart of the core', async () => {
    const before = recorded(panel.dataDir, 'CoreStarted', start).length;
    cases[1]?.running.cafe.stop();
    await untilComplete('the first address is allowed', attempt(1, 'home'));
    expect(eventsOf(1).at(-1)).toMatchObject({ type: 'ClientIpsUnblocked', data: { reason: 'left' } });
    for (const { running } of cases) await moved(running.neighbour, running.neighbour.bytes() + 1);
    expect(recorded(panel.dataDir, 'CoreStarted', start)).toHaveLength(before);
  });
});

const WITHOUT = 'a panel without the right to close connections';

describe.skipIf(withoutCore(WITHOUT))(WITHOUT, () => {
  it('rejects new connections, keeps open ones without a restart of the core, and warns once', async () => {
    const targets = await startTargets();
    const panel = await startPanel({ withoutNetAdmin: true });
    const admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { pollSeconds: 1, ipLimitGraceSeconds: GRACE_S }));
    const guest = makeClient({ limitIp: 1 });
    const context = makeContext({ ...targets, targetPort: targets.port });
    const via = await entryOf(panel, await addInbound(admin, inboundCase(context, 'vless-tcp'), [guest]), guest);
    if (typeof via !== 'string') throw new Error('a link');
    const client = await startClientCore([HOME, CAFE].map((from) => ({ via, from })));
    const [home, cafe] = [client.socksPort(0), client.socksPort(1)];
    const small = (port: number, options: TransferOptions = {}) => download(port, `${targets.url}/small`, options);
    const startDownload = (port: number) => startTransfer(port, `${targets.url}/slow?rate=${RATE}`);
    const warnings = () =>
      `${panel.stdout()}${panel.stderr()}`.split('A blocked address keeps its open connections').length;
    const flows: Transfer[] = [];
    try {
      await untilComplete('the inbound runs', () => small(home, { totalMs: 2_000 }));
      const start = headOf(panel.dataDir);
      flows.push(startDownload(home));
      await moved(flows[0] as Transfer, 1);
      await until('home is seen', () => recorded(panel.dataDir, 'ClientIpsSeen').length > 0);
      flows.push(startDownload(cafe));
      await until('the warning', () => warnings() > 1);
      await untilNoReply('the first address is blocked', () => small(home, { totalMs: 2_000 }));
      expectComplete(await small(cafe));
      // The panel tries it in three polls, one after the other. Each poll records the traffic of the downloads.
      const polls = () => recorded(panel.dataDir, 'TrafficRecorded').length;
      const enough = polls() + 4;
      await until('further polls', () => polls() >= enough);
      for (const flow of flows) await moved(flow, flow.bytes() + 1);
      expect([warnings(), flows.map((flow) => flow.ended())]).toEqual([2, [false, false]]);
      expect(recorded(panel.dataDir, 'ClientIpsBlocked', start)).toHaveLength(1);
      expect(logOf(panel.dataDir, start).filter(({ type }) => /^Core(St|Fail|Restart)/.test(type))).toEqual([]);
    } finally {
      for (const flow of flows) flow.stop();
      await Promise.all([client.stop(), panel.cleanUp(), targets.stop()]);
    }
  });
});
