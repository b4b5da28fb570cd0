import { describe, expect, it } from 'vitest';
import { createLogger, hideSecrets, type Redactions } from '../../../src/adapters/logs/logger.js';

/** A log and its output. */
function logging(unspoken: Partial<Redactions> = {}) {
  const written: string[] = [];
  const to = { write: (line: string) => void written.push(line) };
  const log = createLogger('debug', { subPath: () => '/sub/', ...unspoken }, to);
  const last = () => log.lines.last({ count: 100, least: 'debug', zone: 'UTC' });
  return { log, written, last };
}

describe('the log', () => {
  it('omits secrets, down to a depth of three', () => {
    const { log, written } = logging();
    log.info(
      {
        password: 'S3CRET',
        user: { apiToken: 'S3CRET' },
        req: { headers: { cookie: 'S3CRET', authorization: 'S3CRET' } },
      },
      'x',
    );
    log.info({ headers: { 'set-cookie': 'S3CRET' }, url: '/sub/S3CRET?a=S3CRET' }, 'x');
    log.error({ err: Object.assign(new Error('broken'), { response: 'S3CRET' }) }, 'x');
    expect(written).toHaveLength(3);
    expect(written.join()).not.toContain('S3CRET');
    expect(written[2]).toContain('broken');
  });

  const CANARY = 'c4n4ryC4N4RYc4n4ryC4N4RYc4n4ry';
  it.each([
    ['the token of a bot in an address', `POST https://api.telegram.org/bot123456789:${CANARY}/sendDocument failed`],
    ['the token of a bot on its own', `123456789:${CANARY} is not taken`],
    ['a Bearer token', `the node refused Authorization: Bearer ${CANARY}`],
    ['a session', `Cookie: lang=en; 3x-ui=${CANARY}; a=b`],
    ['a password in an address', `cannot reach socks5://user:${CANARY}@10.0.0.1:1080`],
    ['a share link', `vless://${CANARY}@host:443?type=tcp`],
    ['a share link of vmess', `vmess://${CANARY}==`],
    ['a token in a query', `GET https://node/api?a=b&access_token=${CANARY}&c=d`],
    ['a subscription', `ENOENT: /sub/${CANARY}`],
    ['a subscription at a path of its own', `timeout of https://host/my/feed/${CANARY}?html=1`],
    ['the links of a client', `GET /panel/api/inbounds/getSubLinks/${CANARY} took long`],
  ])('hides %s, wherever it stands', (_, text) => {
    const { log, written, last } = logging({ subPath: () => '/my/feed/' });
    log.warn(text);
    log.warn({ why: text, deep: { deeper: [{ deepest: text }] } }, 'x');
    log.error({ err: new Error(text, { cause: new Error(text) }) }, 'x');
    expect(written).toHaveLength(3);
    expect([...written, ...last()].join('\n')).not.toContain(CANARY);
    expect(written.map((line) => JSON.parse(line).level)).toStrictEqual([40, 40, 50]);
  });

  it.each(['a', '1', '?token', 'Bearer ', '://', '/sub/', '12345:', 'x@', ' '])('finishes with 1 MB of %j', (part) => {
    const { log, written } = logging();
    log.warn(part.repeat(1_000_000 / part.length));
    expect(written).toHaveLength(1);
  });

  it('hides the secrets of the settings, in any form', () => {
    const secrets = ['pass"word\\of ldap', 'short', ''];
    const { log, written, last } = logging({ secrets: () => secrets });
    log.warn({ why: `bind failed: ${secrets[0]}` }, `short: ${secrets[0]}`);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ why: 'bind failed: …', msg: 'short: …' });
    expect(last()[0]).toContain('WARNING - short: … why=bind failed: …');
  });

  it('has readable lines', () => {
    const { log, last } = logging();
    log.debug({ a: 1, b: [2] }, 'first');
    log.error({ err: new Error('no') }, 'second');
    expect(last().map((line) => line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /, ''))).toStrictEqual([
      'DEBUG - first a=1 b=[2]',
      'ERROR - second err=no',
    ]);
  });

  it.each([
    ['/sub/abc?html=1', '/sub/', '/sub/…'],
    ['/my/path/abc', '/my/path/', '/my/path/…'],
    ['/panel/api/inbounds/getSubLinks/abc', '/sub/', '/panel/api/inbounds/getSubLinks/…'],
    ['/login?token=x', '/', '/login'],
  ])('shows %s', (url, subPath, shown) => {
    expect(hideSecrets(url, subPath)).toBe(shown);
  });
});
