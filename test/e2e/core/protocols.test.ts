import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete } from '../../kit/real/expect-transfer.js';
import { type ClientSeed, type InboundCase, inboundCases, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { download, upload } from '../../kit/real/socks.js';
import { SMALL_BODY, startTargets, type Targets } from '../../kit/real/targets.js';
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

const DOWN = 1_000_000;
const UP = 200_000;

/** Names only: the real cases need a target, which `beforeAll` starts. */
const NAMES = inboundCases(
  makeContext({
    certificate: { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} },
    realityTarget: '',
    targetPort: 1,
  }),
).map(({ name }) => name);

/** One inbound of the panel: `firstClient` came with it, `secondClient` by /addClient where the protocol has a list of clients. */
interface RunningCase {
  added: Added;
  firstClient: ClientSeed;
  secondClient: ClientSeed | undefined;
}

interface Counted {
  up: number;
  down: number;
}

/** Payload plus the heads of requests and replies: the tolerance is 1 % and 4 kB. */
function agree(counted: Counted, moved: Counted): boolean {
  const fits = (value: number, bytes: number) => value >= bytes && value <= bytes * 1.01 + 4_000;
  return fits(counted.up, moved.up) && fits(counted.down, moved.down);
}

/**
 * On a bare TCP stream the core does not count for the inbound what these write through a buffer, half of the download
 * and more (`BufferedWriter.flushInternal` of Xray 26.7.28); the counters of their clients are right.
 */
const BUFFERED: ReadonlySet<string> = new Set([
  'vmess-tcp',
  'ss-aes-256-gcm',
  'ss-chacha20',
  'ss-2022-128',
  'ss-2022-256',
]);

const pair = ({ up, down }: Counted): Counted => ({ up, down });

/** The sums of the events of an unpruned log. */
function sumsOf(events: readonly RecordedEvent[]) {
  const clients = new Map<number, Counted>();
  const inbounds = new Map<number, Counted>();
  const tags = new Map<string, Counted>();
  const add = <K>(to: Map<K, Counted>, key: K, up: number, down: number) => {
    const before = to.get(key) ?? { up: 0, down: 0 };
    to.set(key, { up: before.up + up, down: before.down + down });
  };
  for (const { type, data } of events) {
    if (type !== 'TrafficRecorded') continue;
    for (const [key, up, down] of data.clients) add(clients, key, up, down);
    for (const [key, up, down] of data.inbounds) add(inbounds, key, up, down);
    for (const [key, up, down] of data.outbounds) add(tags, key, up, down);
  }
  return { clients, inbounds, tags };
}

