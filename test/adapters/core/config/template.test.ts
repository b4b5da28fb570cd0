import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.js';
import { eventually } from '../../../kit/wait.js';
import { clientCore, configOf, coreBinary, freePort, inboundOf, openThrough, place, template } from '../kit.js';

const ID = '11111111-1111-4111-8111-111111111111';

/** A place of its own, gone with the test. */
function fresh() {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-template-'));
  const made = place(folder);
  onTestFinished(() => made.dispose());
  return made;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

describe.skipIf(coreBinary === null)('a template that a real core runs', () => {
  it('opens no port, does not expose the API, and writes only to its own logs', async () => {
    const { core, folder } = fresh();
    const [api, metrics, door] = [await freePort(), await freePort(), await freePort()];
    const outside = mkdtempSync(join(tmpdir(), 'portolan-outside-'));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    const victim = join(outside, 'victim.log');
    writeFileSync(victim, 'untouched');
    mkdirSync(join(folder, 'logs'), { mode: 0o700 });
    symlinkSync(victim, join(folder, 'logs', 'victim.log'));
    execFileSync('mkfifo', [join(folder, 'logs', 'error.log')]);
    const hostile: JsonObject = {
      ...template,
      Log: { Access: victim, Error: join(outside, '..', 'error.log'), loglevel: 'debug' },
      Api: { tag: 'api', listen: `127.0.0.1:${api}`, services: ['HandlerService', 'ReflectionService'] },
      Metrics: { listen: `127.0.0.1:${metrics}` },
      Stats: null,
      Inbounds: [
        { tag: 'api', listen: '127.0.0.1', port: door, protocol: 'tunnel', settings: { address: '127.0.0.1' } },
      ],
    };
    delete (hostile as Record<string, unknown>)['log'];
    await core.process.start(configOf([], hostile));
    expect(await Promise.all([api, metrics, door].map(isOpen))).toStrictEqual([false, false, false]);
    expect([...(await core.stats.counters()).outbounds.keys()]).toContain('direct');
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    for (const name of ['victim.log', 'error.log']) {
      const found = lstatSync(join(folder, 'logs', name), { throwIfNoEntry: false });
      expect(found === undefined || found.isFile(), name).toBe(true);
    }
  });

  it.each([
    ['an empty pool of fake addresses', { fakedns: {} }],
    ['a pool that is larger than its network', { fakedns: { ipPool: '198.18.0.0/15', poolSize: 999_999 } }],
  ])('is rejected with the reason if a core would not start with it: %s', async (_, broken) => {
    const { core } = fresh();
    const port = await freePort();
    const config = configOf([
      inboundOf({ tag: 'in', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }),
    ]);
    const { pid } = await core.process.start(config);
    await expect(core.config.testTemplate({ ...config, template: { ...template, ...broken } })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/fake/i),
    });
    await core.config.testTemplate(config); // its port is in use, by the core that runs
    expect(core.process.running?.pid).toBe(pid);
    expect(await isOpen(port)).toBe(true);
  });

  it('may block all traffic without an effect on calls of the panel', async () => {
    const { core, folder } = fresh();
    const port = await freePort();
    const one = inboundOf(
      { tag: 'in', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } },
      [{ email: 'alice@x', id: ID }],
    );
    const rules = [{ network: 'tcp,udp', outboundTag: 'blocked' }];
    await core.process.start(configOf([one], { ...template, Routing: { rules }, routing: null }));
    const settings = { address: '127.0.0.1', port, id: ID, encryption: 'none' };
    const client = await clientCore(folder, [{ protocol: 'vless', settings }]);
    onTestFinished(() => client.close());
    await expect(openThrough(client.ports[0] ?? 0, port, '/', 2000)).rejects.toThrow();
    await eventually(async () => expect((await core.stats.counters()).inbounds.get('in')?.up).toBeGreaterThan(0));
    expect(await core.inbounds.tags()).toStrictEqual(['in']);
  });
});
