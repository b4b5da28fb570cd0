import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { z } from 'zod';
import { Rejection, type RejectionCode, reject, type SettingProblem } from '../../commands/rejection.js';
import { textOfIssue } from '../../messages/issue.js';
import { codeOf, isText, message, type Text } from '../../messages/message.js';
import { withValue } from '../../messages/with-value.js';
import type { Moment } from '../../projections/moments.js';
import { languageOf } from '../language/language.js';
import { rendererOf } from '../language/reader.js';
import { sendFile } from '../server/send-file.js';
import { sendJson, sendJsonPieces } from '../server/send-json.js';
import type { HttpRequest, Reads } from './context.js';
import { changes, documentOf, hasOwnVersion } from './contract/documents.js';
import { dryRunOf } from './contract/dry-run.js';
import { answersAt } from './contract/moments.js';
import { type HandlersOf, JsonOf, JsonPages, type Route, type Routes } from './contract/route.js';
import { isVersion } from './documents.js';
import { Attachment, Download, FramedPage, Message, TextStream } from './outcomes.js';
import { shownOutcome } from './visible/outcome.js';

/** Handlers of a table that need the services `S`. `R` is more than an `HttpRequest` for those that handle sessions. */
export type Handlers<T extends Routes, S, R extends HttpRequest = HttpRequest> = HandlersOf<
  T,
  S,
  R,
  Rejection | Message | Download | FramedPage | Attachment | TextStream
>;
/** What the caller sent. */
interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}
export type Handler<R extends HttpRequest = HttpRequest> = (input: Input, request: R) => unknown;

/** What the guard decides: pass, not authenticated, possibly sent by a page of another site, or a missing permission. */
export type Verdict = 'pass' | 'unauthenticated' | 'csrf' | 'forbidden';

/** What guards every route: the policy of its `auth`, and the parser of its body. */
export interface Gate<R extends HttpRequest = HttpRequest> {
  /** Answers a rejected caller and then does not call `next`. */
  guard(route: Route): RequestHandler;
  parse(route: Route): RequestHandler;
  requestOf(req: Request, res: Response): R;
  /**
   * Called before a request is carried out, and its result with the outcome. Notes a rejection because of a permission or a
   * quota for the log, and waits until what the answer relies on is safe. Resolves to the outcome to answer with.
   */
  conclusionOf(request: R, route: Route, res: Response): (outcome: unknown) => Promise<unknown>;
  /** Registers the handler of a hot route, which is answered without the router. */
  addHotRoute(route: Route, path: string, handle: Handler<R>): void;
}

/**
 * The envelope of the specification: always HTTP 200, except 404 and 503 instead of a file that does not exist or cannot be
 * sent. Beside a text in `msg` is its stable `code`, which the specification does not have.
 */
function envelope(success: boolean, msg: string, obj: unknown = null, code: string | null = null) {
  return code === null ? { success, msg, obj } : { success, msg, obj, code };
}

/** Characters of an invalid value in an answer. */
const MAX_VALUE = 100;
/** The issues of zod then contain the invalid values. */
const WITH_INPUT = { reportInput: true } as const;

