import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Observable, Subscription } from 'rxjs';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Access } from '../../events/access/access-of.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Alarm } from '../../lib/alarms.js';
import { render } from '../../messages/render.js';
import { coded } from '../../messages/rendered.js';
import { type Push, pushesOf } from '../../projections/pushes.js';
import type { ReadModels } from '../../projections/read-models.js';
import { type Reader, readerOf, renderFor } from '../language/reader.js';
import { authorOf, tabOfSocket } from '../panel/auth/author.js';
import type { Bearers } from '../panel/auth/bearer.js';
import { readSessionCookie } from '../panel/auth/cookie.js';
import { isCrossSite } from '../panel/auth/csrf.js';
import type { Peer, Peers } from '../panel/auth/peer.js';
import type { Sessions } from '../panel/auth/session.js';
import type { JsonOf } from '../panel/contract/route.js';
import { baseLines } from '../server/headers.js';
import type { HttpLog } from '../server/http-log.js';
import { refuseUpgrade } from '../server/no-upgrade.js';
import { getsPush, getsStatus, trafficFor } from './audience.js';
import { FormerOwners } from './former-owners.js';
import { textFrame } from './frame.js';
import { type SocketCaller, SocketClient } from './socket-client.js';
import { type TrafficPush, trafficOf } from './traffic-push.js';

/** Sockets of one session, and of all. */
const MAX_PER_SESSION = 32;
const MAX_SOCKETS = 2000;
/** The size limit of a message from a browser, in bytes. */
const MAX_MESSAGE = 4096;
/** How long a browser may take to close its socket, in ms. */
const CLOSE_MS = 1000;

/** Codes of the WebSocket protocol. */
const GOING_AWAY = 1001;
const POLICY = 1008;

/** `closeTimeout` is an option of `ws` that its types do not know yet. */
const options = {
  noServer: true,
  clientTracking: false,
  maxPayload: MAX_MESSAGE,
  perMessageDeflate: false,
  closeTimeout: CLOSE_MS,
  // No sub-protocol is supported, and an offered one may be a token.
  handleProtocols: (): false => false,
} as const;

interface SocketParts {
  readonly read: ReadModels;
  readonly sessions: Sessions;
  readonly bearers: Bearers;
  readonly peers: Peers;
  readonly basePath: () => string;
  /** Emits every 2 s with a new reading of the machine; the status is sent then. */
  readonly readings$: Observable<unknown>;
  readonly status: () => JsonOf<unknown>;
  /** Notifications without an event. */
  readonly alarms$: Observable<Alarm>;
  /** The check that every request passes: the HTTP status of a rejected one, or null. */
  readonly rejectedStatus: (req: IncomingMessage, peer: Peer) => number | null;
  /** The author of the request with this correlation id, or null. */
  readonly authorOf: (correlationId: string) => string | null;
  readonly log: HttpLog;
}

