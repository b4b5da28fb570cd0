/** The reply of JSON endpoints. */
export interface Envelope<T = unknown> {
  success: boolean;
  msg: string;
  obj: T;
}

export interface AdminOptions {
  username?: string;
  password?: string;
  /** Bearer mode: no cookie, no CSRF token. */
  token?: string;
  timeoutMs?: number;
}

/** The payload of a reply, which must be a success. */
export async function must<T>(answer: Envelope<T> | Promise<Envelope<T>>): Promise<T> {
  const { success, msg, obj } = await answer;
  if (!success) throw new Error(`the panel rejected the request: ${msg}`);
  return obj;
}

/** An administrator's HTTP client: a session with cookie and CSRF token like a browser, or a Bearer token. */
export class Admin {
  readonly base: string;
  readonly #options: AdminOptions;
  readonly #cookies = new Map<string, string>();
  #csrf: string | undefined;

  /** `base` is the panel's URL with its base path. */
  constructor(base: string, options: AdminOptions = {}) {
    this.base = base.replace(/\/+$/, '');
    this.#options = options;
  }

  /** A client of the same panel with the Bearer token. */
  bearer(token: string): Admin {
    return new Admin(this.base, { ...this.#options, token });
  }

  /** GET /csrf-token, POST /login, and a new CSRF token after it. Rejections are replies, not exceptions. */
  async login(twoFactorCode?: string): Promise<Envelope> {
    await this.#fetchCsrf();
    const { username = '', password = '' } = this.#options;
    const body = { username, password, ...(twoFactorCode === undefined ? {} : { twoFactorCode }) };
    const answer = await this.post('/login', body);
    this.#csrf = undefined;
    if (answer.success) await this.#fetchCsrf();
    return answer;
  }

  async logout(): Promise<Envelope> {
    const answer = await this.post('/logout');
    this.#csrf = undefined;
    return answer;
  }

  get<T = unknown>(path: string): Promise<Envelope<T>> {
    return this.#envelope<T>('GET', path);
  }

  /** POST with a JSON body. */
  post<T = unknown>(path: string, body: unknown = {}): Promise<Envelope<T>> {
    const init = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return this.#envelope<T>('POST', path, init);
  }

  /** POST with a form. */
  form<T = unknown>(path: string, fields: Record<string, string> = {}): Promise<Envelope<T>> {
    return this.#envelope<T>('POST', path, { body: new URLSearchParams(fields) });
  }

  /** POST with files. */
  multipart<T = unknown>(path: string, fields: Record<string, Blob | string>): Promise<Envelope<T>> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return this.#envelope<T>('POST', path, { body });
  }

  /** The response as it is; cookies and tokens are handled, redirects are not followed. */
  async raw(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const { token, timeoutMs = 120_000 } = this.#options;
    if (!headers.has('x-requested-with')) headers.set('x-requested-with', 'XMLHttpRequest');
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    else {
      if (method !== 'GET' && method !== 'HEAD' && this.#csrf === undefined) await this.#fetchCsrf();
      if (this.#csrf !== undefined && method !== 'GET') headers.set('x-csrf-token', this.#csrf);
      if (this.#cookies.size > 0) headers.set('cookie', this.cookieHeader());
    }
    const signal = init.signal ?? AbortSignal.timeout(timeoutMs);
    const response = await fetch(this.base + path, { ...init, method, headers, redirect: 'manual', signal });
    if (token === undefined) this.#keepCookies(response.headers.getSetCookie());
    return response;
  }

  /** For a WebSocket: the session as a Cookie header. */
  cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async #envelope<T>(method: string, path: string, init: RequestInit = {}): Promise<Envelope<T>> {
    const response = await this.raw(method, path, init);
    const text = await response.text();
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Error(`${method} ${path}: HTTP ${response.status}, not JSON: ${text.slice(0, 200)}`);
    }
    if (typeof value !== 'object' || value === null || !('success' in value)) {
      throw new Error(`${method} ${path}: HTTP ${response.status}, no envelope: ${text.slice(0, 200)}`);
    }
    return { msg: '', obj: null, ...value } as Envelope<T>;
  }

  async #fetchCsrf(): Promise<void> {
    this.#csrf = undefined;
    const { obj } = await this.#envelope<string>('GET', '/csrf-token');
    if (typeof obj !== 'string' || obj === '') throw new Error('GET /csrf-token gave no token');
    this.#csrf = obj;
  }

  #keepCookies(lines: string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(pair.indexOf('=') + 1);
      if (value === '' || attributes.some((attribute) => /^max-age=(0|-)/i.test(attribute))) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}
