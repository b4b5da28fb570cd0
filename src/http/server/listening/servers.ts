import type { Observable } from 'rxjs';
import { asSystem, type Dispatch } from '../../../commands/bus.js';
import type { AnyCommand } from '../../../commands/catalog.js';
import type { OwnPort } from '../../../commands/command.js';
import type { CertificateEvents, CertificateKeeper } from '../../../commands/ports/certificates.js';
import type { PortProblem } from '../../../commands/ports/host.js';
import { Rejection } from '../../../commands/rejection.js';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { ServerName } from '../../../events/certificate.js';
import type { Settings } from '../../../events/settings/settings.js';
import { MessageError, textOf } from '../../../messages/error.js';
import { message, type Text } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import { certificateRecorder, recordLoaded, type ServersLog } from '../certificate-recorder.js';
import { BoundServers, bind } from './bound-server.js';
import type { Endpoints } from './endpoint.js';
import {
  configuredDomains,
  type Domains,
  type ListenConfig,
  ListenError,
  type ListenOverrides,
  lacksCertificate,
  listenConfig,
  portProblemText,
  sameAddress,
  serverPortProblem,
} from './listen-config.js';
import { type StartedServer, startedServers } from './start-error.js';

/** Between the request for a restart and the restart, in ms, so that the response and the notification are delivered. */
const GRACE_MS = 3000;
const LOOPBACK = '127.0.0.1';

interface ServersParts {
  readonly overrides: ListenOverrides;
  readonly settings: () => Settings;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly dispatch: Dispatch;
  /** Informs the rules of inbounds of the ports that the panel itself uses. */
  readonly setOwnPorts: (ports: readonly OwnPort[]) => void;
  readonly certificateKeeper: (name: ServerName, events: CertificateEvents) => CertificateKeeper;
  /** Why a TCP port cannot be bound, found by binding it; null when it can. */
  readonly portProblem: (listen: string, port: number) => Promise<PortProblem | null>;
  /** Ends what an earlier panel has left at a port in use. Resolves to whether it is free now. */
  readonly freePort: (listen: string, port: number) => Promise<boolean>;
  /** The message for an operator when a start could not bind a server. */
  readonly startError: (error: unknown, server: StartedServer, at: { listen: string; port: number }) => Text;
  readonly log: ServersLog;
}

interface WebServer {
  readonly endpoints: Endpoints;
  /** The panel moved: sends its browsers to the new address. */
  closeSockets(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The panel's web server and the subscription server, at the addresses and with the certificates of the settings. A restart
 * rebinds them within the process: every new address is bound before an old one is released.
 */
export class Servers {
  readonly #parts: ServersParts;
  readonly #following: { unsubscribe(): void };
  readonly #bound = new BoundServers();
  #web: WebServer | undefined;
  #basePath: string;
  #domains: Domains;
  #grace: NodeJS.Timeout | undefined;
  #restarting = false;
  #opsPort: OwnPort | undefined;

  constructor(parts: ServersParts) {
    this.#parts = parts;
    this.#basePath = this.#configuredBasePath();
    this.#domains = configuredDomains(this.#parts.settings());
    this.#following = parts.changed$.subscribe((events) => {
      if (events.some(({ type }) => type === 'PanelRestartRequested')) this.#restartSoon();
    });
  }

  /** As of the last start or restart: a changed one takes effect at the next. */
  readonly basePath = (): string => this.#basePath;
  /** The host name that each server accepts, as of the last start or restart; empty = any. */
  readonly domainOf = (name: ServerName): string => this.#domains[name];
  readonly restarting = (): boolean => this.#restarting;