/** Binds a route table to its handlers: guard, parse, check, handle, wrap in the envelope. */
export function mount<T extends Routes, S, R extends HttpRequest = HttpRequest>(
  router: Router,
  table: T,
  handlers: Handlers<T, S, R>,
  gate: Gate<R>,
  services: S,
  /** The services of a moment of the past. */
  inPast: (moment: Reads, whole: Moment) => S = (moment) => Object.assign({}, services, moment),
): void {
  for (const [name, route] of Object.entries(table)) {
    // `Handlers` pairs each handler with its route; a loop over all of them cannot express the pair.
    const handler = handlers[name] as (input: Input, services: S, request: R) => unknown;
    // Callers who see only a part of the clients get read models that contain nothing else.
    const handle: Handler<R> = (input, request) => {
      const { limits } = request.handling;
      if (limits === null) return shownOutcome(request, route, handler(input, services, request));
      const visible = { ...services, read: limits.read, past: limits.past };
      return shownOutcome(request, route, handler(input, visible, request));
    };
    const { acts } = route;
    const outcomeOf = async (req: Request, request: R): Promise<unknown> => {
      const params = route.params.safeParse(req.params, WITH_INPUT);
      const query = route.query.safeParse(req.query, WITH_INPUT);
      const body = route.body.safeParse(req.body, WITH_INPUT);
      const refused = params.error ?? query.error ?? body.error;
      if (refused) return invalid(problemsOf(refused));
      const input = { params: params.data, query: query.data, body: body.data };
      const { at } = req.query;
      if (at === undefined || !answersAt(route)) return handle(input, request);
      const moment = await request.handling.moment(String(at));
      if (moment instanceof Rejection) return moment;
      const then = inPast({ read: moment.read, now: () => moment.at }, moment);
      const { limits } = request.handling;
      const visible = limits === null ? then : { ...then, past: limits.past };
      return shownOutcome(request, route, handler(input, visible, request));
    };
    // A login issues a session, which cannot be issued twice.
    const repeatable = route.auth !== 'none' && acts;
    const document = documentOf(route);
    const respond: RequestHandler = async (req, res) => {
      const request = gate.requestOf(req, res);
      const conclude = gate.conclusionOf(request, route, res);
      const wanted = repeatable ? wantedVersions(route, req) : null;
      const run = (): Promise<unknown> =>
        wanted ? request.handling.expecting(wanted, () => outcomeOf(req, request)) : outcomeOf(req, request);
      // If the handler fails, the status shows that the answer is not the file.
      res.locals['file'] = route.media !== null;
      const perform = (): Promise<unknown> => (repeatable ? request.handling.once(run) : run());
      const outcome = await (acts ? performed(route, req, request, { run, perform }) : run());
      // A script that saves the answer as a file sees by the status that it is not the file.
      if (route.media !== null && isRefusalOfFile(outcome)) res.status(fileStatus(outcome));
      if (document && req.query['at'] === undefined && !(outcome instanceof Rejection))
        request.handling.tag(document, req.params);
      await answer(res, await conclude(outcome));
    };
    for (const path of [route.path, ...route.aliases]) {
      router[route.method === 'GET' ? 'get' : 'post'](path, gate.guard(route), gate.parse(route), respond);
      if (route.hot) gate.addHotRoute(route, path, handle);
    }
  }
}

/** The versions that a request expects in its query and its body. A version in the body is not for the handler. */
function wantedVersions(route: Route, req: Request) {
  const body: unknown = req.body;
  const sent =
    typeof body === 'object' && body !== null && 'expectedVersion' in body ? body.expectedVersion : undefined;
  const isOwn = hasOwnVersion(route) && !isVersion(sent);
  if (sent !== undefined && !isOwn) {
    const { expectedVersion: _, ...rest } = body as Record<string, unknown>;
    req.body = rest;
  }
  return {
    members: [req.query['expectedVersion'], ...(isOwn ? [] : [sent])],
    changes: (stream: string): boolean => changes(route, req.params, stream),
    params: req.params,
    body,
  };
}

/** Carries out a request that acts, or only decides it. */
function performed(
  route: Route,
  { query, body }: Request,
  request: HttpRequest,
  { run, perform }: Readonly<Record<'run' | 'perform', () => Promise<unknown>>>,
): unknown {
  const commands = dryRunOf(route);
  const inBody = commands !== null && (body as { dryRun?: unknown } | undefined)?.dryRun === true;
  const dryRun = query['dryRun'] ?? (inBody ? 'true' : 'false');
  if (dryRun === 'false') return perform();
  if (dryRun !== 'true') return reject('DRY_RUN_INVALID', { value: String(dryRun).slice(0, MAX_VALUE) });
  if (commands === null) return reject('DRY_RUN_UNSUPPORTED', { path: route.path });
  return request.handling.rehearse(run, commands === 'several');
}

const isRefusalOfFile = (outcome: unknown): outcome is Rejection =>
  outcome instanceof Rejection && outcome.code !== 'INPUT_INVALID';
const fileStatus = ({ code }: Rejection): number => (code.endsWith('_NOT_FOUND') ? 404 : 503);

/** Invalid input. */
const invalid = (problems: readonly Text[]): Rejection => reject('INPUT_INVALID', { problems });

async function answer(res: Response, outcome: unknown): Promise<void> {
  if (res.headersSent) return;
  if (outcome instanceof Rejection) sendMessage(withStatus(res, outcome), false, outcome, errorsOf(outcome, res));
  else if (outcome instanceof Message) sendMessage(res, true, outcome.text, outcome.obj);
  else if (outcome instanceof Download) await sendFile(res, outcome);
  else if (outcome instanceof FramedPage) sendPage(res, outcome);
  else if (outcome instanceof Attachment) sendAttachment(res, outcome);
  else if (outcome instanceof TextStream) await sendStream(res, outcome);
  else if (outcome instanceof JsonPages) sendJsonPieces(res, [BEFORE_REPLY, ...outcome.pieces, AFTER_REPLY]);
  else sendJson(res, successText(outcome));
}

