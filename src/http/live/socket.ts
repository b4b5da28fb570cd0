import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Observable, Subscription } from 'rxjs';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Alarm } from '../../lib/alarms.js';
import { type Language } from '../../messages/language.js';
import { render } from '../../messages/render.js';
import { type Push, pushesOf } from '../../projections/pushes.js';
import type { ReadModels } from '../../projections/read-models.js';
import { languageOf } from '../language/language.js';
import { readSessionCookie } from '../panel/auth/cookie.js';
import { crossSite } from '../panel/auth/csrf.js';
import type { Peer, Peers } from '../panel/auth/peer.js';
import type { LiveSession, Sessions } from '../panel/auth/session.js';
import type { JsonOf } from '../panel/contract/route.js';
import { baseLines } from '../server/headers.js';
import type { HttpLog } from '../server/http-log.js';
import { refuseUpgrade } from '../server/no-upgrade.js';
import { textFrame } from './frame.js';
import { Listener } from './listener.js';

const OF_A_SESSION = 32;
const IN_ALL = 2000;
const LARGEST_MESSAGE = 4096;
/** How long a browser that was told to leave may take, in ms. */
const LEAVE_MS = 1000;

/** Codes of the WebSocket protocol. */
const GOING_AWAY = 1001;
const POLICY = 1008;

/** `closeTimeout` is an option of `ws` that its types do not know yet. */
const options = {
  noServer: true,
  clientTracking: false,
  maxPayload: LARGEST_MESSAGE,
  perMessageDeflate: false,
  closeTimeout: LEAVE_MS,
  // A sub-protocol that is offered may be somebody's token, and none is spoken here.
  handleProtocols: (): false => false,
} as const;

interface SocketParts {
  readonly read: ReadModels;
  readonly sessions: Sessions;
  readonly peers: Peers;
  readonly basePath: () => string;
  /** Each reading of the machine, every 2 s: then the status goes out. */
  readonly readings$: Observable<unknown>;
  readonly status: () => JsonOf<unknown>;
  /** What no event says. */
  readonly alarms$: Observable<Alarm>;
  /** What is asked of every request; the status for one that goes no further, or null. */
  readonly turnedAway: (req: IncomingMessage, peer: Peer) => number | null;
  /** Hash of the session whose request has this correlation id, or null. */
  readonly authorOf: (correlationId: string) => string | null;
  readonly log: HttpLog;
}

/** The browsers that listen at `/ws`. They are told, and never asked: what they send is dropped. */
export class PanelSockets {
  readonly #parts: SocketParts;
  readonly #server = new WebSocketServer(options);
  readonly #listeners = new Map<WebSocket, Listener>();
  readonly #following: readonly Subscription[];
  #welcomed = 0;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#server.on('headers', (headers) => headers.push(...baseLines));
    this.#server.on('wsClientError', (_error, socket) => refuseUpgrade(socket, 400));
    this.#following = [
      parts.read.changed$.subscribe((events) => this.#tell(events)),
      parts.alarms$.subscribe((alarm) => this.#warn(alarm)),
      parts.readings$.subscribe(() => this.#tick()),
    ];
  }

  get size(): number {
    return this.#listeners.size;
  }

  /**
   * Answers an upgrade request: 101 for the browser of a logged-in admin, else an error and the end of the connection.
   * Returns whether it was the former.
   */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    socket.on('error', () => socket.destroy());
    const session = this.#sessionOf(req);
    if (typeof session === 'number') {
      refuseUpgrade(socket, session);
      return false;
    }
    let isWelcome = false;
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      isWelcome = true;
      this.#welcome(ws, socket, session.idHash, languageOf(req.headers));
    });
    return isWelcome;
  }

  /** Who may listen; or the status of a refusal. */
  #sessionOf(req: IncomingMessage): LiveSession | number {
    const { basePath, peers, sessions, turnedAway } = this.#parts;
    const peer = peers.of(req);
    const status = turnedAway(req, peer);
    if (status !== null) return status;
    if (req.url?.split('?')[0] !== `${basePath()}ws` || req.method !== 'GET') return 404;
    const session = sessions.find(readSessionCookie(req.headers.cookie).id);
    if (!session) return 401;
    if (crossSite(req, peer)) return 403;
    // Version 8 names its origin in another header, and no browser speaks it.
    if (req.headers['sec-websocket-version'] !== '13') return 400;
    return this.#isFull(session.idHash) ? 429 : session;
  }

  /** Takes part in nothing any more. */
  async close(): Promise<void> {
    for (const subscription of this.#following) subscription.unsubscribe();
    await this.sendAway('the panel stops');
  }

  /** Says good-bye to all who listen now, and ends what has not left after a second. */
  async sendAway(why = 'the panel has moved'): Promise<void> {
    const leaving = [...this.#listeners];
    const left = leaving.map(([ws, listener]) => {
      const gone = new Promise<void>((resolve) => ws.once('close', () => resolve()));
      listener.close(GOING_AWAY, why);
      return gone;
    });
    const cut = setTimeout(() => {
      for (const [, listener] of leaving) listener.cut();
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

  #welcome(ws: WebSocket, socket: Duplex, idHash: string, language: Language): void {
    this.#welcomed += 1;
    this.#listeners.set(ws, new Listener(ws, socket, idHash, language, this.#welcomed));
    ws.on('close', () => this.#listeners.delete(ws));
  }

  #tick(): void {
    if (this.#listeners.size === 0) return;
    this.#endOver();
    let frame: Buffer | null = null;
    try {
      frame = textFrame(`{"type":"status","data":${this.#parts.status().text}}`);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the status could not be made');
    }
    // First all that hear, without a pause between them; then what each of them costs besides.
    if (frame) for (const listener of this.#listeners.values()) listener.send('status', frame);
    for (const listener of this.#listeners.values()) listener.tick();
  }

  #tell(events: readonly RecordedEvent[]): void {
    if (this.#listeners.size === 0) return;
    this.#endOver();
    const author = this.#parts.authorOf(events[0]?.meta.correlationId ?? '');
    for (const push of pushesOf(events)) this.#push(push, author);
  }

  #warn({ title, body, severity }: Alarm): void {
    this.#endOver();
    this.#push({ type: 'notification', title, body, severity }, null);
  }

  #push(push: Push, author: string | null): void {
    const key = keyOf(push);
    const frameIn = framesOf(push);
    for (const listener of this.#listeners.values()) {
      // Who made a change has its result in the answer.
      if (push.type !== 'invalidate' || author !== listener.idHash) listener.send(key, frameIn(listener.language));
    }
  }

  /** Closes the sockets whose session is no longer one, whatever ended it. */
  #endOver(): void {
    const alive = new Map<string, boolean>();
    for (const listener of this.#listeners.values()) {
      const { idHash } = listener;
      const lives = alive.get(idHash) ?? this.#parts.sessions.byHash(idHash) !== null;
      alive.set(idHash, lives);
      if (!lives) listener.close(POLICY, 'the session has ended');
    }
  }
}

/** What a later message of the same key says all of. */
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

/** The message in each language, made when somebody first needs it; only a notification has words. */
function framesOf(push: Push): (language: Language) => Buffer {
  const frames = new Map<Language, Buffer>();
  return (asked) => {
    const language = push.type === 'notification' ? asked : 'en';
    const made = frames.get(language) ?? textFrame(JSON.stringify(inLanguage(push, language)));
    frames.set(language, made);
    return made;
  };
}

/** A push as browsers receive it. */
function inLanguage(push: Push, language: Language): object {
  if (push.type !== 'notification') return push;
  return { ...push, title: render(push.title, language), body: render(push.body, language) };
}
