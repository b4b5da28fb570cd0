import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { accessLines } from '../../../src/adapters/logs/access.js';
import { linesBackwards } from '../../../src/adapters/logs/backwards.js';
import type { AccessKind, AccessQuery } from '../../../src/commands/ports/logs.js';

const ALL: ReadonlySet<AccessKind> = new Set(['direct', 'blocked', 'proxied']);
const template = {
  outbounds: [
    { tag: 'way-out', protocol: 'freedom' },
    { tag: 'direct', protocol: 'blackhole' },
    { tag: 'hole', protocol: 'Blackhole' },
    { tag: 'blocked', protocol: 'vless' },
  ],
};

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-access-'));
  log = join(folder, 'access.log');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const ask = (query: Partial<AccessQuery> = {}) =>
  accessLines(folder, { count: 100, keyword: '', kinds: ALL, template, ...query });
const at = (second: number) => `2026/11/21 04:50:${String(second).padStart(2, '0')}.430160`;
const line = (second: number, outbound: string, email = 'ann') =>
  `${at(second)} from 198.51.100.7:51234 accepted tcp:example.com:443 [in-443 >> ${outbound}] email: ${email}`;
const write = (...all: readonly string[]): void => writeFileSync(log, `${all.join('\n')}\n`);
const outbounds = (lines: readonly { outbound: string }[] | null) => lines?.map(({ outbound }) => outbound);