/** These rejections have a status of their own, because only callers that ask for more than 3x-ui offers get them. */
const STATUSES: Readonly<Partial<Record<RejectionCode, number>>> = {
  FORBIDDEN: 403,
  OUT_OF_SCOPE: 403,
  DRY_RUN_INVALID: 400,
  DRY_RUN_UNSUPPORTED: 400,
  VERSION_INVALID: 400,
  VERSION_ELSEWHERE: 400,
  VERSION_STALE: 412,
  EVENT_UNKNOWN: 400,
  EVENT_TYPE_UNKNOWN: 400,
  MOMENT_INVALID: 400,
  MOMENT_UNKNOWN: 400,
  MOMENT_INSIDE: 400,
  MOMENT_FUTURE: 400,
  MOMENT_POSITION_INVALID: 400,
  UNDO_NOT_OWN: 400,
  MOMENT_UNSUPPORTED: 400,
  MOMENTS_REVERSED: 400,
};

function withStatus(res: Response, { code }: Rejection): Response {
  const status = STATUSES[code];
  return status === undefined ? res : res.status(status);
}

function sendPage(res: Response, { html, policy }: FramedPage): void {
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Content-Security-Policy', policy);
  // Other pages are never framed.
  res.setHeader('X-Frame-Options', 'SAMEORIGIN');
  res.end(html);
}

function sendAttachment(res: Response, { media, name, text }: Attachment): void {
  res.setHeader('Content-Type', `${media}; charset=utf-8`);
  res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  res.end(text);
}

/** Rejects, with nothing sent, when the first line cannot be read. */
async function sendStream(res: Response, { media, name, lines }: TextStream): Promise<void> {
  const source = Readable.from(lines);
  await once(source, 'readable');
  res.setHeader('Content-Type', `${media}; charset=utf-8`);
  res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  if (res.req.method === 'HEAD') {
    source.destroy();
    res.end();
    return;
  }
  // A client that disconnects or stops reading is not an error of the panel.
  pipeline(source, res, () => undefined);
}

const BEFORE_REPLY = Buffer.from('{"success":true,"msg":"","obj":');
const AFTER_REPLY = Buffer.from('}');

/** The envelope around a successful result. */
export function successText(outcome: unknown): string {
  if (outcome instanceof JsonOf) return `${BEFORE_REPLY}${outcome.text}${AFTER_REPLY}`;
  return JSON.stringify(envelope(true, '', outcome ?? null));
}

/**
 * Which setting is wrong and why, the result for each, the current state of what has changed meanwhile, or the codes of the
 * reason, in machine-readable form; null for a rejection that is one sentence.
 */
function errorsOf({ code, details }: Rejection, { req }: Response): unknown {
  if ('results' in details) return details.results;
  if ('current' in details) return { current: details.current };
  if ('stale' in details) return details.stale;
  if ((code === 'CONFIG_INVALID' || code === 'CORE_REFUSED') && 'why' in details) return reasonsOf(details.why);
  if (code !== 'SETTING_INVALID' || !('problems' in details)) return null;
  const say = rendererOf(req.headers);
  const errors = (details.problems as readonly SettingProblem[]).map(({ key, why }) => ({
    key,
    why: say(why),
    code: codeOf(why),
  }));
  return { errors };
}

/** The codes of why an inbound or a template is refused; null if the reason is a text of the core, which has none. */
function reasonsOf(why: unknown): { readonly reasons: readonly string[] } | null {
  const reasons = isText(why) ? codesIn(why) : [];
  return reasons.length === 0 ? null : { reasons };
}

/** The code of a text, and those of the texts in it. */
function codesIn(text: Text): readonly string[] {
  if (!('code' in text)) return [];
  return [text.code, ...Object.values(text.params).filter(isText).flatMap(codesIn)];
}

/** Sends the envelope with a sentence in the language of the caller. */
export function sendMessage(res: Response, success: boolean, outcome: Text | Rejection, obj: unknown = null): void {
  const text = outcome instanceof Rejection ? outcome.text : outcome;
  const msg = rendererOf(res.req.headers)(text);
  res.setHeader('Content-Language', languageOf(res.req.headers));
  res.vary('Accept-Language, Cookie, Portolan-Time-Zone');
  res.json(envelope(success, msg, obj, codeOf(text)));
}

/** The first problems, each with its path, and with the value that the caller sent if it cannot be a secret. */
export function problemsOf({ issues }: z.ZodError): readonly Text[] {
  return issues.slice(0, 5).map((issue) => {
    const problem = withValue(textOfIssue(issue), issue.input);
    return issue.path.length > 0 ? message('input.at', { path: issue.path.join('.'), problem }) : problem;
  });
}