/** The browsers connected to `/ws`. Messages that they send are ignored. */
export class PanelSockets {
  readonly #parts: SocketParts;
  readonly #server = new WebSocketServer(options);
  readonly #clients = new Map<WebSocket, SocketClient>();
  readonly #following: readonly Subscription[];
  /** Known while there are sockets of callers who see only a part of the clients. */
  readonly #former: FormerOwners;
  #accepted = 0;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#former = new FormerOwners(parts.read);
    this.#server.on('headers', (headers) => headers.push(...baseLines));
    this.#server.on('wsClientError', (_error, socket) => refuseUpgrade(socket, 400));
    this.#following = [
      parts.read.changed$.subscribe((events) => this.#onEvents(events)),
      parts.alarms$.subscribe((alarm) => this.#warn(alarm)),
      parts.readings$.subscribe(() => this.#tick()),
    ];
  }

  get size(): number {
    return this.#clients.size;
  }

  /**
   * Answers an upgrade request: 101 for the browser of a logged-in admin and for a program with an access token, otherwise an error after which the connection is
   * closed. Returns whether it was accepted.
   */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    socket.on('error', () => socket.destroy());
    const caller = this.#callerOf(req);
    if (typeof caller === 'number') {
      refuseUpgrade(socket, caller);
      return false;
    }
    let isAccepted = false;
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      isAccepted = true;
      this.#accept(ws, socket, caller, readerOf(req.headers, zoneOf(req)));
    });
    return isAccepted;
  }

  /** The caller of an accepted request, or the HTTP status of a rejection. */
  #callerOf(req: IncomingMessage): SocketCaller | number {
    const { basePath, peers, rejectedStatus: turnedAway } = this.#parts;
    const peer = peers.of(req);
    const status = turnedAway(req, peer);
    if (status !== null) return status;
    if (req.url?.split('?')[0] !== `${basePath()}ws` || req.method !== 'GET') return 404;
    const caller = this.#tokenOf(req, peer) ?? this.#sessionOf(req);
    if (!caller) return 401;
    if (isCrossSite(req, peer)) return 403;
    // Version 8 has its origin in another header, and no browser uses it.
    if (req.headers['sec-websocket-version'] !== '13') return 400;
    return this.#isFull(caller.key) ? 429 : caller;
  }

  #sessionOf(req: IncomingMessage): SocketCaller | null {
    const { read, sessions } = this.#parts;
    const session = sessions.find(readSessionCookie(req.headers.cookie).id);
    if (!session) return null;
    const { idHash, user } = session;
    const isValid = (): boolean => {
      if (sessions.byHash(idHash) === null) return false;
      sessions.use(idHash);
      return true;
    };
    const author = authorOf(idHash, tabOfSocket(req));
    return { key: idHash, author, access: () => read.admins.accessOf(user), isValid };
  }

  /** The API token does not open a WebSocket, as in 3x-ui. */
  #tokenOf(req: IncomingMessage, { ip }: Peer): SocketCaller | null {
    const { bearers } = this.#parts;
    const token = bearers.admit(req, () => ip);
    if (token === null || token === 'api') return null;
    const isValid = (): boolean => bearers.of(req, () => ip) !== null;
    return { key: `token ${token.id}`, author: '', access: () => bearers.accessOf(token), isValid };
  }

  /** Stops sending and closes all sockets. */
  async close(): Promise<void> {
    for (const subscription of this.#following) subscription.unsubscribe();
    await this.closeAll('the panel stops');
  }

  /** Closes all current sockets, and terminates those that are still open after a second. */
  async closeAll(why = 'the panel has moved'): Promise<void> {
    const closing = [...this.#clients];
    const remaining = closing.map(([ws, client]) => {
      const closed = new Promise<void>((resolve) => ws.once('close', () => resolve()));
      client.close(GOING_AWAY, why);
      return closed;
    });
    const cut = setTimeout(() => {
      for (const [, client] of closing) client.cut();
    }, CLOSE_MS);
    await Promise.all(remaining);
    clearTimeout(cut);
  }

  #isFull(key: string): boolean {
    if (this.#clients.size >= MAX_SOCKETS) return true;
    let own = 0;
    for (const client of this.#clients.values()) if (client.caller.key === key) own += 1;
    return own >= MAX_PER_SESSION;
  }

  #accept(ws: WebSocket, socket: Duplex, caller: SocketCaller, reader: Reader): void {
    this.#accepted += 1;
    this.#clients.set(ws, new SocketClient(ws, socket, caller, reader, this.#accepted));
    if (caller.access().isLimited) this.#former.remember();
    ws.on('close', () => this.#clients.delete(ws));
  }

  #tick(): void {
    if (this.#clients.size === 0) return;
    this.#closeEnded();
    let frame: Buffer | null = null;
    try {
      frame = textFrame(`{"type":"status","data":${this.#parts.status().text}}`);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the status could not be computed');
    }
    // The status goes to all sockets first; then each does its own work for the tick.
    if (frame)
      for (const client of this.#clients.values()) if (getsStatus(this.#accessOf(client))) client.send('status', frame);
    for (const client of this.#clients.values()) client.tick();
  }

  #onEvents(events: readonly RecordedEvent[]): void {
    if (this.#clients.size === 0) return this.#former.follow(events, false);
    this.#closeEnded();
    const author = this.#parts.authorOf(events[0]?.meta.correlationId ?? '');
    for (const push of pushesOf(events)) this.#push(push, author, events);
    let isNeeded = false;
    for (const client of this.#clients.values()) {
      client.accessBefore = this.#accessOf(client);
      isNeeded ||= client.accessBefore.isLimited;
    }
    this.#former.follow(events, isNeeded);
    this.#sendTraffic(events);
  }

  /** Growth adds up, so a later message never replaces an earlier one: the key is unique. */
  #sendTraffic(events: readonly RecordedEvent[]): void {
    const traffic = trafficOf(events);
    if (!traffic) return;
    const whole = textFrame(JSON.stringify(traffic));
    const key = `traffic ${events[0]?.position}`;
    for (const client of this.#clients.values()) {
      const part = trafficFor(this.#accessOf(client), traffic, this.#parts.read);
      if (part !== null) client.send(key, isWhole(part, traffic) ? whole : textFrame(JSON.stringify(part)));
    }
  }

  #warn({ title, body, severity }: Alarm): void {
    this.#closeEnded();
    this.#push({ type: 'notification', title, body, severity }, null, []);
  }

  #accessOf({ caller }: SocketClient): Access {
    return caller.access();
  }

  #push(push: Push, author: string | null, events: readonly RecordedEvent[]): void {
    const key = keyOf(push);
    const frameFor = framesOf(push);
    for (const client of this.#clients.values()) {
      const known = { read: this.#parts.read, former: this.#former, before: client.accessBefore };
      if (!getsPush(this.#accessOf(client), push, events, known)) continue;
      // The tab that made a change has its result in the answer.
      if (push.type !== 'invalidate' || author !== client.caller.author) client.send(key, frameFor(client.reader));
    }
  }

  /** Closes the sockets of sessions and tokens that have ended. */
  #closeEnded(): void {
    const alive = new Map<string, boolean>();
    for (const client of this.#clients.values()) {
      const { key, isValid } = client.caller;
      const isAlive = alive.get(key) ?? isValid();
      alive.set(key, isAlive);
      if (!isAlive) client.close(POLICY, 'the session has ended');
    }
  }
}

const isWhole = (part: TrafficPush, { clients, inbounds }: TrafficPush): boolean =>
  part.clients === clients && part.inbounds === inbounds;

/** A later message with the same key replaces an earlier one. */
function keyOf(push: Push): string {
  switch (push.type) {
    case 'xrayState':
      return push.type;
    case 'notification':
      return `notification ${render(push.title, 'en')}`;
    case 'invalidate':
      return `invalidate ${push.resource}`;
  }
}

/** The message in each language and time zone, encoded on first use. Only notifications have texts. */
function framesOf(push: Push): (reader: Reader) => Buffer {
  const frames = new Map<string, Buffer>();
  return (reader) => {
    const key = push.type === 'notification' ? `${reader.language} ${reader.zone}` : '';
    const made = frames.get(key) ?? textFrame(JSON.stringify(rendered(push, reader)));
    frames.set(key, made);
    return made;
  };
}

/** A push as browsers receive it. */
function rendered(push: Push, reader: Reader): object {
  if (push.type !== 'notification') return push;
  return coded(push, (text) => renderFor(text, reader));
}

/** The time zone of the browser; null without one. */
const zoneOf = ({ url = '' }: IncomingMessage): string | null => new URLSearchParams(url.split('?')[1]).get('zone');
