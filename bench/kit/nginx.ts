import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestCertificate } from '../../test/kit/real/certificate.js';
import { freePorts } from '../../test/kit/real/ports.js';
import { newFolder, removeFolder } from './inside.js';
import { sleep } from './time.js';

/** nginx that serves one file at `/file`, on a plain port and on one with TLS. */
interface Nginx {
  readonly port: number;
  readonly tlsPort: number;
  readonly pid: number;
  stop(): void;
}

/** Null where nginx is not installed. `bytes`: the size of the file. */
export async function startNginx(bytes: number, certificate: TestCertificate): Promise<Nginx | null> {
  if (spawnSync('nginx', ['-v']).error) return null;
  const folder = newFolder();
  const [port = 0, tlsPort = 0] = await freePorts(2, 'tcp');
  for (const name of ['logs', 'html', 'temp']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'html', 'file'), 'x'.repeat(bytes));
  writeFileSync(join(folder, 'nginx.conf'), configOf(port, tlsPort, certificate));
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'logs', 'error')]);
  const stop = (): void => {
    child.kill('SIGTERM');
    removeFolder(folder);
  };
  process.once('exit', stop);
  await listens(child, tlsPort);
  if (!existsSync(folder)) throw new Error('nginx did not start');
  return {
    port,
    tlsPort,
    pid: child.pid ?? 0,
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}

const configOf = (port: number, tlsPort: number, { certFile, keyFile }: TestCertificate): string => `
daemon off; pid nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes auto;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000; default_type text/plain;
  client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
  server {
    listen 127.0.0.1:${port}; listen 127.0.0.1:${tlsPort} ssl; root html;
    ssl_certificate ${certFile}; ssl_certificate_key ${keyFile};
  }
}
`;

async function listens(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    const connected = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (connected) return;
    await sleep(25);
  }
  throw new Error('nginx does not listen');
}
