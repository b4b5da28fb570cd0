import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { draft, inboundDraft, one, userId } from '../kit/builders.js';
import { fromCapsule } from '../kit/capsule.js';
import { commandLine } from '../kit/command-line.js';
import { busOver, TestLog, temporaryFolder } from '../kit/log.js';

/** Ann and Bob in one inbound; Ann used bytes, was edited, and got another email. */
function history() {
  const journal = new TestLog();
  const bus = busOver(journal.log, journal.clock);
  const config = { settings: { decryption: 'none' }, stream: { network: 'ws', wsSettings: { path: '/secret-path' } } };
  bus.must({
    type: 'AddInbound',
    data: { owner: userId(1), ...inboundDraft({ spec: { remark: 'Harbour office' }, config }) },
  });
  const clients = [draft('ann@harbour.example', 1), draft('bob@harbour.example', 2)];
  bus.must({ type: 'AddClients', data: { inbound: one, clients } });
  bus.must({ type: 'AdjustClientTraffic', data: { email: 'ann@harbour.example', up: 8_000_001, down: 5 } });
  bus.must({ type: 'AdjustClientTraffic', data: { email: 'bob@harbour.example', up: 7_000_002, down: 5 } });
  const portolan = (...args: readonly string[]) => commandLine(args, { PORTOLAN_DATA_DIR: journal.directory.root });
  return { journal, portolan };
}

/** A capsule of a client as a file. */
async function capsuleOf(client: string) {
  const { journal, portolan } = history();
  const { out, err, code } = await portolan('capsule', '--client', client);
  expect([code, err]).toStrictEqual([0, '']);
  const file = join(temporaryFolder(), 'capsule.jsonl');
  const write = (text: string): void => writeFileSync(file, text);
  write(out);
  return { journal, portolan, out, file, write };
}

describe('portolan capsule', () => {
  it('writes the events of a client with other names and without secrets; amounts, times and positions stay', async () => {
    const { out, file, journal } = await capsuleOf('ann@harbour.example');
    for (const word of ['ann', 'bob', 'harbour', 'Harbour', 'secret-path', '00000001-'])
      expect(out).not.toContain(word);
    expect(out).not.toContain('7000002');
    const { read, header } = fromCapsule(file);
    expect(header.clients).toStrictEqual([1]);
    const [client, ...others] = read.clients.all();
    expect(others).toStrictEqual([]);
    expect(read.usage.client(client ?? expect.fail('no client'))).toMatchObject({ up: 8_000_001, down: 5 });
    const stream = read.inbounds.get(1)?.config.stream;
    expect(stream).toMatchObject({ network: 'ws', wsSettings: { path: expect.stringMatching(/^\/text-\d+x*$/) } });
    expect(header.position).toBe(journal.log.head().position);
  });

  it('writes the clients of the events around a position', async () => {
    const { portolan } = history();
    const { out } = await portolan('capsule', '--around', '1');
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ capsule: 1, clients: [1, 2], inbounds: [1] });
  });

  it('names a client by its number too', async () => {
    const { portolan } = history();
    const { out } = await portolan('capsule', '--client', '#2');
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ clients: [2] });
  });

  it.each([
    [[], 2, 'Give either --around POSITION or --client CLIENT'],
    [['--around', '1', '--client', 'x'], 2, 'Give either --around POSITION or --client CLIENT'],
    [['--around', '99'], 2, '--around'],
    [['--client', 'zoe'], 1, 'zoe'],
    [['--client', '#77'], 1, '#77'],
  ])('refuses %j', async (args, code, text) => {
    const { portolan } = history();
    const done = await portolan('capsule', ...args);
    expect([done.code, done.out]).toStrictEqual([code, '']);
    expect(done.err).toContain(text);
  });
});

describe('portolan replay-capsule', () => {
  it('reaches the digests of the machine that wrote it', async () => {
    const { portolan, file } = await capsuleOf('ann@harbour.example');
    const done = await portolan('replay-capsule', file);
    expect([done.code, done.err]).toStrictEqual([0, '']);
    expect(done.out).toMatch(/^ {2}clients +same digest$/m);
    const { models } = JSON.parse((await portolan('replay-capsule', file, '--json')).out);
    expect(models.length).toBeGreaterThan(15);
    expect(new Set(models.map(({ result }: { result: string }) => result))).toStrictEqual(new Set(['same']));
  });

  it('names the read models that differ', async () => {
    const { portolan, file, out, write } = await capsuleOf('ann@harbour.example');
    write(out.replace('8000001', '8000002'));
    const done = await portolan('replay-capsule', file);
    expect(done.code).toBe(1);
    expect(done.out).toMatch(/^ {2}traffic +DIFFERENT digest$/m);
    expect(done.err).toMatch(/another digest .*: .*traffic/);
  });

  it('does not compare read models of another version', async () => {
    const { portolan, file, out, write } = await capsuleOf('ann@harbour.example');
    write(out.replace(/"clients":\{"version":\d+/, '"clients":{"version":999'));
    const done = await portolan('replay-capsule', file);
    expect([done.code, done.err]).toStrictEqual([0, '']);
    expect(done.out).toMatch(/^ {2}clients +not compared/m);
  });

  it.each([
    ['another file', () => 'name,bytes\n1,2\n', 'The first line is not the header of a capsule'],
    ['an empty file', () => '', 'The first line is not the header of a capsule'],
    [
      'a shortened file',
      (text: string) => text.trimEnd().split('\n').slice(0, -1).join('\n'),
      'the file is incomplete',
    ],
    ['a broken line', (text: string) => text.replace('"position":2,', '"position":2,,'), 'Line 3 of the capsule'],
    [
      'an event of a newer version',
      (text: string) => text.replace('"ClientAdded"', '"ClientBlessed"'),
      'ClientBlessed',
    ],
    ['an event of another shape', (text: string) => text.replace('"keyVersion":1', '"keyVersion":[]'), 'Line '],
  ])('refuses %s', async (_name, change, text) => {
    const { portolan, file, out, write } = await capsuleOf('ann@harbour.example');
    write(change(out));
    const done = await portolan('replay-capsule', file);
    expect([done.code, done.out]).toStrictEqual([1, '']);
    expect(done.err).toContain(text);
  });

  it('names a file that does not exist', async () => {
    const { portolan } = history();
    const done = await portolan('replay-capsule', '/nowhere/capsule.jsonl');
    expect([done.code, done.err]).toStrictEqual([1, expect.stringContaining('/nowhere/capsule.jsonl does not exist')]);
  });
});
