import type { CaseContext, ClientSeed, InboundCase } from '../inbound-body.js';
import { clientObject, makeBody } from '../inbound-body.js';
import { overReality, overTls, plain, TRANSPORTS } from '../inbound-streams.js';

/** A pair of keys for these tests alone, as `xray vlessenc` makes it. */
const ENCRYPTED = {
  decryption: 'mlkem768x25519plus.native.600s.GDuewH8ilpF6c_FNan9ntY_pjcechR0E5B5jmbTx_2A',
  encryption: 'mlkem768x25519plus.native.0rtt.x2umGGygZrWuaH47zqJrRe9-ytBQ8ay5vGCbV2LcSzk',
};

/** Protocols and transports that `inboundCases` omits and that Mihomo and sing-box configure differently. */
export function clientAppCases(context: CaseContext): InboundCase[] {
  const { tcp, tcpHttp, ws, grpc, grpcMulti, httpupgrade, xhttp } = TRANSPORTS;
  const ownPath = { network: 'grpc', grpcSettings: { serviceName: '/my/own path/one|two', multiMode: true } };
  const oddName = { network: 'grpc', grpcSettings: { serviceName: 'a b/ü+1' } };
  const noName = { network: 'grpc', grpcSettings: { serviceName: '' } };
  const bareWs = { network: 'ws', wsSettings: { path: '/bare' } };
  const oddWs = { network: 'ws', wsSettings: { path: '/пу ть', host: 'ws.example' } };
  const earlyUpgrade = { network: 'httpupgrade', httpupgradeSettings: { path: '/up?ed=2560' } };
  const oddUpgrade = { network: 'httpupgrade', httpupgradeSettings: { path: '/пу ть%2F?x=1' } };
  const xhttpQuery = { network: 'xhttp', xhttpSettings: { path: '/xh?x=1', mode: 'packet-up' } };
  const classic = { method: 'aes-128-gcm' };
  const vless = { decryption: 'none', encryption: 'none' };
  return [
    aCase('vless-encryption', 'vless', ENCRYPTED, plain(tcp)),
    aCase('vless-ws-bare', 'vless', vless, plain(bareWs)),
    aCase('vless-ws-odd', 'vless', vless, plain(oddWs)),
    aCase('vless-httpupgrade-early', 'vless', vless, plain(earlyUpgrade)),
    aCase('vless-httpupgrade-odd', 'vless', vless, plain(oddUpgrade)),
    aCase('vless-xhttp-query', 'vless', vless, plain(xhttpQuery)),
    aCase('vless-grpc-path', 'vless', vless, overTls(ownPath, context, ['h2'])),
    aCase('vless-grpc-odd', 'vless', vless, plain(oddName)),
    aCase('vless-grpc-bare', 'vless', vless, plain(noName)),
    aCase('vmess-tcp-http', 'vmess', {}, plain(tcpHttp)),
    aCase('vmess-ws-tls', 'vmess', {}, overTls(ws, context, ['h2', 'http/1.1'])),
    aCase('vmess-reality', 'vmess', {}, overReality(tcp, context)),
    aCase('vmess-httpupgrade', 'vmess', {}, plain(httpupgrade)),
    aCase('vmess-grpc-tls', 'vmess', {}, overTls(grpcMulti, context, ['h2'])),
    aCase('trojan-grpc-reality', 'trojan', {}, overReality(grpc, context)),
    aCase('vless-tcp-reality', 'vless', vless, overReality(tcp, context), 'tcp', 'xtls-rprx-vision'),
    aCase('vless-xhttp-reality', 'vless', vless, overReality(xhttp, context)),
    aCase('trojan-tcp', 'trojan', {}, plain(tcp)),
    aCase('ss-ws', 'shadowsocks', classic, plain(ws)),
    aCase('ss-ws-tls', 'shadowsocks', classic, overTls(ws, context, ['h2', 'http/1.1'])),
    aCase('ss-tls', 'shadowsocks', classic, overTls(tcp, context)),
    aCase('ss-grpc', 'shadowsocks', classic, plain(grpc)),
    aCase('ss-http', 'shadowsocks', { method: 'chacha20-poly1305' }, plain(tcpHttp)),
  ];
}

function aCase(
  name: string,
  protocol: string,
  settings: Record<string, unknown>,
  stream: object,
  listens: 'tcp' | 'udp' = 'tcp',
  flow = '',
): InboundCase {
  const credential = ({ id, password }: ClientSeed) =>
    protocol === 'vless' || protocol === 'vmess' ? { id, flow } : { password, ...methodOf(settings) };
  const body = (port: number, clients: ClientSeed[]) =>
    makeBody(
      protocol,
      port,
      name,
      { ...settings, clients: clients.map((client) => clientObject(client, credential(client))) },
      stream,
    );
  return { name, protocol, listens, link: true, countsUsers: true, body };
}

function methodOf({ method }: Record<string, unknown>): object {
  return typeof method === 'string' && !method.startsWith('2022') ? { method } : {};
}
