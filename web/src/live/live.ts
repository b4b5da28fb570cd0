import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { mayOf, me } from '../api/access';
import { ApiError, api, base, tab, timeZone } from '../api/client';
import type { SocketMessage } from '../api/contract.generated';
import { moment } from '../api/moment';
import { patch } from './patch';

/** Who may read the status gets it every two seconds. After this time without a message, the connection counts as lost. */
const SILENCE_MS = 10_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The code with which the panel closes the WebSocket of an ended session. */
const SESSION_ENDED = 1008;

export interface LiveState {
  readonly isOnline: boolean;
  /** When the panel last sent a message, ms since 1970. */
  readonly lastMessageAt: number;
}

type Notify = (message: Extract<SocketMessage, { type: 'notification' }>) => void;

/** The one WebSocket of the page. It follows the panel as long as the page is open. */
export class Live {
  readonly #client: QueryClient;
  readonly #notify: Notify;
  readonly #listeners = new Set<() => void>();
  #lastMessageAt = Date.now();
  #state: LiveState = { isOnline: true, lastMessageAt: this.#lastMessageAt };
  #socket: WebSocket | null = null;
  #wait = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasOpen = false;

  constructor(client: QueryClient, notify: Notify) {
    this.#client = client;
    this.#notify = notify;
    window.addEventListener('online', () => this.reconnect());
  }

  start(): void {
    // What happens now does not change an earlier moment.
    if (moment !== null) return;
    const url = new URL('ws', base);
    url.protocol = url.protocol.replace('http', 'ws');
    url.searchParams.set('tab', tab);
    url.searchParams.set('zone', timeZone());
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#expect();
    socket.addEventListener('open', () => this.#opened());
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as SocketMessage));
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket !== socket) return;
      if (code === SESSION_ENDED) this.#sessionEnded();
      else this.#lost();
    });
  }

  /** Connects at once: after a login, a change of language, or when the network is back. */
  reconnect(): void {
    clearTimeout(this.#timer);
    const former = this.#socket;
    this.#socket = null;
    former?.close();
    this.start();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): LiveState => this.#state;

  #opened(): void {
    this.#wait = FIRST_WAIT_MS;
    // Changes in the meantime were not pushed: queries on the screen are sent again at once, others when they are shown.
    // At the first connection only what was answered before it can be stale.
    void this.#client.invalidateQueries({ predicate: ({ state }) => this.#wasOpen || state.dataUpdatedAt > 0 });
    this.#wasOpen = true;
    this.#set(true);
  }

  #receive(message: SocketMessage): void {
    this.#expect();
    this.#set(true);
    if (message.type === 'notification') this.#notify(message);
    else patch(this.#client, message);
  }

  /** Starts the time within which the next message must come. */
  #expect(): void {
    clearTimeout(this.#timer);
    const getsStatus = mayOf(this.#client.getQueryData(me.queryKey))('/panel/api/server/status');
    this.#timer = setTimeout(() => (getsStatus ? this.#lost() : void this.#probe()), SILENCE_MS);
  }

  /** Without the status, no message may be due for a long time: an answer shows that the panel is there. */
  async #probe(): Promise<void> {
    const socket = this.#socket;
    try {
      await this.#askRole(AbortSignal.timeout(SILENCE_MS));
      if (this.#socket !== socket) return;
      this.#set(true);
      this.#expect();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.#socket === socket) this.#lost();
    }
  }

  /** The role may change while the page is open. */
  async #askRole(signal?: AbortSignal): Promise<void> {
    this.#client.setQueryData(me.queryKey, await api.get('/panel/api/admins/me', signal ? { signal } : {}));
  }

  #lost(): void {
    clearTimeout(this.#timer);
    const former = this.#socket;
    this.#socket = null;
    former?.close();
    this.#set(false);
    this.#timer = setTimeout(() => void this.#retry(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
  }

  /** The panel is reachable: connects again, or shows the login if there is no new session. A logout leaves the page before. */
  #sessionEnded(): void {
    clearTimeout(this.#timer);
    this.#socket = null;
    this.#timer = setTimeout(() => void this.#retry(), FIRST_WAIT_MS);
  }

  /** Requests the role first: if the session has ended, its answer opens the login. A refused WebSocket has no status code. */
  async #retry(): Promise<void> {
    try {
      await this.#askRole();
      this.start();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#lost();
    }
  }

  #set(isOnline: boolean): void {
    if (isOnline) this.#lastMessageAt = Date.now();
    if (isOnline === this.#state.isOnline) return;
    this.#state = { isOnline, lastMessageAt: this.#lastMessageAt };
    for (const listener of this.#listeners) listener();
  }
}

export function useLive(live: Live): LiveState {
  return useSyncExternalStore(live.subscribe, live.state);
}
