import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { identify } from '../../../../src/adapters/core/process/proc.js';
import { createXrayCore } from '../../../../src/adapters/core/xray.js';
import type { CoreCounters } from '../../../../src/commands/ports/core.js';
import { message } from '../../../../src/messages/message.js';
import { addInbound, configOf, coreBinary, freePort, inboundOf, type Place, place, template } from '../kit.js';

const plain = ({ clients, inbounds, outbounds }: CoreCounters) => {
  const all = [clients, inbounds, outbounds] as readonly ReadonlyMap<number | string, unknown>[];
  return all.map((counters) => Object.fromEntries(counters));
};
const vless = (port: number, tag = 'one') =>
  inboundOf({ tag, listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } });

describe.skipIf(coreBinary === null)('a core process', () => {
  const places: Place[] = [];
  const somewhere = (folder?: string): Place => {
    const here = place(folder);
    places.push(here);
    return here;
  };
  afterEach(async () => {
    for (const here of places.splice(0)) await here.dispose();
  });

  it('starts, responds and stops', async () => {
    const { core, folder } = somewhere();
    expect(await core.binary.version()).toMatch(/^\d+\.\d+\.\d+$/);
    const config = configOf([vless(await freePort())]);
    await core.config.test(config);
    const run = await core.process.start(config);
    expect(core.process.running).toStrictEqual(run);
    expect(run.version).toBe(await core.binary.version());
    expect(await core.inbounds.tags()).toStrictEqual(['one']);
    expect(core.process.appliedTemplate()).toStrictEqual(template);
    expect(core.process.output()).toBe('');
    for (const file of ['core.json', 'core-config.json', 'applied.json', 'core.sock', 'trace.log']) {
      expect([file, statSync(join(folder, 'run', file)).mode & 0o077]).toStrictEqual([file, 0]);
    }
    await core.process.stop();
    await core.process.stop();
    expect(core.process.running).toBeNull();
    expect(identify(run.pid)).toBeNull();
    expect(readdirSync(join(folder, 'run'))).toStrictEqual(['trace.log']);
  });

  it('reports what is wrong with a configuration, without file names', async () => {
    const { core, folder } = somewhere();
    const good = vless(await freePort(), 'good');
    const bad = inboundOf({ tag: 'bad', port: await freePort(), protocol: 'vless', settings: {} });
    const refusal = { kind: 'invalid', inbound: 'bad', message: expect.stringContaining('"decryption":"none"') };
    await expect(core.config.test(configOf([good, bad]))).rejects.toMatchObject(refusal);
    await expect(core.config.testInbound(bad)).rejects.toMatchObject(refusal);
    await expect(core.config.testInbound(good)).resolves.toBeUndefined();
    const error = await core.process.start(configOf([good, bad])).catch((reason: Error) => reason);
    expect(error).toMatchObject(refusal);
    expect((error as Error).message).not.toContain(folder);
    expect(core.process.running).toBeNull();
    expect(readdirSync(join(folder, 'run'))).toStrictEqual([]);
  });

  it('reports the inbound whose port is in use', async () => {
    const { core } = somewhere();
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const config = configOf([vless(port, 'taken')]);
    await expect(core.process.start(config)).rejects.toMatchObject({
      kind: 'refused',
      inbound: 'taken',
      message: expect.stringContaining('in use'),
    });
    await new Promise((resolve) => other.close(resolve));
    await core.process.start(config);
  });

  it('reports its own exit', async () => {
    const { core, folder } = somewhere();
    const run = await core.process.start(configOf([]));
    const exit = firstValueFrom(core.process.exited$);
    process.kill(run.pid, 'SIGKILL');
    expect(await exit).toStrictEqual({
      run: run.run,
      reason: message('core.killedBySignal', { signal: 'SIGKILL' }),
      configuration: false,
    });
    expect(core.process.running).toBeNull();
    expect(existsSync(join(folder, 'run', 'core.json'))).toBe(false);
    await expect(core.stats.counters()).rejects.toMatchObject({ kind: 'not-running' });
  });

  it('fails to start without a binary, with the reason', async () => {
    const { folder } = somewhere();
    const options = {
      runDir: join(folder, 'run'),
      logDir: join(folder, 'logs'),
      assetDir: folder,
      log: () => undefined,
      splice: false,
    };
    for (const binary of [null, join(folder, 'nothing')]) {
      const core = createXrayCore({ ...options, binary });
      expect(await core.binary.version()).toBeNull();
      await expect(core.process.start(configOf([]))).rejects.toMatchObject({ kind: 'missing' });
      await expect(core.config.test(configOf([]))).rejects.toMatchObject({ kind: 'missing' });
    }
  });

  it('is not reported as missing if it exists but prints no version', async () => {
    const { folder } = somewhere();
    const binary = join(folder, 'silent');
    writeFileSync(binary, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
    const core = createXrayCore({
      binary,
      runDir: join(folder, 'run'),
      logDir: join(folder, 'logs'),
      assetDir: folder,
      log: () => undefined,
      splice: false,
    });
    expect(await core.binary.version()).toBeNull();
    const silent = { kind: 'refused', message: 'The core does not report its version' };
    await expect(core.process.start(configOf([]))).rejects.toMatchObject(silent);
  });

  it('is adopted with its counters after the panel was killed, and its exit is noticed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-core-'));
    const port = await freePort();
    const script = fileURLToPath(new URL('./owner.ts', import.meta.url));
    const owner = spawn(process.execPath, ['--import', './scripts/typescript.mjs', script, folder, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    await new Promise<void>((resolve) =>
      owner.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes('\n')) resolve();
      }),
    );
    const told = JSON.parse(printed) as { run: { run: string; pid: number }; counters: object };
    owner.kill('SIGKILL');
    await new Promise((resolve) => owner.once('exit', resolve));

    const { core } = somewhere(folder);
    const run = await core.process.adopt();
    expect(run).toStrictEqual(told.run);
    expect(plain(await core.stats.counters())).toStrictEqual(told.counters);
    expect(core.process.appliedTemplate()).toStrictEqual(template);
    expect([...core.inbounds.applied().keys()]).toStrictEqual(['vless-tcp']);
    await core.inbounds.remove(inboundOf(core.inbounds.applied().get('vless-tcp') ?? {}));
    await addInbound(core, vless(port));

    await core.process.release();
    expect(core.process.running).toBeNull();
    const next = somewhere(folder).core;
    expect(await next.process.adopt()).toStrictEqual(told.run);
    expect([...next.inbounds.applied().keys()]).toStrictEqual(['one']);
    const exit = firstValueFrom(next.process.exited$);
    process.kill(told.run.pid, 'SIGKILL');
    expect(await exit).toMatchObject({ run: told.run.run, configuration: false });
    expect(await next.process.adopt()).toBeNull();
  });

  it('is not adopted if its accounts have the names of an older release', async () => {
    const first = somewhere();
    const left = await first.core.process.start(configOf([vless(await freePort())]));
    await first.core.process.release();
    const file = join(first.folder, 'run', 'applied.json');
    const { naming, ...older } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(naming).toBeDefined();
    writeFileSync(file, JSON.stringify(older));
    expect(await somewhere(first.folder).core.process.adopt()).toBeNull();
    expect(identify(left.pid)).toBeNull();
  });

  it('never runs twice: a new start ends a core that was left running', async () => {
    const first = somewhere();
    const left = await first.core.process.start(configOf([vless(await freePort())]));
    await first.core.process.release();
    const second = somewhere(first.folder);
    const run = await second.core.process.start(configOf([]));
    expect(run.pid).not.toBe(left.pid);
    expect(identify(left.pid)).toBeNull();
  });
});
