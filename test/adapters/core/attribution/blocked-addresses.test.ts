import { describe, expect, it } from 'vitest';
import { withoutCore } from '../../../kit/real/core-process.js';
import { withoutRight } from '../../../kit/real/rights.js';
import { eventually } from '../../../kit/wait.js';
import {
  addInbound,
  clientCore,
  fetchThrough,
  freePort,
  inboundOf,
  logged,
  numberOf,
  openThrough,
  overOrSilent,
} from '../kit.js';
import { coreStage, serve } from '../stage.js';
import { udpEcho, udpFlow } from '../udp.js';

const SUITE = 'a blocked address';
/** Connections of Alice from two addresses, and of Bob from the second one. */
const TWO_HOUSEHOLDS = [
  [0, '127.0.0.2'],
  [0, '127.0.0.3'],
  [1, '127.0.0.3'],
] as const;
const NAMES = ['vless-tcp', 'vless-grpc', 'vless-xhttp', 'vless-reality', 'trojan-tls', 'ss2022', 'hysteria'];

describe.skipIf(withoutCore(SUITE) || withoutRight(SUITE))(SUITE, () => {
  const stage = coreStage();

  it.each(NAMES)(
    '%s: cannot connect, while another address and another client behind it stay connected',
    async (name) => {
      const { core } = stage;
      const pid = core.process.running?.pid;
      const way = stage.way(name);
      const client = await serve(stage, way, ['Alice@x', 'bob@x'], TWO_HOUSEHOLDS);
      const { inbound } = client;
      try {
        const downloads: Awaited<ReturnType<typeof openThrough>>[] = [];
        for (const socks of client.ports) downloads.push(await openThrough(socks, stage.web.port, '/slow'));
        const [kept, held, neighbour] = client.ports;
        const online = await core.stats.online();
        expect(
          online
            .find((user) => user.client === numberOf('Alice@x'))
            ?.ips.map(({ ip }) => ip)
            .sort(),
        ).toStrictEqual(['127.0.0.2', '127.0.0.3']);

        if (name !== 'hysteria') await logged(core, numberOf('Alice@x'), '127.0.0.3');
        const back = [{ inbound: inbound.tag, client: numberOf('Alice@x'), addresses: ['127.0.0.3'] }];
        await core.addresses.block(back);
        // Repeated as the panel does: the core may write its log late.
        await eventually(async () => {
          expect(await core.addresses.disconnect(back, false)).toBe(true);
          for (const download of downloads.slice(1, 2)) await overOrSilent(download);
        });
        const flowed = downloads.map((download) => download.bytes());
        expect(await fetchThrough(held ?? 0, stage.web.port, 1000)).toBeNull();
        expect(await fetchThrough(kept ?? 0, stage.web.port)).toBe('small!');
        expect(await fetchThrough(neighbour ?? 0, stage.web.port)).toBe('small!');
        expect([0, 2].map((n) => downloads[n]?.isOver())).toStrictEqual([false, false]);
        for (const n of [0, 2]) await eventually(() => expect(downloads[n]?.bytes()).toBeGreaterThan(flowed[n] ?? 0));
        expect(downloads[1]?.bytes()).toBe(flowed[1]);

        await core.addresses.block([]);
        // Repeated: a client core may still use the connection that was ended.
        await eventually(async () => expect(await fetchThrough(held ?? 0, stage.web.port)).toBe('small!'));
        expect(core.process.running?.pid).toBe(pid);
        for (const download of downloads) download.abort();
      } finally {
        await core.addresses.block([]);
        await client.close();
      }
    },
  );

  it('loses its whole UDP flow on the last attempt if several clients requested the same target at once, and no other client does', async () => {
    const { core } = stage;
    const way = stage.way('hysteria');
    const client = await serve(stage, way, ['Alice@x', 'bob@x'], TWO_HOUSEHOLDS);
    const { inbound } = client;
    try {
      await Promise.all(client.ports.map((socks) => fetchThrough(socks, stage.web.port)));
      const downloads = await Promise.all(client.ports.map((socks) => openThrough(socks, stage.web.port, '/slow')));
      const back = [{ inbound: inbound.tag, client: numberOf('alice@x'), addresses: ['127.0.0.3'] }];
      await core.addresses.block(back);
      await core.addresses.disconnect(back, false);
      expect(await core.addresses.disconnect(back, true)).toBe(true);
      // Datagrams that were already on their way may still arrive.
      await eventually(async () => {
        const flowed = downloads.map((download) => download.bytes());
        for (const n of [0, 2])
          await eventually(() => expect(downloads[n]?.bytes()).toBeGreaterThan((flowed[n] ?? 0) + 50_000));
        expect(downloads[1]?.bytes()).toBe(flowed[1]);
      });
      for (const download of downloads) download.abort();
    } finally {
      await core.addresses.block([]);
      await client.close();
    }
  });

  it('is idle while nothing arrives from it, with an open connection or without', async () => {
    const { core } = stage;
    const way = stage.way('vless-tcp');
    const addressesOfAlice = ['127.0.0.2', '127.0.0.3'].map((from) => [0, from] as const);
    const client = await serve(stage, way, ['alice@x'], addressesOfAlice);
    try {
      const [busy = 0, idle = 0] = client.ports;
      const download = await openThrough(busy, stage.web.port, '/slow');
      const waiting = await openThrough(idle, stage.web.port, '/wait');
      const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
      await eventually(async () => {
        const ms = await core.addresses.idleTimes([{ person: 'alice@x', clients: [numberOf('alice@x')], addresses }]);
        expect(ms('alice@x', '127.0.0.2')).toBeLessThan(1000);
        expect(ms('alice@x', '127.0.0.3')).toBeGreaterThan(1000);
        expect(ms('alice@x', '127.0.0.4')).toBeNull();
      });
      expect((await core.addresses.idleTimes([]))('alice@x', '127.0.0.2')).toBeNull();
      download.abort();
      waiting.abort();
    } finally {
      await client.close();
    }
  });

  it('is idle behind a proxy while no bytes are transferred for it, and unknown while UDP flows are possible', async () => {
    const { core } = stage;
    const way = stage.way('vless-ws');
    const port = await freePort();
    const alice = way.account('alice@x');
    const [PHONE, HOME, BUSY] = ['198.51.100.7', '203.0.113.9', '203.0.113.10'];
    const config = way.inbound(port);
    const stream = config['streamSettings'] as object;
    const trusting = { ...stream, sockopt: { trustedXForwardedFor: ['X-Proxy'] } };
    const inbound = inboundOf({ ...config, streamSettings: trusting }, [alice]);
    await addInbound(core, inbound);
    // As a proxy passes them on: all from one address of its own.
    const through = (address: string) => {
      const outbound = way.outbound(port, alice);
      const headers = { 'X-Proxy': '1', 'X-Forwarded-For': address };
      const own = outbound['streamSettings'] as { readonly wsSettings: object };
      return { ...outbound, streamSettings: { ...own, wsSettings: { ...own.wsSettings, headers } } };
    };
    const client = await clientCore(stage.folder, [through(PHONE), through(HOME), through(BUSY)]);
    const echo = await udpEcho();
    try {
      const [idle = 0, other = 0, busy = 0] = client.ports;
      const addresses = [PHONE, HOME, BUSY, '203.0.113.99'];
      const asked = [{ person: 'alice@x', clients: [numberOf('Alice@x')], addresses }];
      // Simultaneous requests for one target cannot be distinguished, so each starts when the one before is known.
      const opened = async (proxy: number, path: string, address: string) => {
        const request = await openThrough(proxy, stage.web.port, path);
        await eventually(async () =>
          expect((await core.addresses.idleTimes(asked))('alice@x', address)).not.toBeNull(),
        );
        return request;
      };
      const waiting = await opened(idle, '/wait', PHONE);
      const talking = await opened(other, '/wait', HOME);
      const download = await opened(busy, '/slow', BUSY);
      const flow = await udpFlow(other, echo.port);
      await eventually(async () => {
        const ms = await core.addresses.idleTimes(asked);
        expect(ms('alice@x', PHONE)).toBeGreaterThan(1000);
        expect(ms('alice@x', BUSY)).toBeLessThan(1000);
        expect([ms('alice@x', HOME), ms('alice@x', '203.0.113.99')]).toEqual([null, null]);
      });
      flow.stop();
      for (const one of [waiting, talking, download]) one.abort();
    } finally {
      echo.close();
      await client.close();
      await core.inbounds.remove(inbound);
    }
  });
});
