import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a provider received. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

interface ProviderServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

export interface TunnelServer extends ProviderServer {
  /** What a device must show; of the last registration. */
  token(): string;
  readonly publicKey: string;
}

export interface VpnServer extends ProviderServer {
  readonly token: string;
  readonly privateKey: string;
}

type Reply = readonly [status: number, body: unknown];

/** A license that the tunnel provider accepts, and the format of one. */
export const GOOD_LICENSE = 'a1B2c3D4-e5F6g7H8-i9J0k1L2';
const LICENSE = /^\w{8}-\w{8}-\w{8}$/;

/** The registration interface of Cloudflare WARP: POST /reg, GET /reg/ID, PUT /reg/ID/account. */
export async function startTunnelServer(): Promise<TunnelServer> {
  const publicKey = wireguardKey();
  const devices = new Map<string, { token: string; license: string; key: string }>();
  let last = '';

  const device = (id: string) => {
    const { token, license, key } = devices.get(id) ?? { token: '', license: '', key: '' };
    return {
      id,
      type: 'a',
      name: '',
      key,
      token,
      account: { id: randomUUID(), account_type: 'free', license, quota: 0, role: 'parent' },
      config: {
        client_id: Buffer.from([11, 22, 33]).toString('base64'),
        interface: { addresses: { v4: '172.16.0.2', v6: '2606:4700:110:8a36:df92:102a:9602:fa18' } },
        peers: [
          {
            public_key: publicKey,
            endpoint: { v4: '162.159.192.7:0', v6: '[2606:4700:d0::a29f:c007]:0', host: 'engage.example.com:2408' },
          },
        ],
      },
      warp_enabled: false,
    };
  };
  const register = (body: Record<string, unknown>): Reply => {
    const { key, tos, type, model, name } = body;
    const asked = [tos, type, model, name].every((text) => typeof text === 'string' && text !== '');
    if (!isKey(key) || !asked || Number.isNaN(Date.parse(String(tos)))) return trouble(400, 1003, 'Bad registration');
    last = `token-${randomUUID()}`;
    const id = randomUUID();
    devices.set(id, { token: last, license: 'q0000000-q0000000-q0000000', key: String(key) });
    return [200, device(id)];
  };
  const license = (id: string, body: Record<string, unknown>): Reply => {
    const text = String(body['license']);
    if (!LICENSE.test(text)) return [400, { success: false, errors: [{ code: 1004, message: 'Invalid license' }] }];
    if (text !== GOOD_LICENSE) return [200, { success: false, errors: [{ code: 1005, message: 'Too many devices' }] }];
    const known = devices.get(id);
    if (known) devices.set(id, { ...known, license: text });
    return [200, { success: true, errors: [], result: null }];
  };

  const server = await serve((request, body) => {
    const { method, url = '' } = request;
    if (request.headers['cf-client-version'] === undefined) return trouble(403, 1000, 'No client version');
    if (method === 'POST' && url === '/v0a4005/reg') return register(body);
    const [, id = '', account] = /^\/v0a4005\/reg\/([\w-]+)(\/account)?$/.exec(url) ?? [];
    const known = devices.get(id);
    if (!known) return trouble(404, 1001, 'No such device');
    if (request.headers.authorization !== `Bearer ${known.token}`) return trouble(401, 1002, 'Unauthorized');
    if (method === 'GET' && account === undefined) return [200, device(id)];
    return method === 'PUT' && account !== undefined ? license(id, body) : trouble(405, 1006, 'No such method');
  });
  return { ...server, url: `${server.url}/v0a4005`, publicKey, token: () => last };
}

/** The public interface of NordVPN: countries, servers of a country, and the WireGuard key of an account. */
export async function startVpnServer(): Promise<VpnServer> {
  const token = 'f'.repeat(64);
  const privateKey = wireguardKey();
  const countries = [
    { id: 208, name: 'Switzerland', code: 'CH', cities: [{ id: 1, name: 'Zurich' }] },
    { id: 209, name: 'Atlantis', code: 'XX', cities: [] },
  ];
  const vpnHost = (load: number) => ({
    id: load,
    name: `Switzerland #${load}`,
    station: '192.0.2.10',
    hostname: `ch${load}.example.com`,
    load,
    technologies: [{ id: 35, metadata: [{ name: 'public_key', value: wireguardKey() }] }],
  });
  const server = await serve(({ method, url = '', headers }) => {
    const { pathname, searchParams } = new URL(url, 'http://provider');
    if (method !== 'GET') return [405, {}];
    if (pathname === '/v1/countries') return [200, countries];
    if (pathname === '/v2/servers') {
      if (searchParams.get('filters[servers_technologies][id]') !== '35' || searchParams.get('limit') !== '0')
        return [400, {}];
      const loads = { '208': [8, 3, 40], '209': [1, 2] }[searchParams.get('filters[country_id]') ?? ''] ?? [];
      return [200, { servers: loads.map(vpnHost), locations: [{ id: 1 }], technologies: [] }];
    }
    if (pathname !== '/v1/users/services/credentials') return [404, {}];
    const right = `Basic ${Buffer.from(`token:${token}`).toString('base64')}`;
    if (headers.authorization === right) return [200, { id: 1, nordlynx_private_key: privateKey }];
    return [401, { errors: { code: 100104, message: 'Unauthorized' } }];
  });
  return { ...server, token, privateKey };
}

function trouble(status: number, code: number, message: string): Reply {
  return [status, { success: false, result: null, errors: [{ code, message }] }];
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && Buffer.from(key, 'base64').length === 32 && key.length === 44;
}

/** Base64 of 32 bytes. */
function wireguardKey(): string {
  const { x = '' } = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}

async function serve(
  answer: (request: IncomingMessage, body: Record<string, unknown>) => Reply,
): Promise<ProviderServer> {
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      const sent: unknown = text === '' ? {} : JSON.parse(text);
      asked.push({ method: request.method ?? '', path: request.url ?? '', body: sent });
      const [status, body] = answer(request, sent as Record<string, unknown>);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}
