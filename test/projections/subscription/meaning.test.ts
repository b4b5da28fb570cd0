import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { xrayOutbound } from '../../../src/projections/subscription/formats/xray.js';
import { hasUrl, linkUrl, type ShareLink } from '../../../src/projections/subscription/share-link.js';
import { parseLink } from '../../kit/real/client-apps/link-parser.js';
import { filled, lined } from './hostile.js';
import { cases, linksOfCase } from './matrix.js';

type Members = Record<string, unknown>;

const members = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const first = (value: unknown): Members => members(Array.isArray(value) ? value[0] : undefined);

/** An outbound of Xray without the choices that its two ways of saying the same leave open. */
function plain({ protocol, settings, streamSettings }: Members): Members {
  const server = first(members(settings)['vnext'] ?? members(settings)['servers']);
  const { users, ...to } = server;
  const { level: _, ...who } = { ...members(settings), ...to, ...first(users) };
  const { vnext: _v, servers: _s, ...access } = who;
  return { protocol, access, stream: plainStream(members(streamSettings)) };
}

function plainStream(stream: Members): Members {
  const { tcpSettings, rawSettings, kcpSettings: _, finalmask, ...rest } = stream;
  const request = members(members(members(tcpSettings ?? rawSettings)['header'])['request']);
  const { publicKey, password = publicKey, show: _show, ...reality } = members(rest['realitySettings']);
  const { quicParams, ...masks } = members(finalmask);
  const { udpHop, ...quic } = members(quicParams);
  return {
    ...rest,
    network: rest['network'] === 'tcp' ? 'raw' : rest['network'],
    header: [request['path'], members(request['headers'])['Host']],
    ...(rest['realitySettings'] === undefined ? {} : { realitySettings: { ...reality, password } }),
    masks,
    quic,
    hop: members(udpHop)['ports'],
  };
}

/** Values that the link format cannot express are not expected. */
function expected(link: ShareLink): Members {
  const meant = plain(xrayOutbound(link) as Members);
  const stream = members(meant['stream']);
  if (link.scheme === 'ss') return { ...meant, stream: { ...ssStream(stream), ...pluginHost(link, stream) } };
  return link.scheme === 'vmess' ? { ...meant, stream: withoutExtra(stream) } : meant;
}

/** A plugin knows the name of one host, for the request and for its TLS. */
function pluginHost({ params: { host, sni } }: ShareLink, { wsSettings }: Members): Members {
  const name = host ?? sni;
  return wsSettings === undefined || name === undefined ? {} : { wsSettings: { ...members(wsSettings), host: name } };
}

function ssStream(stream: Members): Members {
  const { tlsSettings: _, ...rest } = stream;
  return rest;
}

function withoutExtra(stream: Members): Members {
  const { extra: _, ...xhttp } = members(stream['xhttpSettings']);
  return stream['xhttpSettings'] === undefined ? stream : { ...stream, xhttpSettings: xhttp };
}

function understood(link: ShareLink): { name: string; meaning: Members } {
  const { name, outbound } = parseLink(linkUrl(link));
  const meaning = plain({ ...outbound });
  return {
    name,
    meaning: link.scheme === 'ss' ? { ...meaning, stream: ssStream(members(meaning['stream'])) } : meaning,
  };
}

/** The core refuses to trust any certificate, and the JSON of vmess has no place for masks of TCP. */
const links = cases()
  .flatMap(linksOfCase)
  .filter(hasUrl)
  .filter(
    ({ scheme, params }) => params['insecure'] !== '1' && !(scheme === 'vmess' && params['fm']?.includes('"tcp"')),
  );

describe('a link, parsed independently,', () => {
  it('equals the outbound of Xray for every case of the test set', () => {
    expect(links.length).toBeGreaterThan(1000);
    for (const link of links)
      expect([link.name, understood(link)]).toStrictEqual([link.name, { name: link.name, meaning: expected(link) }]);
  });

  it('is the same with any text', () => {
    const text = filled.map((raw) => lined(raw).replace(/\p{Surrogate}/gu, '')).filter((one) => one !== '');
    const texts = fc.record({
      name: text,
      user: text,
      path: text,
      host: text,
      sni: text,
      serviceName: text,
      seed: text,
    });
    fc.assert(
      fc.property(fc.nat(links.length - 1), texts, (at, { name, user, ...said }) => {
        const link = links[at];
        if (link === undefined) throw new Error('no link');
        // A seed is said a second time among the masks, where there are any.
        const known = Object.entries(said).filter(
          ([key]) => key in link.params && !(key === 'seed' && 'fm' in link.params),
        );
        const params = { ...link.params, ...Object.fromEntries(known) };
        const odd = { ...link, name, user: link.scheme === 'ss' ? link.user : user, params };
        expect(understood(odd)).toStrictEqual({ name, meaning: expected(odd) });
      }),
      { numRuns: 500 },
    );
  });
});
