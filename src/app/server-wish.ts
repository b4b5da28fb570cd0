import { type PortFlaw, portFlaw } from '../adapters/host/port-flaw.js';
import { portHolder } from '../adapters/host/port-holder.js';
import type { CertificateKeeper, PairFiles, Standing } from '../adapters/tls/keeper.js';
import type { OwnPort } from '../commands/command.js';
import { overlap } from '../commands/inbound/inbound-rules.js';
import { reject } from '../commands/rejection.js';
import { type Config, changedBy } from '../config.js';
import { type ServerName, serverNames } from '../events/certificate.js';
import type { Settings } from '../events/settings/settings.js';

/** What the settings, under flags and environment, want of a server. */
export interface Wish {
  readonly name: ServerName;
  readonly listen: string;
  /** 0 = any that is free. */
  readonly port: number;
  /** Null = no TLS. */
  readonly files: PairFiles | null;
  readonly standing: Standing;
}

/** Why a server cannot be had as it is wanted. */
export class WishFlaw extends Error {
  readonly server: ServerName;

  constructor(server: ServerName, why: string, cause?: unknown) {
    super(why, { cause });
    this.server = server;
  }
}

/** Reads the certificate, and changes nothing. */
export async function wishOf(
  name: ServerName,
  config: Config,
  all: Settings,
  keeper: CertificateKeeper,
): Promise<Wish> {
  const [listen, port, certFile, keyFile] =
    name === 'panel'
      ? [config.HOST ?? all.webListen, config.PORT ?? all.webPort, all.webCertFile, all.webKeyFile]
      : [config.SUB_HOST ?? all.subListen, config.SUB_PORT ?? all.subPort, all.subCertFile, all.subKeyFile];
  const files = certFile === '' && keyFile === '' ? null : { certFile, keyFile };
  return { name, listen, port, files, standing: files ? await keeper.look(files) : { pair: null, flaw: null } };
}

/** TLS was asked for and cannot be had: never plain HTTP to the network then. */
export function bareOf({ files, standing }: Wish): boolean {
  return files !== null && standing.pair === null;
}

export function samePlace(one: Wish, other: Wish | undefined): boolean {
  return one.listen === other?.listen && one.port === other.port;
}

/** The servers whose ports are settings. */
const OWN_SERVERS: ReadonlySet<string> = new Set(Object.values(serverNames));

/** Why one of our two servers cannot listen there, by a real bind. What they hold now counts as free: they may give it up. */
export function serverPortFlaw(own: readonly OwnPort[], listen: string, port: number): Promise<PortFlaw | null> {
  const held = own.some((one) => OWN_SERVERS.has(one.name) && one.port === port && overlap(one.listen, listen));
  return portFlaw(listen, held ? 0 : port, false);
}

/** The same as a sentence. */
export async function placeFlaw({ listen, port }: Wish, own: readonly OwnPort[]): Promise<string | null> {
  switch (await serverPortFlaw(own, listen, port)) {
    case 'taken':
      return reject('PORT_TAKEN', { port, by: 'another program' }).message;
    case 'forbidden':
      return reject('PORT_FORBIDDEN', { port }).message;
    case 'no such address':
      return reject('LISTEN_UNKNOWN', { listen }).message;
    case null:
      return null;
  }
}

/** What the system said when an address was asked for, as a sentence. */
export function bindFlaw(error: unknown, listen: string, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return reject('PORT_TAKEN', { port, by: 'another program' }).message;
  if (code === 'EACCES') return reject('PORT_FORBIDDEN', { port }).message;
  return code === 'EADDRNOTAVAIL' ? reject('LISTEN_UNKNOWN', { listen }).message : message;
}

/** A server that a start binds, as an operator knows it. */
export const startedServers = {
  panel: { name: serverNames.panel, host: 'HOST', port: 'PORT' },
  subscription: { name: serverNames.subscription, host: 'SUB_HOST', port: 'SUB_PORT' },
  ops: { name: 'the health port of the panel', host: null, port: 'OPS_PORT' },
} as const;

/**
 * Why a start could not bind one of its servers, as a sentence for the operator: who holds the port where the system tells,
 * and the flag or variable that changes it. The web page is of no help then.
 */
export function startFlaw(
  error: unknown,
  server: keyof typeof startedServers,
  place: { readonly listen: string; readonly port: number },
  config: Config,
): string {
  const { name, host, port: variable } = startedServers[server];
  const { code } = error as NodeJS.ErrnoException;
  const otherPort = `choose another with ${changedBy(config, variable)}`;
  if (code === 'EADDRINUSE')
    return `Port ${place.port} of ${name} is already used by ${holderOf(place.port)}: ${otherPort}`;
  if (code === 'EACCES')
    return `The system does not let this account use port ${place.port} for ${name}: ${otherPort}, or give it CAP_NET_BIND_SERVICE`;
  if (code === 'EADDRNOTAVAIL' && host !== null)
    return `${place.listen} is not an address of this machine: choose another for ${name} with ${changedBy(config, host)}`;
  return `${name} cannot listen on port ${place.port}: ${error instanceof Error ? error.message : String(error)}`;
}

function holderOf(port: number): string {
  const holder = portHolder(port);
  if (holder === null) return 'another program';
  return holder.pid === process.pid ? 'this panel itself' : `${holder.name} (pid ${holder.pid})`;
}
