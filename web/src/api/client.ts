import { type FormRequest, MASK } from '../model/curl';
import { randomWord } from '../model/random';
import type { Gets, Posts } from './contract.generated';
import { isRequested, moment, noteMoment, takesMoment } from './moment';

/** The address of the panel, with its base path and a slash at the end. All paths of the contract are relative to it. */
export const base = new URL('.', document.baseURI);

type Details = Partial<Pick<ApiError, 'fields' | 'reasons'>>;

/** A request that the panel refused, or that did not reach it. */
export class ApiError extends Error {
  /** The stable code of the refusal; `OFFLINE` when the panel did not answer. */
  readonly code: string;
  readonly status: number;
  /** Problems of single members, by their names. */
  readonly fields: Readonly<Record<string, string>>;
  /** Stable codes of the reason and of the texts in it, such as `certificate.fileMissing`. */
  readonly reasons: readonly string[];

  constructor(message: string, code: string, status: number, details: Details = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.fields = details.fields ?? {};
    this.reasons = details.reasons ?? [];
  }

  get isOffline(): boolean {
    return this.code === OFFLINE;
  }
}

const OFFLINE = 'OFFLINE';

interface Envelope {
  readonly success: boolean;
  readonly msg: string;
  readonly obj: unknown;
  readonly code?: string;
}

/** What a POST did: its object, and the panel's sentence about it. */
export interface Done<T> {
  readonly obj: T;
  readonly msg: string;
}

/** A request that has not been sent. */
export interface PostRequest<T> extends FormRequest {
  readonly send: () => Promise<Done<T>>;
}

interface RouteTypes {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly reply: unknown;
}

type Part<N extends string, T> = [T] extends [undefined] ? { readonly [K in N]?: undefined } : { readonly [K in N]: T };
type Input<R extends RouteTypes> = Part<'params', R['params']> &
  Part<'query', R['query']> &
  Part<'body', R['body']> & { readonly signal?: AbortSignal };
type Optional<R extends RouteTypes> =
  Record<string, never> extends Omit<Input<R>, 'signal'> ? [input?: Input<R>] : [input: Input<R>];
type AnyInput = {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

/** What the client needs of the page around it. */
interface Surroundings {
  /** Asks the admin to log in again; resolves after the login. Without it, a request of an ended session fails. */
  renew?: () => Promise<void>;
  /** The sentence for a panel that does not answer. */
  offlineText: () => string;
  /** The sentence for a request that is not possible while an earlier moment is shown. */
  pastText?: () => string;
}
const surroundings: Surroundings = { offlineText: () => '' };

/** Connects the client to the page: called once, at the start. */
export function surround(given: Surroundings): void {
  Object.assign(surroundings, given);
}

let token: Promise<string> | null = null;

/** Forgets the CSRF token: after a login there is another one. */
export function forgetToken(): void {
  token = null;
}

async function csrfToken(): Promise<string> {
  token ??= send('GET', 'csrf-token', {}).then(({ obj }) => String(obj));
  try {
    return await token;
  } catch (error) {
    token = null;
    throw error;
  }
}

/** The URL of a path of the contract, with its parameters and its query. */
export function urlOf(path: string, { params, query }: Pick<AnyInput, 'params' | 'query'> = {}): URL {
  const values = (params ?? {}) as Readonly<Record<string, string | number>>;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name] ?? '')));
  const url = new URL(filled.slice(1), base);
  for (const [name, value] of Object.entries((query ?? {}) as Readonly<Record<string, unknown>>))
    if (value !== undefined) url.searchParams.set(name, String(value));
  if (takesMoment(path)) url.searchParams.set('at', moment ?? '');
  return url;
}

type Send = (method: 'GET' | 'POST', url: URL | string, input: AnyInput, csrf?: string) => Promise<Envelope>;

/** Distinguishes this tab from others of the same session: the panel notifies them of its changes. */
export const tab = randomWord(16);

/** For the times in the panel's sentences. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const headersOf = (csrf?: string): Record<string, string> => ({
  'X-Requested-With': 'XMLHttpRequest',
  'Portolan-Tab': tab,
  'Portolan-Time-Zone': timeZone(),
  ...(csrf === undefined ? {} : { 'X-CSRF-Token': csrf }),
});

async function send(...request: Parameters<Send>): Promise<Envelope> {
  const response = await respond(...request);
  return checked(response.status, await envelopeOf(response));
}

const envelopeOf = (response: Response): Promise<Envelope | null> =>
  response.json().catch(() => null) as Promise<Envelope | null>;

/** For a route that answers with a file: the object is its content. */
async function fetchFile(...request: Parameters<Send>): Promise<Envelope> {
  const response = await respond(...request);
  const isRefusal = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  if (isRefusal || !response.ok) checked(response.status, await envelopeOf(response));
  return { success: true, msg: '', obj: await response.blob() };
}

async function respond(...[method, url, { body, signal }, csrf]: Parameters<Send>): Promise<Response> {
  const isForm = body instanceof FormData;
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    signal: signal ?? null,
    headers: {
      ...headersOf(csrf),
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    },
  };
  if (body !== undefined) init.body = isForm ? body : JSON.stringify(body);
  const response = await fetch(new URL(url, base), init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(surroundings.offlineText(), OFFLINE, 0);
  });
  noteMoment(response);
  return response;
}

