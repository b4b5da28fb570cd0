import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { failedInbound } from '../../../../src/adapters/core/process/start-error.js';
import { createPanel, type Panel } from '../../../../src/app/panel.js';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import type { CoreInbound, InboundProblem } from '../../../../src/commands/ports/core.js';
import { type ExcludedInbounds, startCore } from '../../../../src/commands/reactors/core/start.js';
import { Rejection } from '../../../../src/commands/rejection.js';
import type { JsonObject } from '../../../../src/lib/json.js';
import { render } from '../../../../src/messages/render.js';
import { explain } from '../../../../src/projections/why/explain.js';
import { admin, alice, bob, inboundDraft, userId } from '../../../kit/builders.js';
import {
  addInbound,
  type ClientCore,
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
  template,
  userOf,
} from '../kit.js';
import { ways } from '../protocols.js';

const salamander = (password: string): JsonObject => ({
  finalmask: { udp: [{ type: 'salamander', settings: { password } }] },
});
const vless = (tag: string, port: number, streamSettings: JsonObject = {}, listen = '127.0.0.1'): CoreInbound =>
  inboundOf({ tag, listen, port, protocol: 'vless', settings: { decryption: 'none' }, streamSettings });

/** An invalid key: the core crashes with it and names no inbound. */
const wireguard = (tag: string, port: number): CoreInbound =>
  inboundOf({ tag, port, protocol: 'wireguard', settings: { secretKey: 'abc', peers: [] } });

function nobodyYet(): ExcludedInbounds {
  const problems = new Map<string, InboundProblem>();
  return { problems, exclude: (tag, problem) => void problems.set(tag, problem) };
}

const reasons = ({ problems }: ExcludedInbounds) =>
  Object.fromEntries([...problems].map(([tag, { reason }]) => [tag, render(reason, 'en')]));

describe('the error of a core that did not start', () => {
  const many = (...inbounds: readonly CoreInbound[]) => new Map(inbounds.map((inbound) => [inbound.tag, inbound]));
  const failed = (chain: string): string => `2026/01/01 [Warning] x\nFailed to start: ${chain}\n`;
  const inbounds = many(vless('a', 1000), vless('b', 1001), vless('s', 0, {}, '/data/x y.sock,0666'));

  it.each([
    ['app/proxyman/inbound: failed to listen TCP on 1001 > transport/internet/hysteria: mask err > PSK', 'b'],
    ['app/proxyman/inbound: failed to start proxy > listen udp 10.9.9.9:1000: bind: cannot assign', 'a'],
    ['listen udp [::1]:1000: bind: address already in use', 'a'],
    ['app/proxyman/inbound: failed to listen Unix Domain Socket on /data/x y.sock > open: no such file', 's'],
    ['app/proxyman/inbound: failed to listen TCP on 1002 > no such port', null],
    ['transport/internet/tcp: failed to listen TCP on 1000.example > no port', null],
    ['app/proxyman/inbound: failed to start proxy > invalid argument', null],
  ])('%s', (chain, tag) => {
    expect(failedInbound(failed(chain), inbounds)).toBe(tag);
  });

  it('names no inbound if two listen on one port', () => {
    const both = many(vless('tcp', 1000), vless('udp', 1000, { network: 'kcp' }));
    expect(failedInbound(failed('app/proxyman/inbound: failed to listen TCP on 1000 > PSK'), both)).toBeNull();
    expect(failedInbound('panic: listen tcp 1.1.1.1:1000: x', both)).toBeNull();
  });
});

