import { describe, expect, it } from 'vitest';
import { createLogger, hideSecrets } from '../../src/adapters/logger.js';

describe('the log', () => {
  it('keeps secrets out, at any of three depths', () => {
    const lines: string[] = [];
    const log = createLogger('info', () => '/sub/', { write: (line: string) => void lines.push(line) });
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
    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toContain('S3CRET');
    expect(lines[2]).toContain('broken');
  });

  it.each([
    ['/sub/abc?html=1', '/sub/', '/sub/…'],
    ['/my/path/abc', '/my/path/', '/my/path/…'],
    ['/panel/api/inbounds/getSubLinks/abc', '/sub/', '/panel/api/inbounds/getSubLinks/…'],
    ['/login?token=x', '/', '/login'],
  ])('shows %s as it may', (url, subPath, shown) => {
    expect(hideSecrets(url, subPath)).toBe(shown);
  });
});
