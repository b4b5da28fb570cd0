import { isObject, type JsonObject } from '../../../model/json';
import { type Loss, lossesOf as lossesIn } from '../../../model/losses';
import { hasStream, networkOf, securitiesOf } from '../fields/conditions';
import type { Draft } from './draft';

/**
 * What the choice of another protocol or transport has removed from the draft, by the choice that brings it back:
 * `vless`, or `vless/kcp` for a transport.
 */
export type Aside = Readonly<Record<string, Partial<Pick<Draft, 'settings' | 'streamSettings'>>>>;

interface Switched {
  readonly draft: Draft;
  readonly aside: Aside;
}

/** The draft after an input: with another protocol or transport, what does not fit it is put aside and can come back. */
export function switched(before: Draft, after: Draft, aside: Aside): Switched {
  if (after.protocol !== before.protocol) return otherProtocol(before, after, aside);
  return networkOf(after) === networkOf(before) ? { draft: after, aside } : otherNetwork(before, after, aside);
}

function otherProtocol(before: Draft, after: Draft, aside: Aside): Switched {
  const { protocol } = after;
  const { [protocol]: back, ...others } = aside;
  const { settings, streamSettings } = before;
  const start = { settings: STARTS[protocol] ?? {}, streamSettings: streamFor(after, before) };
  return {
    draft: { ...after, ...(back ?? start) },
    aside: { ...others, [before.protocol]: { settings, streamSettings } },
  };
}

const STARTS: Readonly<Record<string, JsonObject>> = {
  vless: { decryption: 'none' },
  hysteria2: { version: 2 },
  shadowsocks: { method: '2022-blake3-aes-256-gcm', network: 'tcp,udp' },
  mixed: { auth: 'noauth', udp: true },
  wireguard: { mtu: 1420, peers: [] },
  tunnel: { network: 'tcp,udp' },
};

/** The transport of a new Hysteria2. */
const QUIC: JsonObject = { hysteriaSettings: { version: 2, auth: '', udpIdleTimeout: 60 } };

/** The transport and security of the former protocol if the new one has them too, else the usual ones. */
function streamFor(after: Draft, before: Draft): JsonObject {
  const { streamSettings: stream } = before;
  const isUsual = (draft: Draft): boolean => hasStream(draft) && draft.protocol !== 'shadowsocks';
  if (isUsual(after) && isUsual(before)) return stream;
  const tls = stream['security'] === 'tls' && isObject(stream['tlsSettings']) ? stream['tlsSettings'] : null;
  if (after.protocol === 'hysteria2') {
    const kept = tls ? { tlsSettings: { ...tls, alpn: ['h3'] } } : {};
    return { network: 'hysteria', security: 'tls', ...kept, ...QUIC };
  }
  if (!isUsual(after) || !tls) return { network: 'tcp', security: 'none' };
  const { alpn: _ofQuic, ...tlsSettings } = tls;
  return { network: 'tcp', security: 'tls', tlsSettings };
}

const nameOf = (draft: Draft): string => `${draft.protocol}/${networkOf(draft)}`;

/** Another transport may exclude the security, and a mask belongs to the transport for which it was made. */
function otherNetwork(before: Draft, after: Draft, aside: Aside): Switched {
  const { [nameOf(after)]: back, ...others } = aside;
  const { finalmask, ...stream } = after.streamSettings;
  const { security = 'none' } = stream;
  const isAllowed = securitiesOf(after).includes(String(security));
  const lost = { ...(isAllowed ? {} : { security }), ...(finalmask === undefined ? {} : { finalmask }) };
  const { security: earlier, ...mask } = back?.streamSettings ?? {};
  const isOff = !isAllowed || security === 'none';
  const now = isOff && (earlier !== undefined || !isAllowed) ? { security: earlier ?? 'none' } : {};
  return {
    draft: { ...after, streamSettings: { ...stream, ...now, ...mask } },
    aside: Object.keys(lost).length === 0 ? others : { ...others, [nameOf(before)]: { streamSettings: lost } },
  };
}

/** What was put aside and is not in the draft: a save drops it. */
export const lossesOf = (draft: Draft, aside: Aside): readonly Loss[] =>
  lossesIn(draft, aside, (name) => ({ settings: STARTS[name] ?? {}, streamSettings: QUIC }));

/** The security that the transport has switched off, such as `reality`; null if there is none. */
export function switchedOff(draft: Draft, aside: Aside): string | null {
  if ((draft.streamSettings['security'] ?? 'none') !== 'none') return null;
  const lost = Object.entries(aside)
    .filter(([name]) => name.startsWith(`${draft.protocol}/`))
    .map(([, { streamSettings }]) => streamSettings?.['security'])
    .find((one) => typeof one === 'string' && !securitiesOf(draft).includes(one));
  return typeof lost === 'string' ? lost : null;
}
