import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Dispatch } from '../commands/bus.js';
import { accountHandlers, authHandlers } from './auth/handlers.js';
import { LoginLimiter } from './auth/limiter.js';
import { Peers } from './auth/peer.js';
import { Sessions } from './auth/session.js';
import { loginFailure } from './auth/visit.js';
import type { HttpParts } from './context.js';
import { tables } from './contract/index.js';
import { PanelGate } from './gate.js';
import { securityHeaders } from './headers.js';
import type { HttpLog } from './http-log.js';
import { closeServer, hardenedServer, listen } from './listen.js';
import { envelope, type Gate, mount } from './mount.js';
import { notFound } from './not-found.js';
import { page } from './page.js';
import { PanelSockets } from './socket.js';

/** Between two records of the logins that a lock-out refused, in ms. */
const REPORT_MS = 60_000;

export interface PanelServerParts {
  readonly http: HttpParts;
  readonly dispatch: Dispatch;
  /** Begins and ends with a slash. Read for each request, so a change counts at once. */
  readonly basePath: () => string;
  /** Binds the tables of the contract but those of the sessions, which the server has itself. */
  readonly bind: (router: Router, gate: Gate) => void;
  /** The status object that is pushed every 2 s. */
  readonly status: () => unknown;
  readonly log: HttpLog;
}

export interface PanelServer {
  readonly app: Express;
  readonly server: Server;
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Says good-bye to the WebSockets, lets running requests end, and closes. */
  close(): Promise<void>;
}

/** The panel's HTTP server: routes, the WebSocket, the page. Nothing else lives on its port. */
export function createPanelServer(parts: PanelServerParts): PanelServer {
  const { http, dispatch, basePath } = parts;
  const { read, now } = http;
  const peers = new Peers(() => read.settings());
  const sessions = new Sessions(read, now);
  const limiter = new LoginLimiter(now);
  const gate = new PanelGate({ http, dispatch, peers, sessions, limiter, basePath });
  const { log, status } = parts;
  const sockets = new PanelSockets({
    read,
    sessions,
    peers,
    basePath,
    status,
    log,
    authorOf: (id) => gate.authorOf(id),
  });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', (address: string) => peers.trusts(address));
  app.use(entrance(gate, parts));
  app.get('/', page);
  mount(app, tables.auth, authHandlers, gate);
  mount(app, tables.account, accountHandlers, gate);
  parts.bind(app, gate);
  app.use((_req, res) => notFound(res));
  app.use(lastResort(gate, log));

  const server = hardenedServer(app);
  server.on('upgrade', (req, socket, head) => sockets.upgrade(req, socket, head));
  const report = setInterval(() => recordRefusals(limiter, dispatch), REPORT_MS).unref();

  return {
    app,
    server,
    listen: (port, host) => listen(server, port, host),
    async close() {
      clearInterval(report);
      recordRefusals(limiter, dispatch);
      await sockets.close();
      await closeServer(server);
    },
  };
}

/** What is asked of every request before a route is looked for: a host that is one, a method and a path that can be ours. */
function entrance(gate: PanelGate, { http, basePath }: PanelServerParts): RequestHandler {
  return (req, res, next) => {
    const { peer } = gate.visitOf(req, res);
    if (req.headers.host !== undefined && peer.host === '') {
      res.status(400).end();
      return;
    }
    const { webDomain } = http.read.settings();
    if (webDomain !== '' && peer.hostname !== webDomain.toLowerCase()) {
      res.status(403).end();
      return;
    }
    const base = basePath();
    // The router answers OPTIONS by itself, with a list of what is here.
    if (!req.url.startsWith(base) || !['GET', 'HEAD', 'POST'].includes(req.method)) return notFound(res);
    req.url = req.url.slice(base.length - 1);
    securityHeaders(res, peer);
    next();
  };
}

/** Defects, and paths that cannot be decoded. The caller learns an id, the log the rest. */
function lastResort(gate: PanelGate, log: HttpLog): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const { correlationId } = gate.visitOf(req, res);
    if (error instanceof URIError) {
      if (!gate.isKnown(req, res, req.path)) return notFound(res);
      res.status(400).json(envelope(false, 'The address is not encoded correctly'));
      return;
    }
    if (req.destroyed && !req.complete) return; // The caller went away in the middle of its request.
    log.error({ err: error, correlationId, method: req.method, url: req.originalUrl }, 'a request failed');
    if (res.headersSent) {
      res.destroy();
      return;
    }
    res.status(500).json(envelope(false, `Something went wrong in the panel (${correlationId})`));
  };
}

/** What was refused unseen is in the log as sums, so that an attacker cannot make it grow. */
function recordRefusals(limiter: LoginLimiter, dispatch: Dispatch): void {
  for (const { ip, username, count } of limiter.takeRefusals()) {
    const actor = { kind: 'system' as const, id: 'login', name: 'login', ip: null };
    dispatch(loginFailure(ip, username, 'locked', count), { actor, correlationId: `lock-out ${ip}` });
  }
}