const SUITE = 'every protocol';
describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const runningCases = new Map<string, RunningCase>();
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  /** Head of the log when the template was in force and no inbound there. */
  let empty: number;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { pollSeconds: 1 }));
    empty = headOf(panel.dataDir);

    const token = await must(admin.get<string>('/panel/setting/getApiToken'));
    const bearer = admin.bearer(token);
    for (const [index, one] of inboundCases(makeContext({ ...targets, targetPort: targets.port })).entries()) {
      // Alternately with the session and its CSRF token, and with the Bearer token.
      runningCases.set(one.name, await addCase(index % 2 === 0 ? admin : bearer, one));
    }
    const entries = await Promise.all(
      NAMES.map(async (name) => {
        const { added, firstClient, secondClient } = runningCase(name);
        return Promise.all([entryOf(panel, added, firstClient), entryOf(panel, added, secondClient ?? firstClient)]);
      }),
    );
    client = await startClientCore(entries.flat());
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  async function addCase(caller: Admin, one: InboundCase): Promise<RunningCase> {
    const [firstClient, secondClient] = [makeClient(), one.link ? makeClient() : undefined];
    const added = await addInbound(caller, one, [firstClient]);
    if (secondClient)
      await must(caller.post('/panel/api/inbounds/addClient', clientBody(added.id, wireOf(one, secondClient))));
    return { added, firstClient, secondClient };
  }

  function runningCase(name: string): RunningCase {
    const found = runningCases.get(name);
    if (!found) throw new Error(`no inbound ${name}`);
    return found;
  }

  const firstPort = (name: string) => client.socksPort(NAMES.indexOf(name) * 2);
  const secondPort = (name: string) => client.socksPort(NAMES.indexOf(name) * 2 + 1);
  /** A WireGuard request must not name a loopback address; the template leads it to the target anyway. */
  const url = (name: string, path: string) => (name === 'wireguard' ? `http://198.18.0.1${path}` : targets.url + path);

  async function carries(name: string, totalMs: number): Promise<void> {
    const small = await download(firstPort(name), url(name, '/small'), { totalMs });
    expectComplete(small, { text: SMALL_BODY });
    const big = await download(secondPort(name), url(name, `/bytes/${DOWN}`), { totalMs });
    expectComplete(big, { bytes: DOWN });
    const sent = await upload(secondPort(name), url(name, '/sink'), UP, { totalMs });
    expectComplete(sent, { text: `{"bytes":${UP}}` });
  }

  const title = '%s carries small and large bodies for both of its clients';
  it.concurrent.each(NAMES.filter((name) => name !== 'wireguard'))(title, (name) => carries(name, 150_000));

  // Alone: on a busy machine it loses packets, and its retransmissions become slower.
  it.each(['wireguard'])(title, { timeout: 1_000_000 }, (name) => carries(name, 300_000));

  describe('and its counters', () => {
    const list = () => must(admin.get<(Counted & { id: number })[]>('/panel/api/inbounds/list'));
    const traffics = (email: string) => must(admin.get<Counted>(`/panel/api/inbounds/getClientTraffics/${email}`));
    const outbounds = () => must(admin.get<(Counted & { tag: string })[]>('/panel/core/getOutboundsTraffic'));

    it('agree with the traffic of each client after two readings', async () => {
      // Accounts of socks, http and mixed, and peers of wireguard, are no clients of the panel: the inbound counts.
      const wrong = async () => {
        const all = await Promise.all(
          NAMES.map(async (name) => {
            const { firstClient, secondClient } = runningCase(name);
            if (!secondClient) return '';
            const [first, second] = await Promise.all([traffics(firstClient.email), traffics(secondClient.email)]);
            const fine = agree(first, { up: 0, down: SMALL_BODY.length }) && agree(second, { up: UP, down: DOWN });
            return fine
              ? ''
              : `${name}: firstClient ${first.up} up, ${first.down} down; secondClient ${second.up} up, ${second.down} down`;
          }),
        );
        return all.filter((text) => text !== '');
      };
      await until('all counted', async () => (await wrong()).length === 0).catch(() => undefined);
      expect(await wrong()).toEqual([]);
    });

    it('agree with the traffic of each inbound, plus the overhead of its transport', async () => {
      const wrong = async () => {
        const now = new Map((await list()).map(({ id, up, down }) => [id, { up, down }]));
        return NAMES.flatMap((name) => misfit(name, now));
      };
      const misfit = (name: string, now: ReadonlyMap<number, Counted>): string[] => {
        const { up, down } = now.get(runningCase(name).added.id) ?? { up: 0, down: 0 };
        // Packets of mKCP, QUIC and WireGuard have heads and answers (30 %), and are repeated on a machine that is busy. Streams: 5 %, for handshakes and frames.
        const share = runningCase(name).added.one.listens === 'udp' ? 1 : 0.05;
        const fits = (value: number, bytes: number) => value >= bytes * 0.99 && value <= bytes * (1 + share) + 30_000;
        const fitsDown = BUFFERED.has(name) ? down > SMALL_BODY.length && down <= DOWN * 1.05 : fits(down, DOWN);
        return fits(up, UP) && fitsDown ? [] : [`${name}: ${up} up, ${down} down`];
      };
      await until('all counted', async () => (await wrong()).length === 0).catch(() => undefined);
      expect(await wrong()).toEqual([]);
    });

    it('agree with the traffic of each outbound', async () => {
      const rows = await outbounds();
      const of = (tag: string) => rows.find((row) => row.tag === tag) ?? { up: 0, down: 0 };
      const many = NAMES.length - 1;
      expect(of('direct')).toSatisfy((used: Counted) => agree(used, { up: many * UP, down: many * DOWN }));
      expect(of('to-target')).toSatisfy((used: Counted) => agree(used, { up: UP, down: DOWN }));
    });

    it('are the sums of the events', async () => {
      // Idle transports send keepalives, so the log and the replies may be one reading apart.
      await until('sums that agree', async () => {
        const events = logOf(panel.dataDir);
        const { clients, inbounds, tags } = sumsOf(events);
        for (const event of events) {
          if (event.type !== 'ClientAdded') continue;
          expect(pair(await traffics(event.data.identity.email))).toEqual(clients.get(event.data.client));
        }
        for (const inbound of await list()) expect(pair(inbound)).toEqual(inbounds.get(inbound.id));
        for (const row of await outbounds()) expect(pair(row)).toEqual(tags.get(row.tag));
        return true;
      });
    });
  });

  it('keeps the link of a renamed client working', async () => {
    const named = NAMES.flatMap((name) => {
      const { added, secondClient } = runningCase(name);
      return secondClient ? [{ name, added, secondClient }] : [];
    });
    for (const { added, secondClient } of named) {
      const wire = { ...wireOf(added.one, secondClient), email: `new-${secondClient.email}` };
      await must(
        admin.post(`/panel/api/inbounds/updateClient/${keyOf(added.one, secondClient)}`, clientBody(added.id, wire)),
      );
    }
    await Promise.all(
      named.map(({ name }) =>
        until(`${name} carries again`, async () => {
          expectComplete(await download(secondPort(name), url(name, '/small'), { totalMs: 10_000 }), {
            text: SMALL_BODY,
          });
          return true;
        }),
      ),
    );
  });

  it('needs no other start of the core than those for the template, and no inbound is rejected', () => {
    const later = logOf(panel.dataDir, empty).map(({ type }) => type);
    for (const type of ['CoreStarted', 'CoreStopped', 'CoreFailed', 'InboundRejectedByCore', 'CoreDriftRepaired']) {
      expect(later).not.toContain(type);
    }
    expect(recorded(panel.dataDir, 'InboundAdded')).toHaveLength(NAMES.length);
  });
});
