import { type CaseContext, type ClientSeed, userKey } from '../kit/real/inbounds.js';

/** A link for every case that has one, written by hand from the link standards, without any generator. */
export function handLink(name: string, port: number, client: ClientSeed, context: CaseContext): string {
  const write = LINKS[name];
  if (write === undefined) throw new Error(`no hand-written link for ${name}`);
  return write({ at: `127.0.0.1:${port}`, port, client, context, tls: tls(context), reality: reality(context) });
}

interface Ink {
  at: string;
  port: number;
  client: ClientSeed;
  context: CaseContext;
  tls: string;
  reality: string;
}

const tls = ({ certificate }: CaseContext) => `security=tls&sni=localhost&fp=chrome&pcs=${certificate.pin}`;
const reality = ({ realityKeys, shortId }: CaseContext) =>
  `security=reality&sni=localhost&fp=chrome&pbk=${realityKeys.publicKey}&sid=${shortId}&spx=%2F85fb5a20dfa966a`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const vless = ({ at, client }: Ink, query: string) => `vless://${client.id}@${at}?encryption=none&${query}#DE-1-alice`;
const vmess = ({ port, client }: Ink, members: object) =>
  `vmess://${base64(JSON.stringify({ v: '2', ps: 'DE-1', add: '127.0.0.1', port, id: client.id, aid: '0', scy: 'auto', ...members }))}`;
const trojan = ({ at, client }: Ink, query: string) =>
  `trojan://${client.password}@${at}?${query}#%F0%9F%87%A9%F0%9F%87%AA`;
const extra = encodeURIComponent(
  JSON.stringify({ headers: { 'X-Kit': 'a b+c' }, mode: 'auto', xPaddingBytes: '100-900' }),
);

const LINKS: Partial<Record<string, (ink: Ink) => string>> = {
  'vless-tcp': (ink) => vless(ink, 'security=none&type=tcp'),
  'vless-tcp-http': (ink) => vless(ink, 'security=none&type=tcp&headerType=http&path=%2Ffront%2Fpage&host=front.test'),
  'vless-tcp-tls': (ink) => vless(ink, `type=tcp&${ink.tls}`),
  'vless-ws': (ink) => vless(ink, 'security=none&type=ws&host=localhost&path=%2Fws%2Fkit%3Fed%3D2048'),
  'vless-ws-tls': (ink) => vless(ink, `type=ws&host=localhost&path=%2Fws%2Fkit%3Fed%3D2048&alpn=http%2F1.1&${ink.tls}`),
  'vless-grpc': (ink) => vless(ink, 'security=none&type=grpc&serviceName=svc.Name'),
  'vless-grpc-tls': (ink) =>
    vless(ink, `type=grpc&serviceName=multi&authority=localhost&mode=multi&alpn=h2&${ink.tls}`),
  'vless-xhttp': (ink) => vless(ink, `security=none&type=xhttp&path=%2Fxh&mode=auto&extra=${extra}`),
  'vless-xhttp-tls': (ink) =>
    vless(ink, `type=xhttp&path=%2Fxh&mode=auto&x_padding_bytes=100-900&alpn=h2%2Chttp%2F1.1&${ink.tls}`),
  'vless-xhttp-h3': (ink) => vless(ink, `type=xhttp&path=%2Fxh&mode=auto&extra=${extra}&alpn=h3&${ink.tls}`),
  'vless-httpupgrade': (ink) => vless(ink, 'security=none&type=httpupgrade&path=%2Fup&host=localhost'),
  'vless-httpupgrade-tls': (ink) => vless(ink, `type=httpupgrade&path=%2Fup&host=localhost&alpn=http%2F1.1&${ink.tls}`),
  'vless-reality-vision': (ink) => vless(ink, `type=tcp&flow=xtls-rprx-vision&${ink.reality}`),
  'vless-reality-xhttp': (ink) => vless(ink, `type=xhttp&path=%2Fxh&mode=auto&extra=${extra}&${ink.reality}`),
  'vless-tls-vision': (ink) => vless(ink, `type=tcp&flow=xtls-rprx-vision&${ink.tls}`),
  'vmess-tcp': (ink) => vmess(ink, { net: 'tcp', type: 'none', tls: '' }),
  'vmess-ws': (ink) => vmess(ink, { net: 'ws', type: 'none', host: 'localhost', path: '/ws/kit?ed=2048', tls: '' }),
  'vmess-kcp': (ink) => vmess(ink, { net: 'kcp', type: 'none', tls: '' }),
  'vmess-kcp-seed': (ink) => vmess(ink, { net: 'kcp', type: 'none', path: 'a seed/with+signs', tls: '' }),
  'trojan-tcp-tls': (ink) => trojan(ink, `type=tcp&${ink.tls}`),
  'trojan-ws-tls': (ink) =>
    trojan(ink, `type=ws&host=localhost&path=%2Fws%2Fkit%3Fed%3D2048&alpn=http%2F1.1&${ink.tls}`),
  'trojan-grpc-tls': (ink) => trojan(ink, `type=grpc&serviceName=svc.Name&alpn=h2&${ink.tls}`),
  'ss-aes-256-gcm': ({ at, client }) =>
    `ss://${Buffer.from(`aes-256-gcm:${client.password}`).toString('base64url')}@${at}#ss`,
  'ss-chacha20': ({ at, client }) => `ss://${base64(`chacha20-ietf-poly1305:${client.password}`)}@${at}#ss%201`,
  'ss-2022-128': (ink) => shadowsocks2022(ink, '2022-blake3-aes-128-gcm', 16),
  'ss-2022-256': (ink) => shadowsocks2022(ink, '2022-blake3-aes-256-gcm', 32),
  hysteria2: ({ at, client, context }) =>
    `hysteria2://${client.password}@${at}/?alpn=h3&pinSHA256=${context.certificate.pin}&sni=localhost#hy`,
  'hysteria2-obfs': ({ at, client, context }) =>
    `hy2://${client.password}@${at}?obfs=salamander&obfs-password=obfs%20pw%2B1&pinSHA256=${context.certificate.pin}&sni=localhost`,
};

function shadowsocks2022({ at, client, context }: Ink, method: string, bytes: 16 | 32): string {
  const password = `${context.serverKeys[bytes]}:${userKey(client, bytes)}`;
  return `ss://${method}:${encodeURIComponent(password)}@${at}#ss2022`;
}
