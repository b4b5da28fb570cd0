import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Subscription } from 'rxjs';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RecordedEvent } from '../events/catalog.js';
import { type Push, pushesOf } from '../projections/pushes.js';
import type { ReadModels } from '../projections/read-models.js';
import { readSessionCookie } from './auth/cookie.js';
import { crossSite } from './auth/csrf.js';
import type { Peers } from './auth/peer.js';
import type { Sessions } from './auth/session.js';
import type { HttpLog } from './http-log.js';

const STATUS_MS = 2000;
const PING_MS = 25_000;
const MISSED_PINGS = 2;
const OF_A_SESSION = 32;
const IN_ALL = 2000;
const LARGEST_MESSAGE = 4096;
/** Bytes that wait for a slow reader: from the first on it gets no status, at the second it is cut off. */
const SLOW = 256 * 1024;
const STUCK = 1024 * 1024;
const LEAVE_MS = 1000;

/** Codes of the WebSocket protocol. */
const GOING_AWAY = 1001;
const POLICY = 1008;

interface SocketParts {
  readonly read: ReadModels;
  readonly sessions: Sessions;
  readonly peers: Peers;
  readonly basePath: () => string;
  readonly status: () => unknown;
  /** Hash of the session whose request has this correlation id, or null. */
  readonly authorOf: (correlationId: string) => string | null;
  readonly log: HttpLog;
}

interface Listener {
  readonly idHash: string;
  missed: number;
}

/** The browsers that listen at `/ws`. They are told, and never asked: what they send is dropped. */
export class PanelSockets {
  readonly #parts: SocketParts;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: LARGEST_MESSAGE,
    perMessageDeflate: false,
  });
  readonly #listeners = new Map<WebSocket, Listener>();
  readonly #following: Subscription;
  #statuses: NodeJS.Timeout | undefined;
  #pings: NodeJS.Timeout | undefined;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#following = parts.read.changed$.subscribe((events) => this.#tell(events));
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Answers an upgrade request: 101 for the browser of a logged-in admin, else an error and the end of the connection. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const { basePath, peers, sessions, read } = this.#parts;
    const peer = peers.of(req);
    const { webDomain } = read.settings();
    if (req.url?.split('?')[0] !== `${basePath()}ws` || req.method !== 'GET') return refuse(socket, '404 Not Found');
    if (webDomain !== '' && peer.hostname !== webDomain.toLowerCase()) return refuse(socket, '403 Forbidden');
    const session = sessions.find(readSessionCookie(req.headers.cookie).id);
    if (!session) return refuse(socket, '401 Unauthorized');
    if (crossSite(req, peer)) return refuse(socket, '403 Forbidden');
    if (this.#isFull(session.idHash)) return refuse(socket, '429 Too Many Requests');
    this.#server.handleUpgrade(req, socket, head, (ws) => this.#welcome(ws, session.idHash));
  }

  /** Says good-bye, and ends what has not left after a second. */
  async close(): Promise<void> {
    this.#following.unsubscribe();
    this.#stop();
    const left = [...this.#listeners.keys()].map((ws) => {
      const gone = new Promise<void>((resolve) => ws.once('close', () => resolve()));
      ws.close(GOING_AWAY, 'the panel stops');
      return gone;
    });
    const cut = setTimeout(() => {
      for (const ws of this.#listeners.keys()) ws.terminate();
    }, LEAVE_MS);
    await Promise.all(left);
    clearTimeout(cut);
  }

  #isFull(idHash: string): boolean {
    if (this.#listeners.size >= IN_ALL) return true;
    let own = 0;
    for (const listener of this.#listeners.values()) if (listener.idHash === idHash) own += 1;
    return own >= OF_A_SESSION;
  }

  #welcome(ws: WebSocket, idHash: string): void {
    const listener = { idHash, missed: 0 };
    this.#listeners.set(ws, listener);
    ws.on('pong', () => {
      listener.missed = 0;
    });
    ws.on('error', () => ws.terminate());
    ws.on('close', () => {
      this.#listeners.delete(ws);
      if (this.#listeners.size === 0) this.#stop();
    });
    this.#statuses ??= setInterval(() => this.#sendStatus(), STATUS_MS).unref();
    this.#pings ??= setInterval(() => this.#ping(), PING_MS).unref();
  }

  #stop(): void {
    clearInterval(this.#statuses);
    clearInterval(this.#pings);
    this.#statuses = undefined;
    this.#pings = undefined;
  }

  #sendStatus(): void {
    this.#endOver();
    if (this.#listeners.size === 0) return;
    let message: string;
    try {
      message = JSON.stringify({ type: 'status', data: this.#parts.status() });
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the status could not be made');
      return;
    }
    for (const ws of this.#listeners.keys()) {
      // The next status says all that this one does.
      if (ws.bufferedAmount > SLOW) cutIfStuck(ws);
      else ws.send(message);
    }
  }

  #ping(): void {
    for (const [ws, listener] of this.#listeners) {
      if (listener.missed >= MISSED_PINGS) {
        ws.terminate();
        continue;
      }
      listener.missed += 1;
      ws.ping();
    }
  }

  #tell(events: readonly RecordedEvent[]): void {
    if (this.#listeners.size === 0) return;
    if (events.some(({ type }) => ENDING.has(type))) this.#endOver();
    const pushes = pushesOf(events);
    if (pushes.length === 0) return;
    const author = this.#parts.authorOf(events[0]?.meta.correlationId ?? '');
    const messages = pushes.map((push) => ({ push, text: JSON.stringify(push) }));
    for (const [ws, { idHash }] of this.#listeners) {
      if (cutIfStuck(ws)) continue;
      for (const { push, text } of messages) if (!isOwn(push, author, idHash)) ws.send(text);
    }
  }

  /** Closes the sockets whose session is no longer one. */
  #endOver(): void {
    for (const [ws, { idHash }] of this.#listeners) {
      if (!this.#parts.sessions.byHash(idHash)) ws.close(POLICY, 'the session has ended');
    }
  }
}

/** Events after which a session may be over. */
const ENDING: ReadonlySet<RecordedEvent['type']> = new Set([
  'LoggedIn',
  'LoggedOut',
  'CredentialsChanged',
  'MeasurementsRolledUp',
]);

/** Who made a change has its result in the answer. */
function isOwn(push: Push, author: string | null, idHash: string): boolean {
  return push.type === 'invalidate' && author === idHash;
}

function cutIfStuck(ws: WebSocket): boolean {
  const stuck = ws.bufferedAmount > STUCK;
  if (stuck) ws.terminate();
  return stuck;
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
