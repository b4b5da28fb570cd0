import { describe, expect, it } from 'vitest';
import type { CoreInbound } from '../../../../src/commands/ports/core.js';
import { addInbound, clientCore, coreBinary, fetchThrough, freePort, inboundOf, numberOf, userOf } from '../kit.js';
import { coreStage } from '../stage.js';

describe.skipIf(coreBinary === null)('accounts and inbounds of a running core', () => {
  const stage = coreStage();

  const way = (name: string) => stage.way(name);
  const add = async (name: string): Promise<{ inbound: CoreInbound; port: number }> => {
    const port = await freePort();
    const inbound = inboundOf(way(name).inbound(port));
    await addInbound(stage.core, inbound);
    return { inbound, port };
  };

  it.each(['vless-tcp', 'vmess', 'trojan-tls', 'ss', 'ss2022', 'hysteria'])(
    'are added, compared and removed: %s',
    async (name) => {
      const { inbound, port } = await add(name);
      const account = way(name).account('Alice@x');
      const client = await clientCore(stage.folder, [way(name).outbound(port, account)]);
      const [socks = 0] = client.ports;
      try {
        expect(await fetchThrough(socks, stage.web.port, 800)).toBeNull();
        await stage.core.users.add(inbound, userOf(account));
        await stage.core.users.add(inbound, userOf(account));
        expect(await stage.core.users.list(inbound)).toStrictEqual(
          new Map([
            [numberOf('alice@x'), { email: 'Alice@x', digest: stage.core.users.digest(inbound, userOf(account)) }],
          ]),
        );
        expect(await fetchThrough(socks, stage.web.port)).toBe('small!');
        await stage.core.users.remove(inbound, userOf(account));
        await stage.core.users.remove(inbound, userOf(account));
        expect(await stage.core.users.list(inbound)).toStrictEqual(new Map());
        if (name !== 'hysteria') expect(await fetchThrough(socks, stage.web.port, 800)).toBeNull();
        await stage.core.inbounds.remove(inbound);
        await stage.core.inbounds.remove(inbound);
        expect(await stage.core.inbounds.tags()).toStrictEqual([]);
      } finally {
        await client.close();
      }
    },
  );

  it('never accept the server key of Shadowsocks 2022 as the key of a client', async () => {
    const { inbound, port } = await add('ss2022');
    const client = await clientCore(stage.folder, [way('ss2022').outbound(port, {})]);
    expect(await fetchThrough(client.ports[0] ?? 0, stage.web.port, 1500)).toBeNull();
    await client.close();
    await stage.core.inbounds.remove(inbound);
  });

  it('exclude an account that would crash the core', async () => {
    const pid = stage.core.process.running?.pid;
    const trojan = (await add('trojan-tls')).inbound;
    const ss2022 = (await add('ss2022')).inbound;
    const vless = (await add('vless-tcp')).inbound;
    const invalid = { kind: 'invalid' };
    await expect(stage.core.users.add(trojan, userOf(way('vless-tcp').account('a')))).rejects.toMatchObject(invalid);
    await expect(stage.core.users.add(ss2022, userOf({ email: 'a', password: 'c2hvcnQ=' }))).rejects.toMatchObject(
      invalid,
    );
    await expect(stage.core.users.add(vless, userOf({ email: 'a', id: 'x', flow: 'nonsense' }))).rejects.toMatchObject(
      invalid,
    );
    expect(
      (await stage.core.users.list(trojan)).size +
        (await stage.core.users.list(ss2022)).size +
        (await stage.core.users.list(vless)).size,
    ).toBe(0);
    expect(stage.core.process.running?.pid).toBe(pid);
    for (const inbound of [trojan, ss2022, vless]) await stage.core.inbounds.remove(inbound);
  });

  it('are replaced if the email is the same', async () => {
    const { inbound } = await add('vless-tcp');
    const [first, second] = [userOf(way('vless-tcp').account('a')), userOf(way('vless-tcp').account('a'))];
    await stage.core.users.add(inbound, first);
    await stage.core.users.add(inbound, second);
    expect(await stage.core.users.list(inbound)).toStrictEqual(
      new Map([[numberOf('a'), { email: 'a', digest: stage.core.users.digest(inbound, second) }]]),
    );
    await stage.core.inbounds.remove(inbound);
  });

  it('leave nothing behind when an inbound cannot be opened', async () => {
    const inbound = inboundOf(way('vless-tcp').inbound(stage.web.port));
    const taken = { ...inbound, config: { ...inbound.config, listen: '127.0.0.1' } };
    await expect(addInbound(stage.core, taken)).rejects.toMatchObject({ kind: 'refused', inbound: 'vless-tcp' });
    expect(await stage.core.inbounds.tags()).toStrictEqual([]);
    expect(stage.core.inbounds.applied().size).toBe(0);
    const free = inboundOf(way('vless-tcp').inbound(await freePort()));
    await addInbound(stage.core, free);
    expect(stage.core.inbounds.applied().get('vless-tcp')).toStrictEqual(free.config);
    await stage.core.inbounds.remove(free);
  });

  it('are added with few processes, without those that the core rejects', async () => {
    const inbounds: CoreInbound[] = [];
    for (let n = 0; n < 40; n += 1) {
      const { config } = inboundOf(way('vless-tcp').inbound(await freePort()));
      inbounds.push({ ...inboundOf({ ...config, tag: `many-${n}` }), hotUsers: true });
    }
    const of = (n: number): CoreInbound => {
      const found = inbounds[n];
      if (!found) throw new Error(`no inbound ${n}`);
      return found;
    };
    // Not taken by the configuration test, by the panel, and by the running core.
    inbounds[7] = { ...of(7), config: { ...of(7).config, settings: {} } };
    inbounds[8] = { ...of(8), config: { ...of(8).config, listen: '/etc/portolan.sock' } };
    inbounds[9] = { ...of(9), config: { ...of(9).config, listen: '127.0.0.1', port: stage.web.port } };
    const refused = await stage.core.inbounds.add(inbounds);
    const problems = Object.fromEntries([...refused].map(([tag, { kind, inbound }]) => [tag, [kind, inbound]]));
    expect(problems).toStrictEqual({
      'many-7': ['invalid', 'many-7'],
      'many-8': ['invalid', 'many-8'],
      'many-9': ['refused', 'many-9'],
    });
    expect((await stage.core.inbounds.tags()).length).toBe(37);
    expect(stage.core.inbounds.applied().size).toBe(37);
    for (const inbound of inbounds) await stage.core.inbounds.remove(inbound);
  });
});
