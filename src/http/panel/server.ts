import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Change, Dispatch } from '../../commands/bus.js';
import { storageRejection } from '../../commands/storage.js';
import { message } from '../../messages/message.js';
import { PanelSockets } from '../live/socket.js';
import { Admission, type AdmissionRules } from '../server/admission.js';
import { Answer } from '../server/answer.js';
import { correlationId } from '../server/correlation-id.js';
import { Doors } from '../server/door.js';
import { panelHeaders } from '../server/headers.js';
import type { HttpLog } from '../server/http-log.js';
import { answerPlainly } from '../server/no-upgrade.js';
import { notFound } from '../server/not-found.js';
import { FailureRecords } from './auth/failure-records.js';
import { accountHandlers, authHandlers } from './auth/handlers.js';
import { LoginLimiter } from './auth/limiter.js';
import { Peers } from './auth/peer.js';
import { Sessions } from './auth/session.js';
import { UnsavedSessions } from './auth/unsaved.js';
import { type AuthRequest, loginFailure } from './auth/visit.js';
import type { PanelServices } from './context.js';
import { tables } from './contract/index.js';
import { PanelGate } from './gate.js';
import { type Gate, mount, tell } from './mount.js';
import { page } from './page.js';

/**
 * A browser has six connections, and a program that is written badly a few hundred. Half of the answers are given after
 * their handler has returned, which a request counts for.
 */
const LIMITS: AdmissionRules = { most: 2048, mostOfOne: 512, budgetMs: 3, requestMs: 0.25 };

/** Between two reports of the failed logins that were only counted, in ms. */
const REPORT_MS = 60_000;

export interface PanelServerParts {
  readonly services: PanelServices;
  readonly dispatch: Dispatch;
  readonly change: Change;
  /** Begins and ends with a slash. Read for each request, so a change counts at once. */
  readonly basePath: () => string;
  /** The only name under which the panel answers; empty = any. */
  readonly webDomain: () => string;
  /** Binds the tables of the contract but those of the sessions, which the server has itself. */
  readonly bind: (router: Router, gate: Gate<AuthRequest>, services: PanelServices) => void;
  readonly log: HttpLog;
}

export interface PanelServer {
  readonly app: Express;
  readonly doors: Doors;
  /** A door without TLS. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** The panel has moved: the browsers shall come again at its new address. */
  sendAway(): Promise<void>;
  /** Says good-bye to the WebSockets, lets running requests end, and closes. */
  close(): Promise<void>;
}

/** The panel's HTTP server: routes, the WebSocket, the page. Nothing else lives on its port. */
export function createPanelServer(parts: PanelServerParts): PanelServer {
  const { services, dispatch, change, basePath, webDomain } = parts;
  const { read, now, machine, history } = services;
  const peers = new Peers(() => read.settings.current());
  const unsaved = new UnsavedSessions({
    ...{ dispatch, now },
    epochOf: (user) => read.users().users.get(user)?.epoch ?? 0,
  });
  const sessions = new Sessions(read, unsaved, now);
  const failures = new FailureRecords(now);
  const limiter = new LoginLimiter(now, (ip, username) => failures.add({ ip, username, reason: 'locked' }));
  const gate = new PanelGate({
    services,
    dispatch,
    change,
    peers,
    sessions,
    unsaved,
    limiter,
    failures,
    basePath,
    webDomain,
  });
  const { log } = parts;
  const sockets = new PanelSockets({
    read,
    sessions,
    peers,
    basePath,
    readings$: machine.host.readings$,
    status: machine.status,
    alarms$: machine.alarms.raised$,
    log,
    authorOf: (id) => gate.authorOf(id),
    turnedAway: (req, peer) => gate.turnedAway(req, peer),
  });

  const app = createApp(parts, gate, peers);
  const doors = createDoors(parts, { app, gate, peers, sockets });
  const room = machine.host.readings$.subscribe(() => unsaved.flush());
  const reports = setInterval(() => report(failures, dispatch), REPORT_MS).unref();

  return {
    app,
    doors,
    listen: async (port, host) => (await doors.open(port, host)).address,
    sendAway() {
      history.feed.sendAway();
      return sockets.sendAway();
    },
    async close() {
      clearInterval(reports);
      room.unsubscribe();
      unsaved.flush();
      report(failures, dispatch);
      history.feed.sendAway();
      await sockets.close();
      await doors.close();
    },
  };
}

