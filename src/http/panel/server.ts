import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Change, Dispatch } from '../../commands/bus.js';
import { type Caller, type RecordCommand, recorder } from '../../commands/ports/cluster.js';
import { storageRejection } from '../../commands/storage.js';
import { message } from '../../messages/message.js';
import { PanelSockets } from '../live/socket.js';
import { Admission, type AdmissionRules } from '../server/admission.js';
import { Answer } from '../server/answer.js';
import { correlationId } from '../server/correlation-id.js';
import { panelHeaders } from '../server/headers.js';
import type { HttpLog } from '../server/http-log.js';
import { Endpoints } from '../server/listening/endpoint.js';
import { serveAsHttp } from '../server/no-upgrade.js';
import { notFound } from '../server/not-found.js';
import type { AuthRequest } from './auth/auth-context.js';
import { Bearers } from './auth/bearer.js';
import { factorHandlers } from './auth/factor-handlers.js';
import { FailureRecords } from './auth/failure-records.js';
import { accountHandlers, adminSessionHandlers, authHandlers } from './auth/handlers.js';
import { LoginLimiter } from './auth/limiter.js';
import { loginFailure } from './auth/login-attempts.js';
import { passkeyHandlers } from './auth/passkey-login.js';
import { Peers } from './auth/peer.js';
import { Sessions } from './auth/session.js';
import { UnsavedSessions } from './auth/unsaved.js';
import type { PanelServices } from './context.js';
import { tables } from './contract/index.js';
import { PanelGate } from './gate.js';
import { type Gate, mount, sendMessage } from './mount.js';
import { relayServer } from './relay/relayed.js';
import { mountWeb } from './web.js';

/**
 * A browser opens six connections, a badly written program a few hundred. Half of the answers are sent after their handler
 * has returned, which is why a request has a minimum charge.
 */
const LIMITS: AdmissionRules = { most: 2048, mostOfOne: 512, budgetMs: 3, requestMs: 0.25 };

/** Interval in ms between two reports of failed logins that were only counted. */
const REPORT_MS = 60_000;

export interface PanelServerParts {
  readonly services: PanelServices;
  readonly dispatch: Dispatch;
  readonly change: Change;
  /** Begins and ends with a slash. Read for each request, so a change takes effect at once. */
  readonly basePath: () => string;
  /** The only host name that the panel accepts; empty = any. */
  readonly webDomain: () => string;
  /** Binds the tables of the contract, except those of the sessions, which the server binds itself. */
  readonly bind: (router: Router, gate: Gate<AuthRequest>, services: PanelServices) => void;
  readonly log: HttpLog;
}

export interface PanelServer {
  readonly app: Express;
  readonly endpoints: Endpoints;
  /** An endpoint without TLS. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Takes a connection of another member of the cluster, on which it passes on one request. */
  relayed(tunnel: Duplex, caller: Caller): void;
  /** The panel has moved: closes the WebSockets, so that browsers reconnect at the new address. */
  closeSockets(): Promise<void>;
  /** Closes the WebSockets, lets running requests finish, and closes the server. */
  close(): Promise<void>;
}

/** The panel's HTTP server: the routes, the WebSocket and the page. */
export function createPanelServer(parts: PanelServerParts): PanelServer {
  const { services, dispatch, change, basePath, webDomain } = parts;
  const { read, now, machine, history } = services;
  const { refusals } = history;
  const record = recorder(dispatch, services.server.cluster);
  const peers = new Peers(() => read.settings.current());
  const unsaved = new UnsavedSessions({
    ...{ dispatch, now },
    epochOf: (user) => read.admins.users().users.get(user)?.epoch ?? 0,
  });
  const sessions = new Sessions(read, unsaved, services.accounts.sessionUses, now);
  const failures = new FailureRecords(now);
  const limiter = new LoginLimiter(now, (ip, username) => failures.add({ ip, username, reason: 'locked' }));
  const bearers = new Bearers({ read, now, record });
  const gate = new PanelGate({
    services,
    dispatch,
    change,
    peers,
    sessions,
    unsaved,
    limiter,
    failures,
    refusals,
    bearers,
    basePath,
    webDomain,
  });
  const { log } = parts;
  const sockets = new PanelSockets({
    read,
    sessions,
    bearers,
    peers,
    basePath,
    readings$: machine.host.readings$,
    status: machine.status,
    alarms$: machine.alarms.raised$,
    log,
    authorOf: (id) => gate.authorOfRequest(id),
    rejectedStatus: (req, peer) => gate.rejectedStatus(req, peer),
  });

  const app = createApp(parts, gate, peers);
  const { endpoints, relayed } = createEndpoints(parts, { app, gate, peers, sockets });
  const room = machine.host.readings$.subscribe(() => unsaved.flush());
  const reports = setInterval(() => {
    report(failures, record);
    refusals.flush();
  }, REPORT_MS).unref();

  return {
    app,
    endpoints,
    listen: async (port, host) => (await endpoints.open(port, host)).address,
    relayed,
    closeSockets() {
      history.feed.endWaits();
      return sockets.closeAll();
    },
    async close() {
      clearInterval(reports);
      room.unsubscribe();
      unsaved.flush();
      report(failures, record);
      history.feed.endWaits();
      await sockets.close();
      await endpoints.close();
    },
  };
}