describe.skipIf(coreBinary === null)('inbounds with which the core does not start', () => {
  let web: Target;
  let hysteria: (port: number, mask: JsonObject) => CoreInbound;
  let here: Place;
  let client: ClientCore;
  let port: number;
  const good = () => vless('good', port);

  beforeAll(async () => {
    const cert = await certificate();
    web = await target(cert);
    const way = ways(cert, web.tlsPort)['hysteria'];
    hysteria = (at, mask) => {
      const config = way?.inbound(at) ?? {};
      return inboundOf({ ...config, streamSettings: { ...(config['streamSettings'] as JsonObject), ...mask } });
    };
    here = place();
    port = await freePort();
    const outbound = {
      protocol: 'vless',
      settings: { address: '127.0.0.1', port, id: alice.credential.id, encryption: 'none' },
    };
    client = await clientCore(here.folder, [outbound]);
  });

  afterAll(async () => {
    await client.close();
    await here.dispose();
    await web.close();
  });

  const asked = () => fetchThrough(client.ports[0] ?? 0, web.port);
  const served = userOf({ email: 'alice', id: alice.credential.id });

  it('are left out, several at once, while the others run', async () => {
    const inbounds: readonly CoreInbound[] = [
      { ...good(), users: new Map([[served.client, served]]) },
      hysteria(await freePort(), salamander('abc')),
      // On the port of the good one, over UDP: the words of the core fit both.
      vless('kcp', port, { network: 'kcp', ...salamander('') }),
      vless('socket', 0, {}, join(here.folder, 'nodir', 'x.sock')),
      vless('elsewhere', await freePort(), {}, '203.0.113.9'),
      wireguard('wg', await freePort()),
      vless('spare', await freePort()),
    ];
    const excluded = nobodyYet();
    expect(await startCore(here.core, configOf(inbounds), excluded)).toMatchObject({ ok: true });
    expect(reasons(excluded)).toStrictEqual({
      hysteria: 'PSK must be at least 4 bytes',
      kcp: 'PSK must be at least 4 bytes',
      socket: expect.stringContaining('no such file or directory'),
      elsewhere: expect.stringContaining('cannot assign requested address'),
      wg: expect.stringContaining('crashes'),
    });
    expect(excluded.problems.get('wg')?.crashes).toBe(true);
    expect([...(await here.core.inbounds.tags())].sort()).toStrictEqual(['good', 'spare']);
    expect(await asked()).toBe('small!');
  });

  it('do not affect the running core', async () => {
    await here.core.process.start(configOf([{ ...good(), users: new Map([[served.client, served]]) }]));
    const pid = here.core.process.running?.pid;
    await expect(addInbound(here.core, wireguard('wg', await freePort()))).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('crashes'),
    });
    await expect(
      addInbound(here.core, vless('kcp', port, { network: 'kcp', ...salamander('abc') })),
    ).rejects.toMatchObject({ kind: 'refused' });
    expect(here.core.process.running?.pid).toBe(pid);
    expect(await asked()).toBe('small!');
  });

  it('are found in one round of attempts, even a hundred', async () => {
    const first = await freePort();
    const lost = Array.from({ length: 100 }, (_, n) => vless(`lost-${n}`, first, {}, `203.0.113.${n + 1}`));
    const excluded = nobodyYet();
    const starts: number[] = [];
    const start = here.core.process.start.bind(here.core.process);
    vi.spyOn(here.core.process, 'start').mockImplementation((config) => {
      starts.push(config.inbounds.size);
      return start(config);
    });
    expect(await startCore(here.core, configOf([good(), ...lost]), excluded)).toMatchObject({ ok: true });
    expect(excluded.problems.size).toBe(100);
    expect(starts).toStrictEqual([101, 1]);
  });

  it('are rejected before they are added if they listen in a missing folder', async () => {
    const socket = vless('socket', 0, {}, join(here.folder, 'nodir', 'x.sock,0666'));
    await expect(here.core.config.testInbound(socket)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'the folder of the socket on which the inbound listens does not exist',
    });
    await expect(
      here.core.config.testInbound(vless('socket', 0, {}, join(here.folder, 'x.sock'))),
    ).resolves.toBeUndefined();
  });

  it('do not stop the other inbounds: at the start, after a kill and at the next start', async () => {
    await here.core.process.stop();
    const owner = userId(1);
    const add = (over: Parameters<typeof inboundDraft>[0]): AnyCommand => ({
      type: 'AddInbound',
      data: { owner, ...inboundDraft(over) },
    });
    const open = (): Promise<Panel> =>
      createPanel({
        dataDir: here.folder,
        version: '0',
        createCore: () => here.core,
        warn: () => undefined,
        failed: (error) => expect.unreachable(error.message),
      });
    const missing = join(here.folder, 'nodir', 'x.sock');
    let panel = await open();
    for (const command of [
      { type: 'ChangeCoreTemplate', data: { template, outboundTestUrl: '' } } as const,
      add({ spec: { listen: '127.0.0.1', port, tag: 'good' }, clients: [alice] }),
      add({ spec: { listen: missing, port: 0, tag: 'socket' }, clients: [bob] }),
      add({
        spec: { port: await freePort(), tag: 'wg', protocol: 'wireguard' },
        config: { settings: { secretKey: 'abc', peers: [] } },
      }),
    ]) {
      expect(panel.dispatch(command, { actor: admin, correlationId: 'test' })).not.toBeInstanceOf(Rejection);
    }
    await panel.start();
    const serves = async (): Promise<void> => {
      await expect
        .poll(
          () =>
            here.core.process.running !== null &&
            panel.read.records.core().process.run === here.core.process.running.run,
        )
        .toBe(true);
      expect([panel.read.records.core().process.error, await asked()]).toStrictEqual([null, 'small!']);
      expect([...panel.read.records.core().refused.keys()]).toStrictEqual([2, 3]);
    };
    await serves();
    const before = here.core.process.running;
    process.kill(before?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => here.core.process.running?.run !== before?.run).toBe(true);
    await serves();
    await panel.stop(false);
    panel = await open();
    await panel.start();
    await serves();
    const [why] = explain(panel.read, panel.log, 'bob', Date.now());
    expect(why).toMatchObject({ status: 'inbound rejected by the core', also: [] });
    expect(why && render(why.rule, 'en')).toContain('no such file or directory');
    await panel.stop(false);
  });
});