/** The envelope of a success; a refusal is thrown. */
function checked(status: number, envelope: Envelope | null): Envelope {
  if (envelope?.success === true) return envelope;
  if (envelope === null) throw new ApiError(surroundings.offlineText(), status >= 500 ? OFFLINE : 'NOT_FOUND', status);
  throw new ApiError(envelope.msg, envelope.code ?? 'UNKNOWN', status, detailsOf(envelope.obj));
}

/** Sends a form and reports the share that is sent, 0 to 1, which `fetch` cannot. */
const sendWith =
  (follow: (share: number) => void): Send =>
  (method, url, { body, signal }, csrf) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.responseType = 'json';
      request.open(method, new URL(url, base));
      for (const [name, value] of Object.entries(headersOf(csrf))) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded, total }) => follow(loaded / total));
      request.addEventListener('load', () => {
        try {
          resolve(checked(request.status, request.response as Envelope | null));
        } catch (error) {
          reject(error as Error);
        }
      });
      request.addEventListener('error', () => reject(new ApiError(surroundings.offlineText(), OFFLINE, 0)));
      request.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      signal?.addEventListener('abort', () => request.abort());
      request.send(body as FormData);
    });

/** Whether a panel answers at an address of this origin, as after a restart with another base path. */
export async function answersAt(address: URL): Promise<boolean> {
  const response = await fetch(new URL('csrf-token', address)).catch(() => null);
  return response?.ok === true;
}

/** A refusal of settings names each key; other refusals have a sentence alone. */
function detailsOf(obj: unknown): Details {
  if (typeof obj !== 'object' || obj === null) return {};
  const { errors, reasons } = obj as { readonly errors?: unknown; readonly reasons?: unknown };
  const wrong = (Array.isArray(errors) ? errors : []) as readonly { readonly key: string; readonly why: string }[];
  return {
    fields: Object.fromEntries(wrong.map(({ key, why }) => [key, why])),
    reasons: Array.isArray(reasons) ? reasons.map(String) : [],
  };
}

/** Changes that are not answered yet, and the number of those that were made. */
const changes = { open: new Set<Promise<unknown>>(), made: 0 };

/** Sends a request. A change counts until it is answered. */
async function attempt(method: 'GET' | 'POST', path: string, input: AnyInput, via: Send): Promise<Envelope> {
  if (method === 'GET') return via(method, urlOf(path, input), input);
  const change = via(method, urlOf(path, input), input, await csrfToken());
  changes.open.add(change);
  try {
    const envelope = await change;
    changes.made += 1;
    return envelope;
  } finally {
    changes.open.delete(change);
  }
}

/** Sends, and sends again after a login when the session has ended, or with a new token when the old one is not valid. */
async function call(method: 'GET' | 'POST', path: string, input: AnyInput, via: Send = send): Promise<Envelope> {
  if (!isRequested(path)) throw new ApiError(surroundings.pastText?.() ?? '', 'PAST', 0);
  const { made } = changes;
  try {
    return await attempt(method, path, input, via);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Either way the token belongs to another session.
    forgetToken();
    if (error.status === 401 && surroundings.renew) {
      // A change such as another password continues the session with another cookie. This request had the former one.
      await Promise.allSettled(changes.open);
      if (changes.made > made) return call(method, path, input, via);
      await surroundings.renew();
    } else if (error.code !== 'CSRF_TOKEN_INVALID') throw error;
    return attempt(method, path, input, via);
  }
}

/** The one way to the panel. Paths, parameters, bodies and replies are those of the contract. */
export const api = {
  async get<P extends keyof Gets>(path: P, ...[input]: Optional<Gets[P]>): Promise<Gets[P]['reply']> {
    return (await call('GET', path, input ?? {})).obj as Gets[P]['reply'];
  },

  async post<P extends keyof Posts>(path: P, ...[input]: Optional<Posts[P]>): Promise<Done<Posts[P]['reply']>> {
    const { obj, msg } = await call('POST', path, input ?? {});
    return { obj: obj as Posts[P]['reply'], msg };
  },

  /** A POST that is answered with a file. */
  async download<P extends keyof Posts>(path: P, input: Input<Posts[P]>): Promise<Blob> {
    return (await call('POST', path, input, fetchFile)).obj as Blob;
  },

  /** A POST of a form with a large file. `follow` gets the share that is sent, 0 to 1. */
  async upload<P extends keyof Posts>(
    path: P,
    body: FormData,
    { follow, signal }: { readonly follow: (share: number) => void; readonly signal: AbortSignal },
  ): Promise<Done<Posts[P]['reply']>> {
    const { obj, msg } = await call('POST', path, { body, signal }, sendWith(follow));
    return { obj: obj as Posts[P]['reply'], msg };
  },

  /** A POST that is sent later, or only shown. */
  request<P extends keyof Posts>(path: P, ...rest: Optional<Posts[P]>): PostRequest<Posts[P]['reply']> {
    const [input] = rest;
    const params = (input?.params ?? {}) as Readonly<Record<string, unknown>>;
    // In this place the API takes the credential of a client.
    const maskedParams = 'clientId' in params ? { ...params, clientId: MASK } : params;
    return {
      url: urlOf(path, input),
      maskedUrl: urlOf(path, { ...input, params: maskedParams }),
      body: input?.body,
      send: () => api.post(path, ...rest),
    };
  },

  /** The address of a file, to link to. */
  file<P extends keyof Gets>(path: P, ...[input]: Optional<Gets[P]>): string {
    return urlOf(path, input).href;
  },
};
