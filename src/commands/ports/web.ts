/** A request that the panel makes of the world. Headers by lower-case name. */
export interface WebRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For the whole exchange, redirects included, in ms; 15 s without it. */
  readonly timeoutMs?: number;
  /** Largest body that is taken, in bytes after decompression; 1 MiB without it. */
  readonly limit?: number;
  /** This one target may be a private address: the admin said so for it. */
  readonly allowPrivate?: boolean;
  readonly signal?: AbortSignal;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Download {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  readonly lastModified: string | null;
}

/**
 * The one way out: every address is spelt canonically, resolved once, each resolved address is checked, and the checked
 * one is dialled; redirects and literals go through the same door. Proxies of the environment are not used.
 */
export interface Web {
  /** Resolves for any status. Rejects with `WebError`. */
  request(url: string, request?: WebRequest): Promise<WebAnswer>;
  /**
   * Writes the body of a 200 into a new file (mode 0600) while it comes; leaves no file behind when it rejects.
   * `idleMs` without a byte ends it.
   */
  download(
    url: string,
    file: string,
    options: WebRequest & { readonly limit: number; readonly idleMs?: number },
  ): Promise<Download>;
  /** Why the panel would not ask this address, or null. Resolves names. */
  flaw(url: string, options?: Pick<WebRequest, 'allowPrivate'>): Promise<string | null>;
}

/** `message` is for people: it names the host and the kind of failure, never a header, a body or a credential in the URL. */
export class WebError extends Error {
  override readonly name = 'WebError';
  readonly kind: 'refused' | 'unreachable' | 'timeout' | 'too-large' | 'status';
  /** Of kind 'status': what the server answered. */
  readonly status: number | null;

  constructor(
    kind: WebError['kind'],
    message: string,
    options: ErrorOptions & { readonly status?: number | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.status = options.status ?? null;
  }
}
