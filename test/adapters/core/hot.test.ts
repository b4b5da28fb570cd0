import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Core, CoreInbound } from '../../../src/commands/ports/core.js';
import {
  type Certificate,
  certificate,
  clientCore,
  configOf,
  coreBinary,
  fetchThrough,
  freePort,
  inboundOf,
  type Place,
  place,
  type Target,
  target,
  userOf,
} from './kit.js';
import { type Way, ways } from './protocols.js';

describe.skipIf(coreBinary === null)('accounts and inbounds of a running core', () => {
  let cert: Certificate;
  let web: Target;
  let here: Place;
  let core: Core;
  let all: Readonly<Record<string, Way>>;

  beforeAll(async () => {
    cert = await certificate();
    web = await target(cert);
    all = ways(cert, web.tlsPort);
    here = place();
    core = here.core;
    await core.start(configOf([]));
  });
  afterAll(async () => {
    await here.dispose();
    await web.close();
  });

  const way = (name: string): Way => all[name] as Way;
  const add = async (name: string): Promise<{ inbound: CoreInbound; port: number }> => {
    const port = await freePort();
    const inbound = inboundOf(way(name).inbound(port));
    await core.addInbound(inbound);
    return { inbound, port };
  };

  it.each(['vless-tcp', 'vmess', 'trojan-tls', 'ss', 'ss2022', 'hysteria'])(
    '%s: adds, compares and removes an account',
    async (name) => {
      const { inbound, port } = await add(name);
      const account = way(name).account('Anna@x');
      const client = await clientCore(here.folder, [way(name).outbound(port, account)]);
      const [socks = 0] = client.ports;
      try {
        expect(await fetchThrough(socks, web.port, 800)).toBeNull();
        await core.addUser(inbound, userOf(account));
        await core.addUser(inbound, userOf(account));
        expect(await core.users(inbound)).toStrictEqual(
          new Map([['Anna@x', core.accountDigest(inbound, userOf(account))]]),
        );
        expect(await fetchThrough(socks, web.port)).toBe('small!');
        await core.removeUser(inbound, 'Anna@x');
        await core.removeUser(inbound, 'Anna@x');
        expect(await core.users(inbound)).toStrictEqual(new Map());
        if (name !== 'hysteria') expect(await fetchThrough(socks, web.port, 800)).toBeNull();
        await core.removeInbound(inbound);
        await core.removeInbound(inbound);
        expect(await core.inboundTags()).toStrictEqual([]);
      } finally {
        await client.close();
      }
    },
  );

  it('never lets the server key of shadowsocks 2022 open an inbound', async () => {
    const { inbound, port } = await add('ss2022');
    const client = await clientCore(here.folder, [way('ss2022').outbound(port, {})]);
    expect(await fetchThrough(client.ports[0] ?? 0, web.port, 1500)).toBeNull();
    await client.close();
    await core.removeInbound(inbound);
  });

  it('refuses an account that the core would not survive', async () => {
    const pid = core.running?.pid;
    const trojan = (await add('trojan-tls')).inbound;
    const ss2022 = (await add('ss2022')).inbound;
    const vless = (await add('vless-tcp')).inbound;
    const invalid = { kind: 'invalid' };
    await expect(core.addUser(trojan, userOf(way('vless-tcp').account('a')))).rejects.toMatchObject(invalid);
    await expect(core.addUser(ss2022, userOf({ email: 'a', password: 'c2hvcnQ=' }))).rejects.toMatchObject(invalid);
    await expect(core.addUser(vless, userOf({ email: 'a', id: 'x', flow: 'nonsense' }))).rejects.toMatchObject(invalid);
    expect((await core.users(trojan)).size + (await core.users(ss2022)).size + (await core.users(vless)).size).toBe(0);
    expect(core.running?.pid).toBe(pid);
    for (const inbound of [trojan, ss2022, vless]) await core.removeInbound(inbound);
  });

  it('replaces an account of the same email', async () => {
    const { inbound } = await add('vless-tcp');
    const [first, second] = [userOf(way('vless-tcp').account('a')), userOf(way('vless-tcp').account('a'))];
    await core.addUser(inbound, first);
    await core.addUser(inbound, second);
    expect(await core.users(inbound)).toStrictEqual(new Map([['a', core.accountDigest(inbound, second)]]));
    await core.removeInbound(inbound);
  });

  it('leaves nothing behind when an inbound cannot be opened', async () => {
    const inbound = inboundOf(way('vless-tcp').inbound(web.port));
    const taken = { ...inbound, config: { ...inbound.config, listen: '127.0.0.1' } };
    await expect(core.addInbound(taken)).rejects.toMatchObject({ kind: 'refused', inbound: 'vless-tcp' });
    expect(await core.inboundTags()).toStrictEqual([]);
    expect(core.appliedInbounds().size).toBe(0);
    const free = inboundOf(way('vless-tcp').inbound(await freePort()));
    await core.addInbound(free);
    expect(core.appliedInbounds().get('vless-tcp')).toStrictEqual(free.config);
    await core.removeInbound(free);
  });
});
