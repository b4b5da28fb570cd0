import type { CaseContext } from './inbound-body.js';

type Stream = Record<string, unknown>;

/** Transports, each with a path or name of its own, as a panel stores them. */
export const TRANSPORTS = {
  tcp: { network: 'tcp', tcpSettings: { acceptProxyProtocol: false, header: { type: 'none' } } },
  tcpHttp: {
    network: 'tcp',
    tcpSettings: {
      acceptProxyProtocol: false,
      header: {
        type: 'http',
        request: {
          version: '1.1',
          method: 'GET',
          path: ['/front/page'],
          headers: { Host: ['front.test', 'back.test'] },
        },
        response: { version: '1.1', status: '200', reason: 'OK', headers: { 'Content-Type': ['text/html'] } },
      },
    },
  },
  ws: { network: 'ws', wsSettings: { path: '/ws/kit?ed=2048', host: 'localhost', headers: {}, heartbeatPeriod: 0 } },
  grpc: { network: 'grpc', grpcSettings: { serviceName: 'svc.Name', authority: '', multiMode: false } },
  grpcMulti: { network: 'grpc', grpcSettings: { serviceName: 'multi', authority: 'localhost', multiMode: true } },
  xhttp: {
    network: 'xhttp',
    xhttpSettings: {
      path: '/xh',
      host: '',
      mode: 'auto',
      headers: { 'X-Kit': 'a b+c' },
      xPaddingBytes: '100-900',
      scMaxEachPostBytes: '1000000',
      scMaxBufferedPosts: 30,
      scStreamUpServerSecs: '20-80',
      noSSEHeader: false,
    },
  },
  httpupgrade: {
    network: 'httpupgrade',
    httpupgradeSettings: { path: '/up', host: 'localhost', headers: {}, acceptProxyProtocol: false },
  },
  kcp: { network: 'kcp', kcpSettings: { mtu: 1350, tti: 20 } },
  kcpSeed: {
    network: 'kcp',
    kcpSettings: { mtu: 1350, tti: 20 },
    finalmask: { udp: [{ type: 'mkcp-legacy', settings: { header: '', value: 'a seed/with+signs' } }] },
  },
} as const satisfies Record<string, Stream>;

/** No security. */
export function plain(transport: Stream): Stream {
  return { ...transport, security: 'none', externalProxy: [] };
}

/** TLS with the test certificate; links carry its pin. */
export function overTls(transport: Stream, { certificate }: CaseContext, alpn: string[] = []): Stream {
  return { ...transport, security: 'tls', externalProxy: [], tlsSettings: tlsServer(certificate, alpn, 'chrome') };
}

/** REALITY in front of the local TLS 1.3 twin. */
export function overReality(transport: Stream, context: CaseContext): Stream {
  return {
    ...transport,
    security: 'reality',
    externalProxy: [],
    realitySettings: {
      show: false,
      xver: 0,
      target: context.realityTarget,
      serverNames: ['localhost'],
      privateKey: context.realityKeys.privateKey,
      minClientVer: '',
      maxClientVer: '',
      maxTimediff: 0,
      shortIds: [context.shortId],
      settings: { publicKey: context.realityKeys.publicKey, fingerprint: 'chrome', serverName: '', spiderX: '/' },
    },
  };
}

/** Hysteria 2, with or without Salamander. */
export function hysteriaStream({ certificate }: CaseContext, obfs?: string): Stream {
  return {
    network: 'hysteria',
    security: 'tls',
    externalProxy: [],
    tlsSettings: tlsServer(certificate, ['h3'], ''),
    hysteriaSettings: { version: 2, auth: '', udpIdleTimeout: 60 },
    ...(obfs === undefined ? {} : { finalmask: { udp: [{ type: 'salamander', settings: { password: obfs } }] } }),
  };
}

function tlsServer(certificate: CaseContext['certificate'], alpn: string[], fingerprint: string): Stream {
  const { certFile, keyFile, pin } = certificate;
  return {
    serverName: 'localhost',
    minVersion: '1.2',
    maxVersion: '1.3',
    alpn,
    certificates: [
      { certificateFile: certFile, keyFile, oneTimeLoading: false, usage: 'encipherment', buildChain: false },
    ],
    settings: { fingerprint, echConfigList: '', pinnedPeerCertSha256: [pin] },
  };
}
