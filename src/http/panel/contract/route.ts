import { z } from 'zod';
import type { Permission } from '../../../lib/permissions.js';

/**
 * Who may call: `none` = every client; `session` = a logged-in browser; `panel` = a session or the Bearer token. An unsafe
 * request of a session needs the CSRF token.
 */
type Auth = 'none' | 'session' | 'panel';
/** Callers of routes that are not for everyone. */
export type KnownAuth = Exclude<Auth, 'none'>;

/** One endpoint, with all data for the router, the documents and the tests. */
export interface Route<
  P extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST';
  /** Under the base path. */
  readonly path: string;
  /** Other paths with the same answer: the ones that clients of 3x-ui call. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly auth: Auth;
  /** What the caller must be allowed to do; null for callers without a login, and for ending own sessions. */
  readonly permission: Permission | null;
  /**
   * The handler works for callers that see only a part of the clients: it finds clients and inbounds through `read` alone.
   * Other routes reject these callers.
   */
  readonly filtered: boolean;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly reply: R;
  /** The media type of a reply without an envelope; null = the envelope. */
  readonly media: string | null;
  /** Maximum body size in bytes. */
  readonly limit: number;
  /** The multipart field with a file, which is written to disk; null = the body is not a multipart form. */
  readonly upload: string | null;
  /** A frequent request that is answered without the router: a GET whose path has at most one parameter, at its end. */
  readonly hot: boolean;
  /**
   * It may change something. Each POST does, unless it says otherwise; a GET does so only for old clients, and is rejected if
   * a browser sends it for a page of another site.
   */
  readonly acts: boolean;
  /** A GET that only the leader of a cluster can answer: of what it alone does, such as probing nodes. */
  readonly leader: boolean;
}

type Spec<P extends z.ZodType, B extends z.ZodType, R extends z.ZodType, Q extends z.ZodType> = Pick<
  Route<P, B, R, Q>,
  'summary'
> &
  Partial<
    Pick<
      Route<P, B, R, Q>,
      | 'params'
      | 'query'
      | 'body'
      | 'reply'
      | 'aliases'
      | 'media'
      | 'limit'
      | 'upload'
      | 'hot'
      | 'acts'
      | 'leader'
      | 'filtered'
    >
  >;

/** A route for known callers does not compile without its permission. */
type Guarded =
  | { readonly auth?: KnownAuth; readonly permission: Permission }
  | { readonly auth: 'none'; readonly permission: null }
  /** Every admin can end its own sessions, whatever the role. */
  | { readonly auth: 'session'; readonly permission: null };

const anyBody = z.unknown();
type AnyBody = typeof anyBody;
/** An envelope with a message and no object. */
const messageOnly = z.null();
type MessageOnly = typeof messageOnly;

/** A body with a list of clients may be large. */
export const LARGE_BODY_BYTES = 16 * 1024 * 1024;
const SMALL_BODY_BYTES = 1024 * 1024;

/** When a member is omitted, its type parameter is the type of the default; the compiler cannot infer that. */
const givenOr = <S extends z.ZodType>(given: S | undefined, byDefault: z.ZodType): S => given ?? (byDefault as S);

const verb =
  (method: Route['method']) =>
  <
    P extends z.ZodType = AnyBody,
    B extends z.ZodType = AnyBody,
    R extends z.ZodType = MessageOnly,
    Q extends z.ZodType = AnyBody,
  >(
    path: string,
    spec: Spec<P, B, R, Q> & Guarded,
    // The type of an omitted member is that of the default, whatever the table around it infers.
  ): Route<NoInfer<P>, NoInfer<B>, NoInfer<R>, NoInfer<Q>> => ({
    method,
    path,
    aliases: spec.aliases ?? [],
    summary: spec.summary,
    auth: spec.auth ?? 'panel',
    permission: spec.permission,
    filtered: spec.filtered ?? false,
    params: givenOr(spec.params, anyBody),
    query: givenOr(spec.query, anyBody),
    body: givenOr(spec.body, anyBody),
    reply: givenOr(spec.reply, messageOnly),
    media: spec.media ?? null,
    limit: spec.limit ?? SMALL_BODY_BYTES,
    upload: spec.upload ?? null,
    hot: spec.hot ?? false,
    acts: spec.acts ?? method === 'POST',
    leader: spec.leader ?? false,
  });

/** A received file; it is deleted after the answer. */
export class Upload {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the content, hex. */
  readonly digest: string;

  constructor(path: string, bytes: number, digest: string) {
    this.path = path;
    this.bytes = bytes;
    this.digest = digest;
  }
}

export const get = verb('GET');
export const post = verb('POST');

export type Routes = Readonly<Record<string, Route>>;

/** A table of routes under one prefix. Aliases are whole paths. */
export function routes<const T extends Routes>(prefix: string, table: T): T {
  return Object.fromEntries(
    Object.entries(table).map(([name, route]) => [name, { ...route, path: prefix + route.path }]),
  ) as T;
}

/** The input of `T`, validated by its schemas. */
export interface RequestOf<T extends Route> {
  readonly params: z.output<T['params']>;
  readonly query: z.output<T['query']>;
  readonly body: z.output<T['body']>;
}

/** A reply that is already JSON, rendered once for many requests. */
export class JsonOf<T> {
  readonly text: string;
  /** Only for the compiler: the type of the content. */
  declare readonly value: T;

  constructor(text: string) {
    this.text = text;
  }

  static from<T>(value: T): JsonOf<T> {
    return new JsonOf<T>(JSON.stringify(value));
  }
}

/** A long JSON reply in pieces, each UTF-8. They are sent one after another, so that none of them blocks other requests. */
export class JsonPages<T> {
  readonly pieces: readonly Uint8Array[];
  /** Only for the compiler: the type of the content. */
  declare readonly value: T;

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

/** One handler for each route: a missing or misspelled one does not compile. */
export type HandlersOf<T extends Routes, Services, Request, No> = {
  readonly [K in keyof T]: (
    input: RequestOf<T[K]>,
    services: Services,
    request: Request,
  ) => Outcome<T[K], No> | Promise<Outcome<T[K], No>>;
};
type Reply<T> = T | JsonOf<T> | JsonPages<T>;
type Outcome<T extends Route, No> = Reply<z.input<T['reply']>> | No;
