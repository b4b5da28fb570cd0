import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCertificate } from '../certificate.js';
import { endOfOutput, startChild } from '../children.js';
import { accepts } from '../core-process.js';
import { freePort } from '../ports.js';
import { HANG_MS } from '../tunnel.js';

export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** The name that the samples of the guide serve. */
export const PROXY_HOST = 'panel.example.com';

const SAMPLES: Readonly<Record<ProxyName, string>> = {
  nginx: 'nginx.conf',
  caddy: 'Caddyfile',
  haproxy: 'haproxy.cfg',
};
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;

/** For `describe.skipIf`: true if the program is not installed, and then prints a notice that the suite is skipped. */
export function withoutProxy(name: ProxyName): boolean {
  if (!spawnSync(name, ['version'], { env: { ...process.env, PATH } }).error) return false;
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(`\n!! SKIPPED: there is no ${name} here, so its sample configuration was not run.\n`);
  return true;
}

interface Behind {
  readonly panelPort: number;
  readonly subPort: number;
  readonly certificate: TestCertificate;
}

/** The program with the sample of the guide, in which only ports and certificates are exchanged. */
export async function startProxy(name: ProxyName, { panelPort, subPort, certificate }: Behind) {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-kit-proxy-'));
  const port = await freePort();
  const sample = readFileSync(join(process.cwd(), 'docs', 'examples', SAMPLES[name]), 'utf8')
    .replaceAll('127.0.0.1:2053', `127.0.0.1:${panelPort}`)
    .replaceAll('127.0.0.1:10882', `127.0.0.1:${subPort}`);
  const file = join(folder, SAMPLES[name]);
  const { args, text } = adapted(name, { sample, folder, file, port, certificate });
  writeFileSync(file, text, { mode: 0o600 });
  const env = { ...process.env, PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = startChild(name, args, { env, cwd: folder });
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + HANG_MS;
  while (!(await accepts(port))) {
    if (!child.running() || Date.now() > deadline) {
      await stop();
      throw new Error(`${name} does not listen:\n${endOfOutput(child)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { port, stop };
}

interface Wanted {
  readonly sample: string;
  readonly folder: string;
  readonly file: string;
  readonly port: number;
  readonly certificate: TestCertificate;
}

function adapted(name: ProxyName, { sample, folder, file, port, certificate }: Wanted) {
  const { certFile, keyFile, certPem, keyPem } = certificate;
  switch (name) {
    case 'nginx': {
      mkdirSync(join(folder, 'temp'));
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${folder}/temp/${kind};`,
      );
      const server = sample
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace(/(ssl_certificate) .*;/, `$1 ${certFile};`)
        .replace(/(ssl_certificate_key) .*;/, `$1 ${keyFile};`);
      const text = `user root;\nevents {}\nhttp {\naccess_log off;\n${places.join('\n')}\n${server}}\n`;
      const globals = `daemon off; error_log stderr warn; pid ${folder}/pid;`;
      return { args: ['-e', 'stderr', '-p', folder, '-c', file, '-g', globals], text };
    }
    case 'caddy': {
      const options = '{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n';
      const site = `https://${PROXY_HOST}:${port} {\n\ttls ${certFile} ${keyFile}`;
      const text = options + sample.replace(`${PROXY_HOST} {`, site);
      return { args: ['run', '--config', file, '--adapter', 'caddyfile'], text };
    }
    default: {
      const pem = join(folder, 'both.pem');
      writeFileSync(pem, `${certPem}\n${keyPem}\n`, { mode: 0o600 });
      const text = sample.replace(/bind :443 ssl crt \S+/, `bind 127.0.0.1:${port} ssl crt ${pem}`);
      return { args: ['-db', '-f', file], text };
    }
  }
}
