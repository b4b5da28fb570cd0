import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createHeadKey,
  isSignedBy,
  readPublicKey,
  type SignedHead,
  signHead,
} from '../../../src/lib/proof/signed-head.js';
import { LogVerifier, readHeads } from '../../../src/lib/proof/verify-log.js';
import { proofProblem, readProof } from '../../../src/lib/proof/verify-proof.js';
import { uuid } from '../../kit/builders.js';
import { temporaryFolder } from '../../kit/log.js';
import { exportOf } from '../../kit/proof.js';
import { startPanel } from '../kit/panel.js';

const TOKEN = 'secret-token';
const headers = { authorization: `Bearer ${TOKEN}` };
const PATH = '/panel/api/proof';

interface Sink {
  sink: string;
  target: string;
  position: number;
  waiting: number;
  failingSince: number;
  attempts: number;
  problem: string;
  problemCode: string | null;
}
interface Status {
  panel: string;
  key: { id: string; publicKey: string; pem: string } | null;
  last: SignedHead | null;
  heads: number;
  sinks: Sink[];
  others: { panel: string; heads: number; last: SignedHead; conflict: { other: number } | null }[];
}

async function start(settings: Readonly<Record<string, unknown>> = {}, parts: { readonly now?: () => number } = {}) {
  const panel = await startPanel({ settings, parts });
  panel.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
  const get = async (path: string) => panel.call('GET', `${PATH}${path}`, { headers });
  const post = async (path: string, body: object = {}) =>
    panel.call('POST', `${PATH}${path}`, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const status = async () => (await get('/status')).json?.obj as Status;
  const publish = async () => (await post('/publish')).json?.obj as { head: SignedHead; sinks: Sink[] };
  const events = (count: number): void => {
    for (let n = 0; n < count; n += 1) panel.given({ type: 'RecordPanelStarted', data: { version: '1.0.0' } });
  };
  return { panel, get, post, status, publish, events };
}

/** A receiver on loopback. */
async function webhook() {
  const received: SignedHead[] = [];
  const does = { status: 204 };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (does.status === 204) received.push(JSON.parse(Buffer.concat(chunks).toString()) as SignedHead);
      res.writeHead(does.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, does, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads` };
}

const headsIn = (text: string): readonly SignedHead[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SignedHead);

/** A place of one kind, which can be away, and the heads in it. */
async function onlyPlace(kind: 'file' | 'git' | 'webhook' | 'panel') {
  if (kind === 'webhook') {
    const { url, received, does } = await webhook();
    const away = (isAway: boolean): unknown => (does.status = isAway ? 503 : 204);
    return { settings: { proofWebhook: url }, away, heads: async () => received };
  }
  if (kind === 'panel') {
    const other = await start();
    const away = (isAway: boolean): void =>
      other.panel.given({ type: 'ChangeSettings', data: { changes: { apiTokenEnable: !isAway } } });
    const heads = async () => {
      const [known] = (await other.status()).others;
      return headsIn((await other.get(`/received/${known?.panel}`)).text);
    };
    return { settings: { proofPanel: other.panel.origin, proofPanelToken: TOKEN }, away, heads };
  }
  const folder = join(temporaryFolder(), 'place');
  mkdirSync(folder);
  if (kind === 'git') execFileSync('git', ['init', '--quiet', folder]);
  const settings = kind === 'git' ? { proofGit: folder } : { proofFile: join(folder, 'heads.jsonl') };
  const away = (isAway: boolean): void =>
    isAway ? renameSync(folder, `${folder}-away`) : renameSync(`${folder}-away`, folder);
  const heads = async () => {
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.jsonl'));
    return headsIn(readFileSync(join(folder, name), 'utf8'));
  };
  return { settings, away, heads };
}

describe('signed heads', () => {
  it('are signed on demand with a key that is created once', async () => {
    const { panel, status, publish, events } = await start();
    expect(await status()).toMatchObject({ key: null, last: null, heads: 0, sinks: [], others: [] });
    const { head } = await publish();
    const [created, signed] = panel.appended();
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['HeadKeyCreated', 'HeadSigned']);
    expect(signed?.meta.actor.kind).toBe('token');
    expect(head).toMatchObject({ position: created?.position, hash: panel.log.hashAt(head.position) });
    events(2);
    await publish();
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['HeadSigned']);
    const { key, last, heads, panel: id } = await status();
    expect([heads, last?.panel, id]).toStrictEqual([2, panel.log.at(1)?.id, panel.log.at(1)?.id]);
    expect(readPublicKey(key?.pem ?? '')).toBe(key?.publicKey);
    expect(last && isSignedBy(last, key?.publicKey ?? '')).toBe(true);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('confirm the export of the log, as the verifier reads both', async () => {
    const { panel, get, publish, events, status } = await start();
    for (let n = 0; n < 3; n += 1) {
      events(4);
      await publish();
    }
    const text = (await get('/heads.jsonl')).text;
    const heads = readHeads(text, (await status()).key?.publicKey ?? '');
    if (!Array.isArray(heads)) throw new Error('the heads are not valid');
    const verifier = new LogVerifier(heads as readonly SignedHead[]);
    verifier.add(Buffer.from(exportOf(panel.log)));
    expect(verifier.end()).toMatchObject({ heads: 3, fault: null, events: panel.log.head().position });
    const [first, second] = heads as readonly SignedHead[];
    expect((await get(`/heads?after=${first?.position}&limit=1`)).json?.obj).toStrictEqual([second]);
    expect((await get('/heads?newest=true&limit=2')).json?.obj).toStrictEqual([heads[2], second]);
    const exported = await get('/events.jsonl');
    expect(exported.headers.get('content-disposition')).toContain('events.jsonl');
    expect(exported.text).toBe(exportOf(panel.log));
    expect((await get('/verify-log.mjs')).text).toBe(readFileSync('dist/verify-log.mjs', 'utf8'));
  });

  it('go to a file, a git repository, a webhook and another Portolan', async () => {
    const place = temporaryFolder();
    const repository = join(place, 'repository');
    mkdirSync(repository);
    execFileSync('git', ['init', '--quiet', repository]);
    const { url, received } = await webhook();
    const other = await start();
    const file = join(place, 'heads.jsonl');
    const { panel, publish, events } = await start({
      ...{ proofFile: file, proofGit: repository, proofWebhook: url },
      ...{ proofPanel: other.panel.origin, proofPanelToken: TOKEN },
    });
    const { head, sinks } = await publish();
    expect(sinks.map(({ sink, position, waiting, problem }) => [sink, position, waiting, problem])).toStrictEqual(
      ['webhook', 'file', 'git', 'panel'].map((sink) => [sink, head.position, 0, '']),
    );
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['HeadKeyCreated', 'HeadSigned', 'HeadsPublished']);
    events(1);
    const next = await publish();
    const lines = [head, next.head].map((one) => `${JSON.stringify(one)}\n`).join('');
    expect(readFileSync(file, 'utf8')).toBe(lines);
    expect(readFileSync(join(repository, `heads-${head.panel}.jsonl`), 'utf8')).toBe(lines);
    const commits = execFileSync('git', ['-C', repository, 'log', '--format=%s %an'], { encoding: 'utf8' });
    expect(commits.trim().split('\n')).toStrictEqual(
      [next.head, head].map(({ position }) => `Head of position ${position} Portolan`),
    );
    expect(received).toMatchObject([head, next.head]);
    const [known] = (await other.status()).others;
    expect(known).toMatchObject({ panel: head.panel, heads: 2, last: next.head, conflict: null });
    expect((await other.get(`/received/${head.panel}`)).text).toBe(lines);
  });

  it('wait for a place that fails, and one failure is recorded', async () => {
    const { url, received, does } = await webhook();
    does.status = 503;
    const { panel, publish, events, status } = await start({ proofWebhook: url });
    const first = await publish();
    const [sink] = first.sinks;
    expect(sink).toMatchObject({ position: 0, waiting: 1, attempts: 1, problemCode: 'network.receiverStatus' });
    expect(panel.appended().map(({ type }) => type)).toContain('HeadPublicationFailed');
    events(1);
    const second = await publish();
    expect(second.sinks[0]).toMatchObject({ attempts: 2, waiting: 1 });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['HeadSigned']);
    does.status = 204;
    const third = await publish();
    expect(received).toMatchObject([third.head]);
    expect(panel.appended().at(-1)).toMatchObject({
      type: 'HeadsPublished',
      data: { sinks: [{ sink: 'webhook', position: third.head.position }] },
    });
    does.status = 500;
    events(1);
    const missed = await publish();
    events(1);
    const last = await publish();
    expect((await status()).sinks[0]).toMatchObject({ waiting: 2, position: third.head.position });
    does.status = 204;
    events(1);
    const newest = await publish();
    expect(received).toMatchObject([third.head, missed.head, last.head, newest.head]);
  });

  it.each(['file', 'git', 'webhook', 'panel'] as const)(
    'wait an hour for a single %s that is away, and none is lost',
    async (kind) => {
      const place = await onlyPlace(kind);
      const { panel, publish, events, status } = await start(place.settings);
      const heads = [(await publish()).head];
      place.away(true);
      const types: string[] = [];
      for (const _ of ['first', 'second', 'third']) {
        panel.later(20 * 60_000);
        events(1);
        heads.push((await publish()).head);
        types.push(...panel.appended().map(({ type }) => type));
      }
      expect((await status()).sinks).toMatchObject([
        {
          sink: kind,
          position: heads[0]?.position,
          waiting: 3,
          attempts: 3,
          problem: expect.stringMatching(/./) as string,
        },
      ]);
      expect(types).toStrictEqual(['HeadSigned', 'HeadPublicationFailed', 'HeadSigned', 'HeadSigned']);
      place.away(false);
      heads.push((await publish()).head);
      expect(await place.heads()).toMatchObject([...new Map(heads.map((head) => [head.position, head])).values()]);
      const last = heads.at(-1)?.position;
      expect((await status()).sinks).toMatchObject([{ sink: kind, position: last, waiting: 0, problem: '' }]);
    },
  );

  it('are not written into the data directory, over another file, or without git', async () => {
    const place = temporaryFolder();
    const other = join(place, 'other.txt');
    writeFileSync(other, 'something else\n');
    const { panel, publish } = await start({ proofFile: other, proofGit: place });
    const problems = async () => (await publish()).sinks.map(({ problemCode }) => problemCode);
    expect(await problems()).toStrictEqual(['proof.fileOther', 'proof.gitNotWorkTree']);
    expect(readFileSync(other, 'utf8')).toBe('something else\n');
    panel.given({
      type: 'ChangeSettings',
      data: { changes: { proofFile: join(panel.directory.root, 'heads.jsonl') } },
    });
    // The failure has its first reason until the place accepts heads: the log would grow with each attempt.
    await publish();
    expect(() => readFileSync(join(panel.directory.root, 'heads.jsonl'))).toThrow('ENOENT');
  });
});

describe('a place for heads inside of the data directory', () => {
  it('is refused when it is set, over the API', async () => {
    const { panel } = await start();
    const owner = await panel.browser().login();
    const current = (await owner.post('/panel/setting/all')).json?.obj as object;
    const { root } = panel.directory;
    for (const key of ['proofFile', 'proofGit'])
      for (const place of [
        join(root, 'heads'),
        join(root, 'new', 'folder', 'heads'),
        join(root, '..', basename(root)),
      ]) {
        const refused = await owner.post('/panel/setting/update', { ...current, [key]: place });
        expect(refused.json).toMatchObject({ success: false, code: 'SETTING_INVALID' });
        expect(refused.json?.msg).toContain('is inside the data directory');
      }
    expect(panel.appended().map(({ type }) => type)).not.toContain('SettingsChanged');
    const outside = { ...current, proofFile: join(temporaryFolder(), 'heads.jsonl') };
    expect((await owner.post('/panel/setting/update', outside)).json).toMatchObject({ success: true });
  });
});

describe('proofs', () => {
  it('of an event and of a longer log hold for an outsider', async () => {
    const { get, publish, events, status } = await start();
    events(5);
    const older = await publish();
    events(300);
    const newer = await publish();
    const key = (await status()).key?.publicKey ?? '';
    const published = [older.head, newer.head];
    const inclusion = readProof((await get('/inclusion/3')).json?.obj);
    expect(inclusion).toMatchObject({ kind: 'inclusion', position: 3, size: newer.head.position, head: newer.head });
    const { position: from } = older.head;
    const consistency = readProof((await get(`/consistency?from=${from}`)).json?.obj);
    expect(consistency).toMatchObject({ from, to: newer.head.position, fromHead: older.head, toHead: newer.head });
    const old = readProof((await get(`/inclusion/3?size=${from}`)).json?.obj);
    for (const proof of [inclusion, consistency, old]) expect(proof && proofProblem(proof, key, published)).toBeNull();
  });

  it('are refused for positions that are not in the log', async () => {
    const { get, panel, events } = await start();
    events(5);
    for (const path of ['/inclusion/0', '/consistency?from=0', '/consistency'])
      expect([path, (await get(path)).json]).toMatchObject([path, { success: false, obj: null }]);
    const head = panel.log.head().position;
    for (const path of [`/inclusion/${head + 1}`, '/inclusion/3?size=2', `/consistency?from=2&to=${head + 1}`]) {
      expect((await get(path)).json).toMatchObject({ success: false, code: 'PROOF_RANGE' });
    }
    expect(panel.appended()).toStrictEqual([]);
  });
});

describe('heads of other panels', () => {
  const key = createHeadKey();
  const { publicKey } = key;
  const panelId = uuid(7);
  const head = (position: number, mark = 'a') =>
    signHead({ panel: panelId, position, hash: mark.repeat(64), root: mark.repeat(64), at: 1000 }, key);

  it('are stored once, and a contradiction is stored as evidence', async () => {
    const { panel, post, status } = await start();
    const send = async (one: object) => (await post('/received', { ...one, publicKey })).json?.success;
    expect(await send(head(5))).toBe(true);
    expect(panel.appended()).toMatchObject([{ type: 'HeadReceived', data: { head: head(5), conflict: 'none' } }]);
    expect(await send(head(5))).toBe(true);
    expect(panel.appended()).toStrictEqual([]);
    expect(await send(head(9))).toBe(true);
    expect(await send(head(9, 'b'))).toBe(true);
    expect(panel.appended()).toMatchObject([{ data: { conflict: 'changed' } }]);
    expect(await send(head(7))).toBe(true);
    expect(panel.appended()).toMatchObject([{ data: { conflict: 'back' } }]);
    const { others } = await status();
    expect(others).toMatchObject([{ panel: panelId, heads: 4, last: { position: 9 }, conflict: { other: 9 } }]);
  });

  it('are refused with a wrong signature, with another key than before, and from the panel itself', async () => {
    const { panel, post, publish, status } = await start();
    const code = async (body: object) => {
      const { code: found } = { code: undefined, ...(await post('/received', body)).json };
      return found;
    };
    expect(await code({ ...head(5), publicKey: createHeadKey().publicKey })).toBe('HEAD_INVALID');
    expect(await code({ ...head(5), position: 6, publicKey })).toBe('HEAD_INVALID');
    expect(await code({ ...head(5), publicKey: 'none' })).toBe('HEAD_INVALID');
    expect(await code({ ...head(5), publicKey })).toBeUndefined();
    const other = createHeadKey();
    const forged = signHead({ ...head(8), at: 1 }, other);
    expect(await code({ ...forged, publicKey: other.publicKey })).toBe('HEAD_KEY_OTHER');
    const own = (await publish()).head;
    expect(await code({ ...own, publicKey: (await status()).key?.publicKey })).toBe('HEAD_OWN');
    expect(panel.appended()).toStrictEqual([]);
  });

  it('are limited for each caller, so that a partner cannot fill the log', async () => {
    let clock = Date.now();
    const { panel, post, get } = await start({}, { now: () => clock });
    const send = (one: object) => post('/received', { ...one, publicKey });
    const before = panel.log.head().position;
    for (let position = 1; position <= 200; position += 1)
      expect((await send(head(position))).json).toMatchObject({ success: true });
    expect(panel.log.head().position - before).toBe(200);
    const refused = await send(head(201));
    expect(refused.json).toMatchObject({ success: false, code: 'HEADS_TOO_MANY' });
    expect(refused.json?.msg).toContain('2 minutes');
    expect(panel.appended()).toStrictEqual([]);
    // A new id of a panel and a new key make no new caller.
    const other = createHeadKey();
    const elsewhere = signHead({ ...head(1), panel: uuid(8), at: 1 }, other);
    const { json } = await post('/received', { ...elsewhere, publicKey: other.publicKey });
    expect(json).toMatchObject({ code: 'HEADS_TOO_MANY' });
    expect(panel.appended()).toStrictEqual([]);
    expect(headsIn((await get(`/received/${panelId}`)).text)).toHaveLength(200);
    // Another caller is not affected.
    const owner = await panel.browser().login();
    expect((await owner.post('/panel/api/proof/received', { ...head(201), publicKey })).json).toMatchObject({
      success: true,
    });
    clock += 2 * 60_000;
    expect((await send(head(202))).json).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([{ type: 'HeadReceived', data: { head: { position: 202 } } }]);
    expect((await send(head(203))).json).toMatchObject({ code: 'HEADS_TOO_MANY' });
  });

  it('do not count when they are repeated or refused', async () => {
    const { panel, post } = await start();
    const before = panel.log.head().position;
    for (let n = 0; n < 250; n += 1)
      expect((await post('/received', { ...head(5), publicKey })).json).toMatchObject({ success: true });
    expect(panel.log.head().position - before).toBe(1);
    expect((await post('/received', { ...head(6), publicKey })).json).toMatchObject({ success: true });
  });

  it('are refused when the body is longer than any head', async () => {
    const { panel, post } = await start();
    const { status, json } = await post('/received', { ...head(5), publicKey, more: 'x'.repeat(5000) });
    expect({ status, code: (json as { code?: string } | undefined)?.code }).toStrictEqual({
      status: 413,
      code: 'BODY_TOO_LARGE',
    });
    expect(panel.appended()).toStrictEqual([]);
  });
});
