import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectApi } from '../../../../src/adapters/core/control/grpc.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { withoutRight } from '../../../kit/real/rights.js';
import { eventually } from '../../../kit/wait.js';
import {
  addInbound,
  clientCore,
  type Download,
  fetchThrough,
  freePort,
  inboundOf,
  logged,
  numberOf,
  openThrough,
  overOrSilent,
  pause,
  userOf,
} from '../kit.js';
import { coreStage, serve } from '../stage.js';
import { udpEcho, udpFlow } from '../udp.js';

/**
 * Waits for a period in which each of `kept` receives 50 KB and `ended` receive nothing: bytes that were already on their
 * way may still arrive before it.
 */
async function onlyFlows(kept: readonly Download[], ended: readonly Download[]): Promise<void> {
  const received = (downloads: readonly Download[]) => downloads.map((download) => download.bytes());
  await eventually(async () => {
    const [before, flowed] = [received(kept), received(ended)];
    await eventually(() => expect(received(kept).every((bytes, n) => bytes > (before[n] ?? 0) + 50_000)).toBe(true));
    expect(received(ended)).toStrictEqual(flowed);
  });
}

const SUITE = 'the disconnection of a client';
/** The clients come from here: the panel does not look up 127.0.0.1, which is itself. */
const ADDRESS = '127.0.0.2';

