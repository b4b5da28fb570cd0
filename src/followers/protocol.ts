/** A certificate chain and its key as PEM text, because IPC messages are JSON. */
export interface KeyText {
  readonly cert: string;
  readonly key: string;
}

/** From the panel to a follower. `endpoint` numbers the sockets: a server that moves has two for a moment. */
export type ToFollower =
  /** With the listening socket as its handle. `domain`: the only host name that the server accepts; empty = any. */
  | { readonly kind: 'serve'; readonly endpoint: number; readonly domain: string; readonly key: KeyText | null }
  | { readonly kind: 'secure'; readonly endpoint: number; readonly key: KeyText | null }
  | { readonly kind: 'domain'; readonly domain: string }
  /** Asks for a copy of the socket. */
  | { readonly kind: 'copy'; readonly endpoint: number }
  /** Asks to release the socket. Running requests are completed. */
  | { readonly kind: 'leave'; readonly endpoint: number }
  /** Networks with failed guesses in other processes, one entry for each guess. */
  | { readonly kind: 'misses'; readonly networks: readonly string[] }
  /** Asks for an answer. Messages are handled in order. */
  | { readonly kind: 'beat' }
  /** Asks to complete running requests and to exit. */
  | { readonly kind: 'close' };

export type FromFollower =
  /** The log is read. */
  | { readonly kind: 'ready'; readonly position: number }
  | { readonly kind: 'serving'; readonly endpoint: number }
  /** With the socket as its handle. */
  | { readonly kind: 'copy'; readonly endpoint: number }
  | { readonly kind: 'misses'; readonly networks: readonly string[] }
  /** The answer to a beat: the position up to which the log is read. */
  | { readonly kind: 'beat'; readonly position: number }
  | { readonly kind: 'log'; readonly level: 'warn' | 'error'; readonly message: string; readonly fields: object };
