import { describe, expect, it } from 'vitest';
import { covers, nextAddress } from '../../web/src/model/panel-address.js';

const place = { port: 2053, tls: false, basePath: '/', domain: '' };
const next = (changes: Partial<typeof place>, now: string, current = place): string =>
  nextAddress({ current, next: { ...current, ...changes } }, new URL(now)).href;

describe('the address of the panel after a restart', () => {
  it('has the new path, port, name and scheme', () => {
    expect(next({ basePath: '/quay/' }, 'http://10.0.0.1:2053/')).toBe('http://10.0.0.1:2053/quay/');
    expect(next({ port: 443, tls: true }, 'http://10.0.0.1:2053/')).toBe('https://10.0.0.1/');
    expect(next({ domain: 'panel.example' }, 'http://10.0.0.1:2053/')).toBe('http://panel.example:2053/');
    expect(next({ basePath: '/' }, 'http://[::1]:2053/quay/', { ...place, basePath: '/quay/' })).toBe(
      'http://[::1]:2053/',
    );
  });

  it('keeps the address of a reverse proxy, and the path that the proxy adds', () => {
    const behind = { ...place, basePath: '/quay/' };
    const changes = { basePath: '/pier/', port: 4000, domain: 'panel.example' };
    expect(next(changes, 'https://proxy.example/quay/', behind)).toBe('https://proxy.example/pier/');
    expect(next(changes, 'https://proxy.example/x/quay/', behind)).toBe('https://proxy.example/x/pier/');
  });

  it('knows the port that an address leaves out', () => {
    expect(next({ basePath: '/quay/', port: 8443 }, 'https://panel.example/', { ...place, port: 443, tls: true })).toBe(
      'https://panel.example:8443/quay/',
    );
  });
});

describe('the names of a certificate', () => {
  it('cover a host, also by a wildcard for one label', () => {
    expect(covers(['panel.example', '127.0.0.1'], 'Panel.Example')).toBe(true);
    expect(covers(['*.example'], 'panel.example')).toBe(true);
    expect(covers(['*.example'], 'a.panel.example')).toBe(false);
    expect(covers(['*.example'], 'example')).toBe(false);
    expect(covers([], 'panel.example')).toBe(false);
  });
});