  readonly ownPorts = (): readonly OwnPort[] => {
    const own = [...this.#bound.all].map(([name, { endpoint, config }]) => ({
      port: endpoint.address.port,
      listen: config.listen,
      server: name,
    }));
    return this.#opsPort ? [...own, this.#opsPort] : own;
  };

  /** Binds both. Rejects with an error that describes how to change an address that cannot be bound. */
  async open(web: WebServer, sub: { readonly endpoints: Endpoints }): Promise<void> {
    this.#web = web;
    for (const [name, { endpoints }] of [['panel', web] as const, ['subscription', sub] as const]) {
      const keeper = this.#keeper(name);
      const configured = await this.#config(name, keeper);
      const config = lacksCertificate(configured) ? { ...configured, listen: LOOPBACK } : configured;
      const makeRoom = () => this.#parts.freePort(config.listen, config.port);
      const endpoint = await bind(endpoints, config, makeRoom).catch((error: unknown) => {
        throw error instanceof ListenError
          ? new MessageError(this.#parts.startError(error.cause, name, config))
          : error;
      });
      this.#bound.add(name, { endpoints, keeper, endpoint, config });
      this.#useCertificate(config);
      keeper.start();
    }
    this.#parts.setOwnPorts(this.ownPorts());
  }

  /** The health port, which no restart moves. It is opened last. */
  addOps(port: OwnPort): void {
    this.#opsPort = port;
    this.#announce();
  }

  /** Why a server cannot listen at an address; null when it can. A port that one of the two holds now counts as free. */
  portProblem(listen: string, port: number): Promise<PortProblem | null> {
    return serverPortProblem(this.ownPorts(), this.#parts.portProblem, listen, port);
  }

  /**
   * Why a restart would fail now: a certificate that cannot be used, or an address that cannot be bound. Null
   * when it would succeed; another process may still take a port before the restart.
   */
  async restartProblem(): Promise<Text | null> {
    for (const [name, { keeper, config: current }] of this.#bound.all) {
      const config = await this.#config(name, keeper);
      if (lacksCertificate(config)) return certificateText(config);
      const problem = sameAddress(config, current) ? null : await this.portProblem(config.listen, config.port);
      if (problem !== null) return portProblemText(problem, config.listen, config.port);
    }
    return null;
  }

  async close(): Promise<void> {
    this.#following.unsubscribe();
    clearTimeout(this.#grace);
    for (const [, { keeper }] of this.#bound.all) keeper.stop();
    await Promise.all([this.#web?.close(), this.#bound.find('subscription')?.endpoints.close()]);
  }

  /** Restarts the servers, as after a request of an admin. Also works when the log accepts no events. */
  closeSockets(): void {
    const done = this.#dispatch({ type: 'RestartPanel', data: { underWay: this.#restarting } });
    if (done instanceof Rejection && done.code !== 'RESTART_UNDER_WAY') this.#restartSoon();
  }

  /** Addresses that can be opened on this machine. */
  urls(): Readonly<Record<ServerName | 'ops', string>> {
    const ops = `http://${LOOPBACK}:${this.#opsPort?.port}`;
    return { panel: this.#url('panel'), subscription: this.#url('subscription'), ops };
  }

  /** Problems with the certificates, as sentences. */
  warnings(): readonly Text[] {
    return [...this.#bound.all].flatMap(([name, { config }]) => {
      const { files, certificate } = config;
      if (certificate.problem === null || files === null) return [];
      const found = { server: startedServers[name].name, file: files.certFile, problem: certificate.problem };
      return [
        certificate.pair === null
          ? message('start.certificateNone', { ...found, loopback: LOOPBACK })
          : message('start.certificateFallback', found),
      ];
    });
  }

  #url(name: ServerName): string {
    const endpoint = this.#bound.find(name)?.endpoint;
    if (!endpoint) return '';
    const { address, port, family } = endpoint.address;
    const wildcard = address === '::' || address === '0.0.0.0';
    const host = wildcard ? LOOPBACK : family === 'IPv6' ? `[${address}]` : address;
    return `${endpoint.secured ? 'https' : 'http'}://${host}:${port}`;
  }

  #restartSoon(): void {
    if (this.#restarting) return;
    this.#restarting = true;
    this.#grace = setTimeout(() => void this.#restart(), GRACE_MS);
  }

  async #restart(): Promise<void> {
    this.#restarting = true;
    try {
      await this.#rebind();
      this.#announce();
      const { panel, subscription } = this.#addresses();
      this.#dispatch({ type: 'RecordPanelRestarted', data: { panel, subscription } });
    } catch (error) {
      const server = error instanceof ListenError ? error.server : 'panel';
      const reason = textOf(error);
      const done = this.#dispatch({ type: 'RecordPanelRestartFailed', data: { server, reason } });
      // The panel's log repeats the event, if there is one.
      if (done instanceof Rejection)
        this.#parts.log.error(
          { server, reason: render(reason, 'en') },
          'the servers could not be restarted and stay as they were',
        );
    } finally {
      this.#restarting = false;
    }
  }

  /** All or nothing: the old endpoints close when every new one is open. */
  async #rebind(): Promise<void> {
    const configs: ListenConfig[] = [];
    for (const [name, { keeper }] of this.#bound.all) {
      const config = await this.#config(name, keeper);
      if (lacksCertificate(config)) throw new ListenError(name, certificateText(config));
      configs.push(config);
    }
    const moving = configs.filter((config) => !sameAddress(config, this.#bound.find(config.name)?.config));
    const opened = await this.#bound.openAll(moving);
    const basePath = this.#configuredBasePath();
    if (opened.has('panel') || basePath !== this.#basePath) void this.#web?.closeSockets();
    const domains = configuredDomains(this.#parts.settings());
    for (const [name, { endpoints }] of this.#bound.all) await endpoints.rename(domains[name]);
    this.#basePath = basePath;
    this.#domains = domains;
    for (const config of configs) {
      const server = this.#bound.get(config.name);
      const endpoint = opened.get(config.name);
      if (endpoint) {
        void server.endpoints.close(server.endpoint);
        server.endpoint = endpoint;
      }
      server.config = config;
      this.#useCertificate(config);
    }
  }

  /** Serves with the certificate of the configuration. */
  #useCertificate({ name, files, certificate }: ListenConfig): void {
    const { endpoint, keeper } = this.#bound.get(name);
    endpoint.secure(certificate.pair);
    keeper.use(files, certificate);
    if (certificate.pair && certificate.problem === null) recordLoaded(this.#parts.dispatch, name, certificate.pair);
  }

  #keeper(name: ServerName): CertificateKeeper {
    const { dispatch, log, certificateKeeper } = this.#parts;
    const events = certificateRecorder(name, {
      dispatch,
      log,
      files: () => this.#bound.find(name)?.config.files ?? null,
      loaded: (pair) => {
        const server = this.#bound.get(name);
        const lacked = lacksCertificate(server.config);
        server.config = { ...server.config, certificate: { pair, problem: null } };
        // Without a certificate it listened on loopback only.
        if (lacked && !this.#restarting) void this.#restart();
        else server.endpoint.secure(pair);
      },
    });
    return certificateKeeper(name, events);
  }

  #config(name: ServerName, keeper: CertificateKeeper): Promise<ListenConfig> {
    const { overrides, settings } = this.#parts;
    return listenConfig(name, overrides, settings(), keeper);
  }

  /** Publishes the addresses of the servers. */
  #announce(): void {
    const { setOwnPorts, log } = this.#parts;
    setOwnPorts(this.ownPorts());
    log.info(this.urls(), 'the servers listen');
  }

  #addresses() {
    const addressOf = (name: ServerName) => {
      const { endpoint, config } = this.#bound.get(name);
      return { listen: config.listen, port: endpoint.address.port, tls: endpoint.secured };
    };
    return { panel: addressOf('panel'), subscription: addressOf('subscription') };
  }

  #dispatch(command: AnyCommand) {
    return this.#parts.dispatch(command, asSystem('servers'));
  }

  #configuredBasePath(): string {
    const { overrides, settings } = this.#parts;
    return `/${overrides.BASE_PATH ?? settings().webBasePath}/`.replace(/\/{2,}/g, '/');
  }
}

function certificateText({ files, certificate }: ListenConfig): Text {
  const reason = certificate.problem ?? message('certificate.certificateMissing');
  return message('notifications.subjectReason', { subject: files?.certFile ?? '', reason });
}
