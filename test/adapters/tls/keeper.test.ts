import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CertificateKeeper } from '../../../src/adapters/tls/keeper.js';
import type { CertificateFiles } from '../../../src/commands/ports/certificates.js';
import { message } from '../../../src/messages/message.js';
import { render } from '../../../src/messages/render.js';
import { makeCertificate, type TestCertificate } from '../../kit/real/certificate.js';
import { eventually, HANG_MS } from '../../kit/wait.js';

const DAY_MS = 86_400_000;
const START = Date.now();
/** How often a keeper whose timer the test holds reads its files. */
const EVERY_MS = 2000;
let one: TestCertificate;
let other: TestCertificate;
let old: TestCertificate;

beforeAll(async () => {
  [one, other, old] = await Promise.all([
    makeCertificate(['one.example']),
    makeCertificate(['other.example']),
    makeCertificate(['old.example'], { notBefore: new Date(START - 9 * DAY_MS), notAfter: new Date(START - DAY_MS) }),
  ]);
});
afterAll(() => {
  for (const certificate of [one, other, old]) certificate.remove();
});

/** A keeper of two files in a temporary folder that reads them every few milliseconds, and the notices it has sent. */
function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-keeper-'));
  const files: CertificateFiles = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const copy = join(folder, 'copy.pem');
  const told: string[] = [];
  let now = START;
  let asked = 0;
  const keeper = new CertificateKeeper({
    copy,
    now: () => {
      asked += 1;
      return now;
    },
    loaded: ({ subject }) => void told.push(`loaded ${subject.split(',')[0]}`),
    refused: (why) => void told.push(`refused ${render(why, 'en')}`),
    expiring: () => void told.push('expiring'),
    warn: (message) => void told.push(message),
  });
  onTestFinished(() => {
    keeper.stop();
    rmSync(folder, { recursive: true });
  });
  const put = ({ certFile }: TestCertificate, key: TestCertificate): void => {
    copyFileSync(certFile, files.certFile);
    copyFileSync(key.keyFile, files.keyFile);
  };
  return {
    keeper,
    folder,
    files,
    copy,
    told,
    put,
    later: (ms: number): void => void (now += ms),
    use: async () => {
      const standing = await keeper.look(files);
      keeper.use(files, standing);
      keeper.start(5);
      return standing;
    },
    /** Two complete rounds of the keeper from here on. It asks for the time twice in each: before it reads, and at its end. */
    rounds: async () => {
      const enough = asked + 6;
      await vi.waitUntil(() => asked >= enough, { timeout: HANG_MS });
    },
    /** Exactly one round, with timers that the test holds. */
    round: async () => {
      const enough = asked + 2;
      vi.advanceTimersByTime(EVERY_MS);
      await vi.waitUntil(() => asked >= enough, { timeout: HANG_MS });
    },
    until: (what: string) => eventually(() => expect(told).toContain(what)),
  };
}

describe('the certificate of a server', () => {
  it('is read and copied with private permissions, without a notice', async () => {
    const { put, use, copy, told, keeper } = begin();
    put(one, one);
    expect((await use()).problem).toBeNull();
    expect(keeper.pair?.subject).toContain('one.example');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(told).toEqual([]);
  });

  it('is loaded again when the files are overwritten or replaced through a link', async () => {
    const { put, use, until, files, folder, keeper } = begin();
    put(one, one);
    await use();
    put(other, other);
    await until('loaded other.example');
    expect(keeper.pair?.cert.toString()).toBe(other.certPem);

    // As certbot does it: the path is a link, which is replaced.
    const links = [join(folder, 'a'), join(folder, 'b')];
    for (const [index, link] of links.entries()) {
      mkdirSync(link);
      const from = index === 0 ? other : one;
      copyFileSync(from.certFile, join(link, 'cert.pem'));
      copyFileSync(from.keyFile, join(link, 'key.pem'));
    }
    for (const [name, path] of [['cert.pem', files.certFile] as const, ['key.pem', files.keyFile] as const]) {
      symlinkSync(join(folder, 'b', name), `${path}.new`);
      renameSync(`${path}.new`, path);
    }
    await until('loaded one.example');
    expect(readFileSync(files.keyFile, 'utf8')).toBe(one.keyPem);
  });

  it('stays in use when an invalid one is found, reports it once, and is replaced by the next valid one', async () => {
    const { put, use, until, told, keeper, files, rounds } = begin();
    put(one, one);
    await use();
    put(other, one);
    await until('refused The key does not belong to the certificate');
    await rounds();
    expect(told).toHaveLength(1);
    expect(keeper.pair?.subject).toContain('one.example');
    writeFileSync(files.certFile, 'rubbish');
    await until('refused The certificate file does not contain a PEM certificate');
    rmSync(files.certFile);
    await until('refused The certificate file does not exist');
    put(one, one);
    await until('loaded one.example');
    put(other, other);
    await until('loaded other.example');
  });

  it('is not reported as invalid when a renewal is seen half done', async () => {
    const { put, told, keeper, files, round } = begin();
    put(one, one);
    keeper.use(files, await keeper.look(files));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    keeper.start(EVERY_MS);
    put(other, one);
    await round();
    expect(told).toEqual([]);
    put(other, other);
    await round();
    expect(told).toEqual(['loaded other.example']);
  });

  it('comes from the copy when the files are invalid at the start', async () => {
    const { put, use, files, copy } = begin();
    put(one, one);
    await use();
    const next = begin();
    copyFileSync(copy, next.copy);
    put(other, one);
    const standing = await next.keeper.look(files);
    expect(standing.problem).toStrictEqual(message('certificate.keyMismatch'));
    expect(standing.pair?.subject).toContain('one.example');
    // The copy is all that a server needs.
    const { cert = '', key = '' } = standing.pair ?? {};
    expect(() => createServer({ cert, key })).not.toThrow();
  });

  it('may have expired when there is no other', async () => {
    const { put, use, keeper, rounds } = begin();
    put(old, old);
    const standing = await use();
    expect(standing.problem).toMatchObject({
      code: 'certificate.expired',
      params: { date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    });
    expect(keeper.pair?.subject).toContain('old.example');
    put(one, one);
    await eventually(() => expect(keeper.pair?.subject).toContain('one.example'));
    // A valid pair is not replaced by an expired one.
    put(old, old);
    await rounds();
    expect(keeper.pair?.subject).toContain('one.example');
  });

  it('is absent without files and without a copy, and no key stays on disk', async () => {
    const { put, use, keeper, files, copy } = begin();
    expect(await keeper.look(files)).toEqual({
      pair: null,
      problem: message('certificate.fileMissing', { what: message('certificate.certificate') }),
    });
    put(one, one);
    await use();
    keeper.use(null);
    expect(keeper.pair).toBeNull();
    expect(() => statSync(copy)).toThrow('ENOENT');
  });

  it('is reported once a day from two weeks before it expires', async () => {
    const { put, use, told, later, until, rounds } = begin();
    put(one, one);
    await use();
    later(15 * DAY_MS);
    await rounds();
    expect(told).toEqual([]);
    later(2 * DAY_MS);
    await until('expiring');
    await rounds();
    expect(told).toEqual(['expiring']);
    later(DAY_MS);
    await eventually(() => expect(told).toEqual(['expiring', 'expiring']));
    later(30 * DAY_MS);
    await eventually(() =>
      expect(told.some((line) => line.startsWith('refused The certificate expired on'))).toBe(true),
    );
  });
});
