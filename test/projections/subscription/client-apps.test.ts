import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { render } from '../../../src/messages/render.js';
import { FINGERPRINTS } from '../../../src/projections/subscription/fingerprints.js';
import { clashDocument, emptyClashDocument } from '../../../src/projections/subscription/formats/clash.js';
import { clashProxy } from '../../../src/projections/subscription/formats/clash-proxy.js';
import { partition } from '../../../src/projections/subscription/formats/shared.js';
import { emptySingBoxProfile, singBoxProfile } from '../../../src/projections/subscription/formats/sing-box.js';
import { singBoxOutbound } from '../../../src/projections/subscription/formats/sing-box-outbound.js';
import { xrayConfigs } from '../../../src/projections/subscription/formats/xray.js';
import { linksOf, type ShareLink } from '../../../src/projections/subscription/links.js';
import { clientAppBinary, errorsOf, withoutClientApps } from '../../kit/real/client-apps/client-apps.js';
import { aClient, aContext, inboundOf, pbk, reality, unused } from './fixtures.js';
import { filled, hostile } from './hostile.js';
import { cases, linksOfCase } from './matrix.js';
import { slips } from './slips.js';

const extras = {
  subJsonFragment: '{"packets":"tlshello","length":"100-200","interval":"10-20"}',
  subJsonNoises: '[{"type":"rand","packet":"10-20","delay":"10-16"}]',
  subJsonMux: '{"enabled":true,"concurrency":8,"xudpConcurrency":16,"xudpProxyUDP443":"reject"}',
  subJsonRules: '[{"type":"field","outboundTag":"direct","ip":["10.0.0.0/8"]}]',
};
const none = { subJsonFragment: '', subJsonNoises: '', subJsonMux: '', subJsonRules: '' };

/** All configurations of a subscription as one: each outbound under a tag of its own. */
function asOne(links: readonly ShareLink[], about: typeof none): string {
  const configs = xrayConfigs(links, about) as readonly { outbounds: readonly object[] }[];
  const proxies = configs.map(({ outbounds: [proxy] }, at) => ({ ...proxy, tag: at === 0 ? 'proxy' : `proxy-${at}` }));
  return JSON.stringify({ ...configs[0], outbounds: [...proxies, ...(configs[0]?.outbounds.slice(1) ?? [])] });
}

const all = cases();
const links = all.flatMap(linksOfCase);

describe('the test set', () => {
  it('covers every protocol with every transport and security, with unique names', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    const kinds = new Set(links.map(({ scheme, params: { type, security } }) => `${scheme} ${type} ${security}`));
    for (const type of ['tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp', 'kcp']) {
      for (const scheme of ['vless', 'vmess', 'trojan', 'ss']) {
        for (const security of ['none', 'tls']) expect(kinds).toContain(`${scheme} ${type} ${security}`);
        const reality = ['tcp', 'grpc', 'xhttp'].includes(type);
        expect(kinds.has(`${scheme} ${type} reality`)).toBe(reality);
      }
    }
    expect(kinds).toContain('hysteria2 undefined undefined');
  });

  it('is expressed in every format, or omitted for one of these reasons', () => {
    const reasons = (say: (link: ShareLink) => object) =>
      [...new Set(partition(links, say).omitted.map(({ reason }) => render(reason, 'en')))].sort();
    const problems = [
      'Hysteria requires TLS',
      'REALITY does not work over httpupgrade',
      'REALITY does not work over kcp',
      'REALITY does not work over ws',
    ];
    const unsupported = (app: string, features: readonly string[]) =>
      [...problems, ...features.map((feature) => `${app} does not support ${feature}`)].sort();
    const ofShadowsocks = ['REALITY of ss', 'TLS of ss', 'an HTTP header of ss', 'grpc of ss', 'httpupgrade of ss'];
    expect(reasons(clashProxy)).toStrictEqual(
      unsupported('Mihomo', [
        ...ofShadowsocks,
        'Trojan without TLS',
        'an HTTP header of trojan',
        'kcp of ss',
        'kcp of trojan',
        'kcp of vless',
        'mKCP without a seed or with a header',
        'xhttp of ss',
        'xhttp of trojan',
        'xhttp of vmess',
      ]),
    );
    expect(reasons(singBoxOutbound)).toStrictEqual(
      unsupported('sing-box', [
        ...ofShadowsocks,
        'an HTTP header over TLS',
        'certificates of another name',
        'a custom path of gRPC',
        'kcp',
        'kcp of ss',
        'the encryption of VLESS',
        'xhttp',
        'xhttp of ss',
      ]),
    );
    const other = links.flatMap(({ problem }) => (problem === undefined ? [] : [render(problem, 'en')]));
    expect(other.filter((problem) => !problems.includes(problem))).toStrictEqual([]);
  });
});

