import { endOfOutput, startChild } from '../children.js';
import { accepts } from '../core-process.js';
import { freePorts } from '../ports.js';
import { HANG_MS } from '../tunnel.js';
import { type ClientApp, clientAppBinary, inFolder } from './client-apps.js';

/** A client app that runs with the content of a subscription. */
export interface RunningClientApp {
  /** The names of the servers that it has, as its list shows them. */
  readonly names: readonly string[];
  /** A SOCKS5 port, without a password, that forwards through this server. */
  socksPort(name: string): number;
  log(): string;
  stop(): Promise<void>;
}

/** Mihomo with a document as it came: only endpoints are added, one that leads to each of its proxies. */
export function startMihomo(document: string, names: readonly string[]): Promise<RunningClientApp> {
  return start('mihomo', names, {}, (ports) => {
    const endpoints = names.map((proxy, at) => ({
      name: `endpoint-${at}`,
      type: 'socks',
      listen: '127.0.0.1',
      port: ports[at],
      proxy,
    }));
    // JSON is YAML.
    const own = { 'log-level': 'info', listeners: endpoints, 'find-process-mode': 'off', 'unified-delay': false };
    return `${document}${Object.entries(own)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
      .join('')}`;
  });
}

interface Profile {
  readonly inbounds: unknown;
  readonly route: { readonly rules: readonly object[] };
}

/**
 * sing-box with a profile as it came, but for what belongs to a device: instead of its tunnel there is an endpoint that leads
 * to each of its outbounds, and it looks for no network interface. It does not support certificate pins, so it is
 * given the certificates that its system believes, as a file.
 */
export function startSingBox(text: string, names: readonly string[], certFile: string): Promise<RunningClientApp> {
  const profile = JSON.parse(text) as Profile;
  return start('sing-box', names, { SSL_CERT_FILE: certFile }, (ports) => {
    const inbounds = names.map((_, at) => ({
      type: 'socks',
      tag: `endpoint-${at}`,
      listen: '127.0.0.1',
      listen_port: ports[at],
    }));
    const endpoints = names.map((outbound, at) => ({ inbound: [`endpoint-${at}`], outbound }));
    const route = { ...profile.route, rules: [...endpoints, ...profile.route.rules], auto_detect_interface: false };
    return JSON.stringify({ ...profile, inbounds, route });
  });
}

const ARGUMENTS: Readonly<Record<ClientApp, (file: string, folder: string) => string[]>> = {
  xray: (file) => ['run', '-c', file],
  mihomo: (file, folder) => ['-d', folder, '-f', file],
  'sing-box': (file, folder) => ['run', '-D', folder, '-c', file],
};

async function start(
  app: ClientApp,
  names: readonly string[],
  env: Record<string, string>,
  textFor: (ports: readonly number[]) => string,
): Promise<RunningClientApp> {
  const ports = await freePorts(names.length, 'tcp');
  const { folder, file, remove } = inFolder(app, textFor(ports));
  const child = startChild(clientAppBinary(app), ARGUMENTS[app](file, folder), {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  const stop = async () => {
    await child.stop();
    remove();
  };
  const deadline = Date.now() + HANG_MS;
  for (const port of ports) {
    while (!(await accepts(port))) {
      if (child.running() && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      await stop();
      throw new Error(`${app} did not start:\n${endOfOutput(child)}`);
    }
  }
  return {
    names,
    socksPort: (name) => {
      const port = ports[names.indexOf(name)];
      if (port === undefined) throw new Error(`no server ${name}`);
      return port;
    },
    log: () => endOfOutput(child, 20_000),
    stop,
  };
}