describe.skipIf(withoutCore(SUITE) || withoutRight(SUITE))(SUITE, () => {
  const stage = coreStage();

  it.each(['vless-tcp', 'vless-ws', 'vless-grpc', 'vless-xhttp', 'vless-reality', 'trojan-tls', 'ss2022', 'hysteria'])(
    '%s: ends a download and prevents new ones, without effect on another client at the same address',
    async (name) => {
      const { core } = stage;
      const pid = core.process.running?.pid;
      const way = stage.way(name);
      const client = await serve(
        stage,
        way,
        ['Alice@x', 'bob@x'],
        [
          [0, ADDRESS],
          [1, ADDRESS],
        ],
      );
      const {
        inbound,
        accounts: [alice = {}],
      } = client;
      try {
        const [alicePort = 0, bobPort = 0] = client.ports;
        const ofAlice = [
          await openThrough(alicePort, stage.web.port, '/slow'),
          await openThrough(alicePort, stage.web.port, '/slow'),
        ];
        const ofBob = await openThrough(bobPort, stage.web.port, '/slow');
        const online = new Set((await core.stats.online()).map((user) => user.client));
        expect(online).toStrictEqual(new Set([numberOf('alice@x'), numberOf('bob@x')]));
        if (name !== 'hysteria') await logged(core, numberOf('bob@x'), ADDRESS);

        await core.users.remove(inbound, userOf(alice));
        // Again where the core had not yet logged a connection, as the panel does.
        await eventually(async () => {
          expect(await core.users.disconnect(inbound, [numberOf('Alice@x')])).toStrictEqual([]);
          for (const download of ofAlice) await overOrSilent(download);
        });
        expect(await fetchThrough(alicePort, stage.web.port, 1200)).toBeNull();
        await onlyFlows([ofBob], ofAlice);
        expect(ofBob.isOver()).toBe(false);
        expect(await fetchThrough(bobPort, stage.web.port)).toBe('small!');
        expect(core.process.running?.pid).toBe(pid);

        await core.users.add(inbound, userOf(alice));
        // Repeated: a client core may still use the connection that was ended, over QUIC for up to 30 s.
        await eventually(async () => expect(await fetchThrough(alicePort, stage.web.port)).toBe('small!'));
        ofBob.abort();
      } finally {
        await client.close();
      }
    },
  );

  it.each(['hysteria', 'ss', 'ss2022', 'vless-tcp'])('%s: ends UDP flows', async (name) => {
    const { core } = stage;
    const way = stage.way(name);
    const client = await serve(stage, way, ['alice@x', 'bob@x'], [[0], [1]]);
    const {
      inbound,
      accounts: [alice = {}],
    } = client;
    const echo = await udpEcho();
    // Sequentially: two simultaneous requests for one target cannot be distinguished and are not disconnected.
    const flows: Awaited<ReturnType<typeof udpFlow>>[] = [];
    for (const socks of client.ports) {
      flows.push(await udpFlow(socks, echo.port));
      await pause(150);
    }
    const received = () => flows.map((flow) => flow.received());
    try {
      await eventually(() => expect(Math.min(...received())).toBeGreaterThan(2));
      await core.users.remove(inbound, userOf(alice));
      expect(await core.users.disconnect(inbound, [numberOf('alice@x')])).toStrictEqual([]);
      // Datagrams that were already on their way may still arrive.
      await eventually(async () => {
        const [ofAlice, ofBob = 0] = received();
        await eventually(() => expect(received()[1]).toBeGreaterThan(ofBob + 8));
        expect(received()[0]).toBe(ofAlice);
      });
    } finally {
      for (const flow of flows) flow.stop();
      echo.close();
      await client.close();
    }
  });

  it('ends one of two clients of an email, which continues over the other inbound', async () => {
    const { core } = stage;
    const way = stage.way('vless-tcp');
    const alice = way.account('alice@x');
    const [one, two] = [await freePort(), await freePort()];
    const inbounds = [
      { ...inboundOf({ ...way.inbound(one), tag: 'one' }), users: new Map([[101, { ...userOf(alice), client: 101 }]]) },
      { ...inboundOf({ ...way.inbound(two), tag: 'two' }), users: new Map([[102, { ...userOf(alice), client: 102 }]]) },
    ];
    for (const inbound of inbounds) await addInbound(core, inbound);
    const client = await clientCore(stage.folder, [way.outbound(one, alice), way.outbound(two, alice)]);
    try {
      const [gone, kept] = await Promise.all(client.ports.map((port) => openThrough(port, stage.web.port, '/slow')));
      const [first] = inbounds;
      if (!first || !gone || !kept) throw new Error('two inbounds, two downloads');
      await core.users.remove(first, { client: 101, email: 'alice@x' });
      // Again where the core had not yet logged the connection.
      await eventually(async () => {
        expect(await core.users.disconnect(first, [101])).toStrictEqual([]);
        await overOrSilent(gone);
      });
      expect(kept.isOver()).toBe(false);
      expect(await fetchThrough(client.ports[0] ?? 0, stage.web.port, 1200)).toBeNull();
      expect(await fetchThrough(client.ports[1] ?? 0, stage.web.port)).toBe('small!');
      kept.abort();
    } finally {
      await client.close();
      for (const inbound of inbounds) await core.inbounds.remove(inbound);
    }
  });

  it.each(['hysteria', 'vless-kcp', 'vless-h3'])(
    '%s: ends some of twelve that asked for the same in the same moment, and the others lose nothing',
    async (name) => {
      const { core } = stage;
      const pid = core.process.running?.pid;
      const way = stage.way(name);
      const names = Array.from({ length: 12 }, (_, n) => `twelve-${n}@x`);
      const client = await serve(
        stage,
        way,
        names,
        names.map((_, n) => [n] as const),
      );
      const { inbound, accounts } = client;
      const gone = accounts.filter((_, n) => n % 2 === 0);
      const is = (n: number): boolean => n % 2 === 0;
      try {
        await Promise.all(client.ports.map((socks) => fetchThrough(socks, stage.web.port)));
        const downloads = await Promise.all(client.ports.map((socks) => openThrough(socks, stage.web.port, '/slow')));
        for (const account of gone) await core.users.remove(inbound, userOf(account));
        expect(
          await core.users.disconnect(
            inbound,
            gone.map((account) => userOf(account).client),
          ),
        ).toStrictEqual([]);
        const kept = downloads.filter((_, n) => !is(n));
        await onlyFlows(
          kept,
          downloads.filter((_, n) => is(n)),
        );
        expect(kept.map((download) => download.isOver())).toStrictEqual(kept.map(() => false));
        expect(core.process.running?.pid).toBe(pid);
        for (const download of downloads) download.abort();
      } finally {
        await client.close();
      }
    },
  );

  it('keeps the rules of the template in their order, after its own', async () => {
    const { core, folder } = stage;
    const way = stage.way('hysteria');
    const inbound = inboundOf(way.inbound(await freePort()));
    await addInbound(core, inbound);
    const api = connectApi(join(folder, 'run', 'core.sock'));
    const rules = async () =>
      (await api.call('RoutingService/ListRule', {})).rules.map(
        ({ tag, ruleTag }) => `${tag} ${ruleTag.replace(/#.*/, '')}`,
      );
    const [a, b] = [numberOf('a'), numberOf('b')];
    await core.users.disconnect(inbound, [a]);
    await core.users.disconnect(inbound, [a, b]);
    expect(await rules()).toStrictEqual([
      `portolan-cut cut>>>hysteria>>>${a}`,
      `portolan-cut cut>>>hysteria>>>${b}`,
      'blocked block',
    ]);
    await core.users.add(inbound, userOf(way.account('a')));
    expect(await rules()).toStrictEqual([`portolan-cut cut>>>hysteria>>>${b}`, 'blocked block']);
    await core.inbounds.remove(inbound);
    expect(await rules()).toStrictEqual(['blocked block']);
    api.close();
  });

  it('ends the connections of an inbound that is removed', async () => {
    const way = stage.way('vless-tcp');
    const port = await freePort();
    const alice = way.account('alice@x');
    const inbound = inboundOf(way.inbound(port), [alice]);
    await addInbound(stage.core, inbound);
    const client = await clientCore(stage.folder, [way.outbound(port, alice)]);
    const download = await openThrough(client.ports[0] ?? 0, stage.web.port, '/slow');
    await stage.core.inbounds.remove(inbound);
    await eventually(() => overOrSilent(download));
    await client.close();
  });
});
