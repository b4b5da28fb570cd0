import { type PortFlaw, portFlaw } from './adapters/port-flaw.js';
import type { CertificateKeeper, PairFiles, Standing } from './adapters/tls/keeper.js';
import type { OwnPort } from './commands/command.js';
import { overlap } from './commands/inbound-rules.js';
import { reject } from './commands/rejection.js';
import type { Config } from './config.js';
import { type ServerName, serverNames } from './events/certificate.js';
import type { Settings } from './events/settings.js';

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

  constructor(server: ServerName, why: string) {
    super(why);
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
