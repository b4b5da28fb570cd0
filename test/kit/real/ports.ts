import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below Linux's ephemeral range (32768 and up), so that no outgoing connection takes a port we gave out. */
const MIN_PORT = 20_000;
const MAX_PORT = 32_000;
const CLAIMS = join(tmpdir(), 'portolan-kit-ports');

const given = new Set<number>();
let exitHookSet = false;

export type PortKind = 'tcp' | 'udp' | 'both';

/**
 * A loopback port that is free now and that no other user of this function gets, in this process or in another one:
 * test workers run side by side, and the core binds with SO_REUSEPORT, so a port given out twice would be shared in silence.
 */
export async function freePort(kind: PortKind = 'both'): Promise<number> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const port = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT));
    if (given.has(port) || !claim(port)) continue;
    given.add(port);
    const tcp = kind === 'udp' || (await bindsTcp(port));
    const udp = kind === 'tcp' || (await bindsUdp(port));
    if (tcp && udp) return port;
  }
  throw new Error(`no free ${kind} port between ${MIN_PORT} and ${MAX_PORT}`);
}

/** Several ports at once, all different. */
export async function freePorts(count: number, kind: PortKind = 'both'): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort(kind));
  return ports;
}

/** One file a port, holding the owner's pid; a file whose owner is gone is taken over. */
function claim(port: number): boolean {
  mkdirSync(CLAIMS, { recursive: true });
  setExitHook();
  const file = join(CLAIMS, String(port));
  for (const last of [false, true]) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return true;
    } catch {
      if (last || !abandoned(file)) return false;
      rmSync(file, { force: true });
    }
  }
  return false;
}

function abandoned(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (!Number.isInteger(pid) || pid <= 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function setExitHook(): void {
  if (exitHookSet) return;
  exitHookSet = true;
  process.on('exit', () => {
    for (const port of given) rmSync(join(CLAIMS, String(port)), { force: true });
  });
}

function bindsTcp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function bindsUdp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => socket.close(() => resolve(true)));
  });
}