describe('the access log', () => {
  it('is read line by line, oldest first', async () => {
    write(
      line(1, 'way-out', '7:ann'),
      `${at(2)} from tcp:198.51.100.7:5 rejected  proxy/vless/encoding: invalid request user id: x`,
      `${at(3)} from [2001:db8::1]:5 accepted //web.example:80 [way-out]`,
    );
    const [first, second, third] = (await ask()) ?? [];
    const local = new Date(2026, 10, 21, 4, 50, 1).toISOString().slice(0, 19);
    expect(first).toStrictEqual({
      text: line(1, 'way-out'),
      at: `${local}.430160Z`,
      from: '198.51.100.7:51234',
      to: 'tcp:example.com:443',
      inbound: 'in-443',
      outbound: 'way-out',
      email: 'ann',
      kind: 'direct',
    });
    expect(second).toMatchObject({ from: 'tcp:198.51.100.7:5', to: '', outbound: '', kind: 'blocked' });
    expect(third).toMatchObject({ from: '[2001:db8::1]:5', to: 'web.example:80', inbound: '', outbound: 'way-out' });
  });

  it('distinguishes kinds by the protocol of the outbound, not by its tag', async () => {
    write(...['way-out', 'direct', 'hole', 'blocked', 'unheard-of', 'portolan-cut'].map((tag) => line(1, tag)));
    const of = async (...kinds: AccessKind[]) => outbounds(await ask({ kinds: new Set(kinds) }));
    expect(await of('direct')).toStrictEqual(['way-out']);
    expect(await of('blocked')).toStrictEqual(['direct', 'hole', 'portolan-cut']);
    expect(await of('proxied')).toStrictEqual(['blocked', 'unheard-of']);
    expect(await of('proxied', 'direct')).toStrictEqual(['way-out', 'blocked', 'unheard-of']);
    expect(await of()).toStrictEqual([]);
  });

  it('knows the default outbounds of a template without any', async () => {
    write(line(1, 'direct'), line(1, 'blocked'));
    const kinds = (await ask({ template: {} }))?.map(({ kind }) => kind);
    expect(kinds).toStrictEqual(['direct', 'blocked']);
  });

  it('returns the last lines that contain the keyword, which is not a pattern', async () => {
    write(...Array.from({ length: 9 }, (_, index) => line(index, 'way-out', index % 2 ? 'Bob.x' : 'ann')));
    expect((await ask({ keyword: 'bob.', count: 2 }))?.map(({ text }) => text)).toStrictEqual([
      line(5, 'way-out', 'Bob.x'),
      line(7, 'way-out', 'Bob.x'),
    ]);
    expect(await ask({ keyword: 'b.b' })).toStrictEqual([]);
    expect(await ask({ keyword: '(((' })).toStrictEqual([]);
  });

  it('omits the calls of the panel', async () => {
    write(`${at(1)} from 127.0.0.1:5 accepted tcp:127.0.0.1:0 [api -> api]`, line(2, 'way-out'));
    expect(await ask()).toHaveLength(1);
  });

  it('is off only if the template disables it', async () => {
    write(line(1, 'way-out'));
    for (const logs of [{ log: { access: 'none' } }, { LOG: { Access: 'none' } }])
      expect(await ask({ template: { ...template, ...logs } })).toBeNull();
    for (const access of ['', 'access.log', '/var/log/xray/access.log', '../../access.log'])
      expect(await ask({ template: { ...template, log: { access } } })).toHaveLength(1);
  });

  it('is the file that the template names, in the folder of the logs', async () => {
    writeFileSync(join(folder, 'mine.log'), `${line(1, 'way-out')}\n`);
    expect(await ask({ template: { ...template, log: { access: '/elsewhere/mine.log' } } })).toHaveLength(1);
    expect(await ask()).toStrictEqual([]);
  });

  const hostile: readonly (readonly [string, string | Buffer])[] = [
    ['escapes and controls', `${at(1)} from \u001b[31m1.1.1.1:1\r accepted tcp:a:1\0 [in -> out] email: \u202eevil`],
    ['a line of 1 MB', `${at(1)} from 1.1.1.1:1 accepted tcp:${'a'.repeat(1_000_000)} [in -> out]`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x20, 0xc3, 0x28, 0x80])],
    ['nothing after from', `${at(1)} from`],
    ['nothing after accepted', `${at(1)} from 1.1.1.1:1 accepted`],
    ['brackets without end', `${at(1)} from 1.1.1.1:1 accepted x [${'[ -> '.repeat(2000)}`],
    ['slashes', `${at(1)} from 1.1.1.1:1 accepted ${'//?@'.repeat(4000)} [a -> b]`],
    ['an empty mail', `${at(1)} from 1.1.1.1:1 accepted x [a -> b] email: `],
    ['a time that is none', '9999/99/99 99:99:99 from 1.1.1.1:1 accepted x [a -> b]'],
    ['markup', `${at(1)} from 1.1.1.1:1 accepted tcp:<script>alert(1)</script>:80 [a -> b]`],
  ];

  it.each(hostile)('stays readable with %s', async (_, text) => {
    writeFileSync(log, Buffer.concat([Buffer.from(`${line(1, 'way-out')}\n`), Buffer.from(text), Buffer.from('\n')]));
    appendFileSync(log, `${line(2, 'way-out')}\n`);
    const lines = (await ask()) ?? [];
    expect(lines).toHaveLength(3);
    expect([lines[0]?.text, lines[2]?.text]).toStrictEqual([line(1, 'way-out'), line(2, 'way-out')]);
    expect(lines[1]?.text.length).toBeLessThan(2100);
    for (const member of Object.values(lines[1] ?? {})) expect(member).not.toMatch(/[\p{Cc}\u202e]/u);
    // A line that is not from the core has no kind.
    expect((await ask({ kinds: new Set<AccessKind>(['direct']) }))?.length).toBe(2);
  });

  it.each([
    ['//user:CANARY@web.example:80/path?token=CANARY', '…@web.example:80/path?…'],
    ['http://CANARY@web.example/?a?CANARY', 'http://…@web.example/?…'],
    ['tcp:web.example:443', 'tcp:web.example:443'],
  ])('shows %s without credentials', async (target, shown) => {
    write(`${at(1)} from 1.1.1.1:1 accepted ${target} [in >> way-out] email: ann`);
    const lines = await ask();
    expect(JSON.stringify(lines)).not.toContain('CANARY');
    expect(lines?.[0]).toMatchObject({ to: shown, outbound: 'way-out', email: 'ann' });
  });

  it('is searched backwards over chunks without losing a line', async () => {
    const many = Array.from({ length: 9000 }, (_, index) => line(index % 60, 'way-out', `client-${index}`));
    write(...many);
    const lines = await ask({ count: 10_000 });
    expect(lines?.map(({ text }) => text)).toStrictEqual(many);
    writeFileSync(log, many.join('\n')); // the last line is not ended yet
    expect((await ask({ count: 10_000 }))?.length).toBe(9000);
  });

  it('includes the content from before the file was truncated', async () => {
    writeFileSync(`${log}.1`, `${line(1, 'way-out')}\n${line(2, 'way-out')}\n`);
    write(line(3, 'way-out'));
    expect((await ask())?.map(({ text }) => text)).toStrictEqual([1, 2, 3].map((second) => line(second, 'way-out')));
    expect((await ask({ count: 2 }))?.map(({ text }) => text)).toStrictEqual([line(2, 'way-out'), line(3, 'way-out')]);
  });

  it('is searched up to a limit', async () => {
    writeFileSync(log, 'first\nsecond\nthird\n');
    const lines: string[] = [];
    for await (const each of linesBackwards(log, 10)) lines.push(each);
    expect(lines).toStrictEqual(['third']); // of the second only the end was read
    const filler = `${line(1, 'way-out', 'x'.repeat(900))}\n`.repeat(1000);
    writeFileSync(log, `${line(1, 'way-out', 'long-ago')}\n`);
    for (let i = 0; i < 18; i += 1) appendFileSync(log, filler);
    expect(await ask({ keyword: 'long-ago' })).toStrictEqual([]);
  });

  it('may be missing or empty', async () => {
    expect(await ask()).toStrictEqual([]);
    writeFileSync(log, '');
    expect(await ask()).toStrictEqual([]);
    writeFileSync(log, '\n\n\n');
    expect(await ask()).toStrictEqual([]);
  });

  const places: readonly (readonly [string, () => void])[] = [
    ['a pipe', () => void execFileSync('mkfifo', [log])],
    ['a folder', () => mkdirSync(log)],
    ['a link', () => symlinkSync('/etc/passwd', log)],
    ['a device', () => symlinkSync('/dev/zero', log)],
  ];

  it.each(places)('is rejected when it is %s', async (_, make) => {
    make();
    await expect(ask()).rejects.toThrow('The access log is not a plain file');
  });
});