const BY_XRAY = 'Xray accepts the generated configurations';
describe.skipIf(withoutClientApps(BY_XRAY, 'xray'))(BY_XRAY, () => {
  it.each([
    ['as it is', none],
    ['with all that an admin adds', extras],
  ])('for every case of the test set, %s', async (_, about) => {
    expect(await errorsOf('xray', asOne(links, about))).toBe('');
  });

  it('for every fingerprint', async () => {
    const named = [...FINGERPRINTS, 'nobody', 'Chrome', 'hellochrome_121', '__proto__'].flatMap((fingerprint) =>
      [
        { security: 'tls', tlsSettings: { settings: { fingerprint } } },
        {
          security: 'reality',
          realitySettings: { ...reality.realitySettings, settings: { publicKey: pbk, fingerprint } },
        },
      ].flatMap((stream) => linksOf(inboundOf('vless', stream), aClient(), unused, aContext())),
    );
    expect(named.filter(({ params: { fp } }) => fp !== undefined).length).toBeGreaterThan(110);
    expect(await errorsOf('xray', asOne(named, none))).toBe('');
  });

  it('and rejects an invalid one', async () => {
    const wrong = links.map((link) => ({ ...link, params: { ...link.params, fp: 'nobody' } }));
    expect(await errorsOf('xray', asOne(wrong, none))).toContain('fingerprint');
  });
});

const BY_MIHOMO = 'Mihomo accepts the generated profiles';
describe.skipIf(withoutClientApps(BY_MIHOMO, 'mihomo'))(BY_MIHOMO, () => {
  const document = clashDocument(links) ?? '';

  it('for every case of the test set', async () => {
    expect(await errorsOf('mihomo', document)).toBe('');
  });

  it('in which every name is known, because it ignores unknown ones', () => {
    const binary = readFileSync(clientAppBinary('mihomo'), 'latin1');
    const known = new Set(['type']);
    for (const [, name = ''] of binary.matchAll(/(?:proxy|obfs):"([\w-]+)/g)) known.add(name);
    const { proxies } = parse(document) as { proxies: Record<string, unknown>[] };
    const unknown = new Set<string>();
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      for (const [name, member] of Object.entries(value)) {
        if (!known.has(name)) unknown.add(name);
        if (name !== 'headers') look(member);
      }
    };
    proxies.forEach(look);
    expect(known.size).toBeGreaterThan(100);
    expect([...unknown]).toStrictEqual([]);
  });

  it('with any text', async () => {
    expect(await errorsOf('mihomo', clashDocument(hostileLinks()) ?? '')).toBe('');
  });

  it('with any mistake of an admin in one of them', async () => {
    expect(await errorsOf('mihomo', clashDocument(slips) ?? '')).toBe('');
  });

  it('without a server', async () => {
    expect(await errorsOf('mihomo', emptyClashDocument(hostileLinks()))).toBe('');
  });

  it('and rejects an invalid one', async () => {
    expect(await errorsOf('mihomo', document.replace('type: "vless"', 'type: "vles"'))).toContain('vles');
  });
});

const BY_SING_BOX = 'sing-box accepts the generated profiles';
describe.skipIf(withoutClientApps(BY_SING_BOX, 'sing-box'))(BY_SING_BOX, () => {
  const profile = JSON.stringify(singBoxProfile(links));

  it('for every case of the test set', async () => {
    expect(await errorsOf('sing-box', profile)).toBe('');
  });

  it('with any text', async () => {
    expect(await errorsOf('sing-box', JSON.stringify(singBoxProfile(hostileLinks())))).toBe('');
  });

  it('with any mistake of an admin in one of them', async () => {
    expect(await errorsOf('sing-box', JSON.stringify(singBoxProfile(slips)))).toBe('');
  });

  it('without a server', async () => {
    expect(await errorsOf('sing-box', JSON.stringify(emptySingBoxProfile()))).toBe('');
  });

  it('and rejects an invalid one', async () => {
    expect(await errorsOf('sing-box', profile.replace('"server_port"', '"port"'))).toContain('port');
  });
});

/** Deterministic, because each program checks all of them in one process. */
function hostileLinks(): readonly ShareLink[] {
  const texts = fc.record({ name: filled, path: hostile, host: hostile, sni: hostile, user: filled });
  return fc.sample(texts, { numRuns: 300, seed: 7 }).flatMap(({ name, path, host, sni, user }, at) => {
    const link = links[(at * 7) % links.length];
    if (link === undefined) return [];
    const said = Object.entries({ path: `/${path}`, host, sni }).filter(([, text]) => text !== '');
    const params = { ...link.params, ...Object.fromEntries(said) };
    // A UUID stays one, a key of 2022 too.
    const free = link.scheme === 'trojan' || link.scheme === 'hysteria2';
    return [{ ...link, name, user: free ? user : link.user, params }];
  });
}
