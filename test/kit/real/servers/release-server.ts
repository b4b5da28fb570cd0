import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A file of a release: its bytes, or a handler that misbehaves. */
export type Asset = Buffer | string | RequestListener;

/** Releases on a local port, listed and served as on GitHub. */
export interface ReleaseServer {
  readonly url: string;
  /** Environment of a panel that uses this server. */
  readonly env: Readonly<Record<string, string>>;
  /** A release of `core` or `panel`; the newest comes first, as on GitHub. */
  release(of: 'core' | 'panel', tag: string, assets: Readonly<Record<string, Asset>>, flags?: object): void;
  /** A file at a path, such as a geo file. */
  put(path: string, asset: Asset, modified?: Date): void;
  /** Requested paths, in order. */
  readonly asked: readonly string[];
  /** While it is, every answer is this status. */
  failing: number | null;
  stop(): Promise<void>;
}

interface ListedRelease {
  readonly tag_name: string;
  readonly assets: readonly { readonly name: string; readonly browser_download_url: string }[];
}

export async function startReleaseServer(): Promise<ReleaseServer> {
  const files = new Map<string, { readonly asset: Asset; readonly modified: Date }>();
  const lists: Record<'core' | 'panel', ListedRelease[]> = { core: [], panel: [] };
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const state = { failing: null as number | null };

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    if (state.failing !== null) return void response.writeHead(state.failing).end();
    const [, kind, latest] = /^\/(core|panel)\/releases(\/latest)?$/.exec(path) ?? [];
    if (kind !== undefined) return sendReleases(response, lists[kind as 'core' | 'panel'], latest !== undefined);
    const found = files.get(path);
    if (found === undefined) return void response.writeHead(404).end('Not Found');
    if (typeof found.asset === 'function') return found.asset(request, response);
    const since = Date.parse(request.headers['if-modified-since'] ?? '');
    if (since >= Math.floor(found.modified.getTime() / 1000) * 1000) return void response.writeHead(304).end();
    const body = Buffer.from(found.asset);
    response.writeHead(200, { 'content-length': body.length, 'last-modified': found.modified.toUTCString() }).end(body);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const put: ReleaseServer['put'] = (path, asset, modified = new Date('2026-11-01')) =>
    void files.set(path, { asset, modified });

  return Object.assign(state, {
    url,
    env: {
      PORTOLAN_CORE_RELEASES_URL: `${url}/core/releases`,
      PORTOLAN_PANEL_RELEASES_URL: `${url}/panel/releases`,
      PORTOLAN_GEO_RELEASES_URL: url,
      PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true',
    },
    asked,
    put,
    release: (of: 'core' | 'panel', tag: string, assets: Readonly<Record<string, Asset>>, flags = {}) => {
      for (const [name, asset] of Object.entries(assets)) put(`/download/${of}/${tag}/${name}`, asset);
      const listed = Object.keys(assets).map((name) => ({
        name,
        browser_download_url: `${url}/download/${of}/${tag}/${name}`,
      }));
      lists[of].unshift({ tag_name: tag, assets: listed, ...flags });
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
}

function sendReleases(response: ServerResponse, releases: readonly ListedRelease[], latest: boolean): void {
  const answer = latest ? releases[0] : releases;
  const body = JSON.stringify(answer ?? { message: 'Not Found' });
  response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(body);
}

export const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');

/** An archive of the core and its checksum file, under the names for this machine. */
export function coreAssets(archive: Asset, sum?: string): Record<string, Asset> {
  const machine = { x64: '64', arm64: 'arm64-v8a' }[process.arch as string] ?? process.arch;
  const name = `Xray-linux-${machine}.zip`;
  const digest = typeof archive === 'function' ? '0'.repeat(64) : sha256(archive);
  return { [name]: archive, [`${name}.dgst`]: sum ?? `MD5= 0\nSHA1= 0\nSHA2-256= ${digest}\nSHA2-512= 0\n` };
}

/** The same for the panel. */
export function panelAssets(version: string, archive: Buffer): Record<string, Asset> {
  const name = `portolan-${version}-${process.platform}-${process.arch}.zip`;
  return { [name]: archive, [`${name}.sha256`]: `${sha256(archive)}  ${name}\n` };
}