function createApp({ services, basePath, bind, log }: PanelServerParts, gate: PanelGate, peers: Peers): Express {
  const { read, now, accounts } = services;
  // Express replaces the prototype of each answer, and its prototype does not have our methods.
  Object.setPrototypeOf(express.response, Answer.prototype);
  const app = express();
  // Express shows the stack of an error that nothing handled, unless it runs in production.
  app.set('env', 'production');
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', (address: string) => peers.trusts(address));
  app.use(entrance(gate, basePath));
  mountWeb(app, (req, res) => gate.authOf(req, res).session !== null);
  mount(app, tables.auth, authHandlers, gate, { read, now, ...accounts });
  mount(app, tables.passkeys, passkeyHandlers, gate, { read, ...accounts });
  mount(app, tables.factors, factorHandlers, gate, { read, now, ...accounts });
  mount(app, tables.account, accountHandlers, gate, { read, ...accounts });
  mount(app, tables.adminSessions, adminSessionHandlers, gate, { read });
  bind(app, gate, services);
  app.use((_req, res) => notFound(res));
  app.use(handleError(gate, log));
  return app;
}

interface WithBase {
  readonly app: Express;
  readonly gate: PanelGate;
  readonly peers: Peers;
  readonly sockets: PanelSockets;
}

/** Accepts connections within the limits, and passes on their requests and upgrades. */
function createEndpoints(
  { basePath, webDomain, services }: PanelServerParts,
  { app, gate, peers, sockets }: WithBase,
): { readonly endpoints: Endpoints; readonly relayed: PanelServer['relayed'] } {
  const answer: RequestListener = (req, res) => {
    if (!gate.hot.answer(req, res, basePath())) app(req, res);
  };
  const admission = new Admission(peers, LIMITS);
  // Authenticated callers have their own queue, apart from that of a network that may be flooding us.
  const schedule: RequestListener = (req, res) =>
    admission.schedule(
      req,
      () => answer(req, res),
      () => gate.queueKeyOf(req, res),
    );
  // Before the session is looked up: it may be in what the caller waits for.
  const take: RequestListener = (req, res) => {
    const wait = gate.hot.wait(req);
    if (wait === null) schedule(req, res);
    else void wait.then(() => schedule(req, res));
  };
  const headers = (req: IncomingMessage) => panelHeaders(peers.of(req));
  const endpoints = new Endpoints(take, {
    admit: admission.admit,
    domain: webDomain,
    headers,
    upgrade(req, socket, head) {
      if (req.headers.upgrade?.toLowerCase() !== 'websocket') return serveAsHttp(req, socket, take);
      if (sockets.upgrade(req, socket, head)) admission.exempt(socket);
    },
  });
  return { endpoints, relayed: relayServer(services.server.cluster === null ? null : schedule, headers) };
}

/** Rejects requests that cannot be for the panel, and strips the base path from the others. */
function entrance(gate: PanelGate, basePath: () => string): RequestHandler {
  return (req, res, next) => {
    const { peer } = gate.authOf(req, res);
    const status = gate.rejectedStatus(req, peer);
    if (status === 404) return notFound(res);
    if (status !== null) {
      if (status !== 403) res.setHeader('Connection', 'close');
      res.status(status).end();
      return;
    }
    req.url = req.url.slice(basePath().length - 1);
    next();
  };
}

/** Handles bugs, and paths that cannot be decoded. The caller gets an id; the log gets the details. */
function handleError(gate: PanelGate, log: HttpLog): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const { correlationId: id } = gate.authOf(req, res);
    if (error instanceof URIError) {
      if (!gate.isKnown(req, res, req.path)) return notFound(res);
      sendMessage(res.status(400), false, message('URL_INVALID'));
      return;
    }
    if (req.destroyed && !req.complete) return; // The caller disconnected while sending its request.
    const request = { correlationId: id, method: req.method, url: req.originalUrl };
    const refused = storageRejection(error);
    if (refused) {
      log.warn({ err: error, ...request }, 'the disk refused a request');
      if (res.headersSent) res.destroy();
      else sendMessage(res.status(res.locals['file'] === true ? 503 : 200), false, refused);
      return;
    }
    log.error({ err: error, ...request }, 'a request failed');
    if (res.headersSent) {
      res.destroy();
      return;
    }
    sendMessage(res.status(500), false, message('INTERNAL_ERROR', { id }));
  };
}

/** Records the failed logins that were only counted. */
function report(failures: FailureRecords, record: RecordCommand): void {
  for (const sum of failures.drain()) {
    const actor = { kind: 'system' as const, id: 'login', name: 'login', ip: null };
    record(loginFailure(sum), { actor, correlationId: correlationId() });
  }
}