function createApp({ services, basePath, bind, log }: PanelServerParts, gate: PanelGate, peers: Peers): Express {
  const { read, now, accounts } = services;
  // Express gives each answer its own prototype, which by itself knows nothing of ours.
  Object.setPrototypeOf(express.response, Answer.prototype);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', (address: string) => peers.trusts(address));
  app.use(entrance(gate, basePath));
  app.get(
    '/',
    page((req, res) => gate.visitOf(req, res).session !== null),
  );
  mount(app, tables.auth, authHandlers, gate, { read, now, ...accounts });
  mount(app, tables.account, accountHandlers, gate, { read, ...accounts });
  bind(app, gate, services);
  app.use((_req, res) => notFound(res));
  app.use(lastResort(gate, log));
  return app;
}

interface Entered {
  readonly app: Express;
  readonly gate: PanelGate;
  readonly peers: Peers;
  readonly sockets: PanelSockets;
}

/** Accepts connections within the limits, and passes on their requests and WebSocket upgrades. */
function createDoors({ basePath, webDomain }: PanelServerParts, { app, gate, peers, sockets }: Entered): Doors {
  const answer: RequestListener = (req, res) => {
    if (!gate.hot.answer(req, res, basePath())) app(req, res);
  };
  const admission = new Admission(peers, LIMITS);
  // Who is logged in waits in a line of its own, not in that of a network which may be flooding us.
  const take: RequestListener = (req, res) =>
    admission.take(
      req,
      () => answer(req, res),
      () => gate.lineOf(req, res),
    );
  return new Doors(take, {
    admit: admission.admit,
    domain: webDomain,
    headers: (req) => panelHeaders(peers.of(req)),
    upgrade(req, socket, head) {
      if (req.headers.upgrade?.toLowerCase() !== 'websocket') return answerPlainly(req, socket, take);
      if (sockets.upgrade(req, socket, head)) admission.exempt(socket);
    },
  });
}

/** Turns away what cannot be for us, and takes the base path from the rest. */
function entrance(gate: PanelGate, basePath: () => string): RequestHandler {
  return (req, res, next) => {
    const { peer } = gate.visitOf(req, res);
    const status = gate.turnedAway(req, peer);
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

/** Defects, and paths that cannot be decoded. The caller learns an id, the log the rest. */
function lastResort(gate: PanelGate, log: HttpLog): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const { correlationId: id } = gate.visitOf(req, res);
    if (error instanceof URIError) {
      if (!gate.isKnown(req, res, req.path)) return notFound(res);
      tell(res.status(400), false, message('URL_INVALID'));
      return;
    }
    if (req.destroyed && !req.complete) return; // The caller went away in the middle of its request.
    const request = { correlationId: id, method: req.method, url: req.originalUrl };
    const refused = storageRejection(error);
    if (refused) {
      log.warn({ err: error, ...request }, 'the disk refused a request');
      if (res.headersSent) res.destroy();
      else tell(res.status(res.locals['file'] === true ? 503 : 200), false, refused);
      return;
    }
    log.error({ err: error, ...request }, 'a request failed');
    if (res.headersSent) {
      res.destroy();
      return;
    }
    tell(res.status(500), false, message('INTERNAL_ERROR', { id }));
  };
}

/** Records the failed logins that were only counted. */
function report(failures: FailureRecords, dispatch: Dispatch): void {
  for (const sum of failures.take()) {
    const actor = { kind: 'system' as const, id: 'login', name: 'login', ip: null };
    dispatch(loginFailure(sum), { actor, correlationId: correlationId() });
  }
}
