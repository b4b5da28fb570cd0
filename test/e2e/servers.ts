import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type Agent, request as secureRequest } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { type Admin, must, type PanelProcess, panelPorts, startPanel } from '../kit/real/panel-process.js';

/** Only settings define the ports of the servers; the address stays loopback. */
export const BY_SETTINGS = { PORTOLAN_PORT: '', PORTOLAN_SUB_PORT: '' };

/** A panel whose ports are settings, so that they can be changed. */
export async function startMovable(options: Parameters<typeof startPanel>[0] = {}): Promise<PanelProcess> {
  const ports = await panelPorts();
  const first = await startPanel({ ports, coreBin: '/nowhere/xray' });
  await must(
    (await first.admin()).post('/panel/setting/update', { webPort: ports.panel, subPort: ports.sub, pollSeconds: 1 }),
  );
  await first.stop();
  const panel = await startPanel({
    ...options,
    dataDir: first.dataDir,
    ports,
    env: { ...BY_SETTINGS, ...options.env },
  });
  return { ...panel, cleanUp: () => panel.stop().then(() => first.cleanUp()) };
}

export interface Said {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
  /** The names of the certificate; '' without TLS. */
  readonly names: string;
}

interface AskOptions {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly agent?: Agent;
}

/** One request on a connection of its own, or of the agent; any certificate will do. */
export function ask(url: string, { headers = {}, method = 'GET', agent }: AskOptions = {}): Promise<Said> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, timeout: 60_000, ...(agent ? { agent } : { agent: false as const }) };
    const heard = (res: IncomingMessage): void => {
      const socket = res.socket as TLSSocket;
      const names = socket.encrypted ? (socket.getPeerCertificate().subjectaltname ?? '') : '';
      let text = '';
      res.setEncoding('utf8').on('data', (data: string) => (text += data));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text, headers: res.headers, names }));
    };
    const req = url.startsWith('https:')
      ? secureRequest(url, { ...options, rejectUnauthorized: false }, heard)
      : request(url, options, heard);
    req.on('error', reject).end();
  });
}

/** Whether this session is one at the address. */
export async function knows(base: string, admin: Admin): Promise<boolean> {
  const { status, text } = await ask(`${base}/panel/api/inbounds/list`, { headers: { cookie: admin.cookieHeader() } });
  return status === 200 && (JSON.parse(text) as { success: boolean }).success;
}

/** The process of the core that the panel drives. */
export function corePid({ dataDir }: PanelProcess): number {
  return (JSON.parse(readFileSync(join(dataDir, 'run', 'core.json'), 'utf8')) as { pid: number }).pid;
}

/** The local addresses with a TCP listener on a port; `*` is every one. */
export function listening(port: number): string[] {
  return listeners()
    .filter((one) => one.port === port)
    .map(({ address }) => address);
}

/** Everything that listens for TCP on this machine, as `ss` shows it. */
export function listeners(): { address: string; port: number; pids: number[] }[] {
  const lines = execFileSync('ss', ['-Hltnp'], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const local = line.split(/\s+/)[3] ?? '';
    const [, address = '', port = ''] = /^(.*):(\d+)$/.exec(local) ?? [];
    const pids = [...line.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid));
    return port === '' ? [] : [{ address: address.replace(/^\[::\]$|^0\.0\.0\.0$/, '*'), port: Number(port), pids }];
  });
}
