import { parseLink } from './client-apps/link-parser.js';
import type { Outbound } from './client-apps/outbound.js';
import { type CoreOptions, type CoreProcess, startCore } from './core-process.js';
import { freePorts } from './ports.js';

/** A link, an outbound, or either of them with a source address of its own. */
export type ClientEntry = string | Outbound | { via: string | Outbound; from: string };

export interface ClientCoreOptions extends CoreOptions {
  /** Source address of the outbounds. The core does not count 127.0.0.1 as an online IP, so 127.0.0.2. */
  from?: string;
  /** The addresses of host names in links: the client's DNS. `localhost` is 127.0.0.1 unless said otherwise. */
  hosts?: Record<string, string>;
  logLevel?: 'debug' | 'info' | 'warning' | 'error';
}

/** A client app's core: entry `i` is reached through the SOCKS5 port `socksPort(i)`, no password. */
export interface ClientCore extends CoreProcess {
  socksPort(index: number): number;
}

/** Starts one core with a SOCKS inbound for every entry. An invalid link throws an error that names it. */
export async function startClientCore(entries: ClientEntry[], options: ClientCoreOptions = {}): Promise<ClientCore> {
  const ports = await freePorts(entries.length, 'tcp');
  const core = await startCore(clientConfig(entries, ports, options), ports, options);
  const socksPort = (index: number) => {
    const port = ports[index];
    if (port === undefined) throw new Error(`no entry ${index}: there are ${ports.length}`);
    return port;
  };
  return { ...core, socksPort };
}

function clientConfig(entries: ClientEntry[], ports: number[], options: ClientCoreOptions): object {
  const { from = '127.0.0.2', logLevel = 'warning' } = options;
  const hosts = { localhost: '127.0.0.1', ...options.hosts };
  const inbounds = ports.map((port, index) => ({
    tag: `in-${index}`,
    listen: '127.0.0.1',
    port,
    protocol: 'socks',
    settings: { auth: 'noauth', udp: true, ip: '127.0.0.1' },
  }));
  const outbounds = entries.map((entry, index) => {
    const own = typeof entry === 'object' && 'via' in entry ? entry : { via: entry, from };
    return { tag: `out-${index}`, sendThrough: own.from, ...resolved(outboundOf(own.via, index), hosts) };
  });
  const rules = entries.map((_, index) => ({ inboundTag: [`in-${index}`], outboundTag: `out-${index}` }));
  return {
    log: { loglevel: logLevel, access: 'none' },
    inbounds,
    outbounds: [...outbounds, { tag: 'nowhere', protocol: 'blackhole', settings: {} }],
    routing: { domainStrategy: 'AsIs', rules },
  };
}

function outboundOf(via: string | Outbound, index: number): Outbound {
  if (typeof via !== 'string') return via;
  try {
    return parseLink(via).outbound;
  } catch (error) {
    throw new Error(`link ${index} (${via}): ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** As a resolver would; the TLS name stays what the link says, or the host it named. */
function resolved(outbound: Outbound, hosts: Record<string, string>): Outbound {
  const name = outbound.settings['address'];
  const address = typeof name === 'string' ? hosts[name] : undefined;
  return address === undefined ? outbound : { ...outbound, settings: { ...outbound.settings, address } };
}
