import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';

/** An outgoing request. Header names are in lower case. */
export interface WebRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** A streamed body can be sent only once, so redirects are not followed. */
  readonly body?: string | Buffer | AsyncIterable<Uint8Array>;
  /** Timeout of the whole exchange including redirects, in ms; default 15 s. */
  readonly timeoutMs?: number;
  /** Largest accepted body, in bytes after decompression; default 1 MiB. */
  readonly limit?: number;
  /** Without `false` a redirect is followed, up to five times; with it the redirect is the answer, with an empty body. */
  readonly redirects?: boolean;
  /** The admin has allowed a private address for this target. */
  readonly allowPrivate?: boolean;
  /**
   * `socks5://user:password@host:port`: the proxy connects and resolves the name. The address of the proxy is not
   * checked, because an admin chose it. The target is checked by its name only.
   */
  readonly proxy?: string;
  readonly signal?: AbortSignal;
}

interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Download {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  readonly lastModified: string | null;
}

/**
 * The one way out: every address is spelt canonically, resolved once, each resolved address is checked, and the checked
 * one is dialled; redirects and literals are checked the same way. Proxies of the environment are not used.
 */
export interface Web {
  /** Resolves for any status. Rejects with `WebError`. */
  request(url: string, request?: WebRequest): Promise<WebAnswer>;
  /**
   * Writes the body of a 200 into a new file (mode 0600) while it comes; leaves no file behind when it rejects.
   * `idleMs` without a byte ends it, and so do fewer than `leastBytes` in any `idleMs` from the beginning.
   */
  download(
    url: string,
    file: string,
    options: WebRequest & { readonly limit: number; readonly idleMs?: number; readonly leastBytes?: number },
  ): Promise<Download>;
  /** Why the panel does not send requests to this address, or null. Resolves names. */
  problem(url: string, options?: Pick<WebRequest, 'allowPrivate'>): Promise<Text | null>;
}

/** A request that failed. The text names the host and the kind of failure, never a header, a body or a credential in the URL. */
export class WebError extends MessageError {
  override readonly name = 'WebError';
  readonly kind: 'refused' | 'unreachable' | 'timeout' | 'too-large' | 'status';
  /** Of kind 'status': the HTTP status of the answer. */
  readonly status: number | null;

  constructor(kind: WebError['kind'], text: Text, options: ErrorOptions & { readonly status?: number | null } = {}) {
    super(text, options);
    this.kind = kind;
    this.status = options.status ?? null;
  }
}
