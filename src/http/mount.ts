import type { Request, RequestHandler, Response, Router } from 'express';
import type { z } from 'zod';
import { Rejection } from '../commands/rejection.js';
import { type HttpContext, Message } from './context.js';
import type { HandlersOf, Route, Routes } from './contract/route.js';

/** `C` is more than an `HttpContext` for the handlers that deal in sessions. */
export type Handlers<T extends Routes, C extends HttpContext = HttpContext> = HandlersOf<T, C, Rejection | Message>;
type Handler = (request: { readonly params: unknown; readonly body: unknown }, context: HttpContext) => unknown;

/** What stands in front of every route: the guard of its `auth`, and the parser of its body. */
export interface Gate<C extends HttpContext = HttpContext> {
  /** Answers a caller who may not pass, and then calls nothing. */
  guard(route: Route): RequestHandler;
  parse(route: Route): RequestHandler;
  contextOf(req: Request, res: Response): C;
}

/** The envelope of the specification: HTTP 200 whatever the answer, unless the specification says otherwise. */
export function envelope(success: boolean, msg: string, obj: unknown = null) {
  return { success, msg, obj };
}

/** Binds a route table to its handlers: guard, parse, check, handle, wrap in the envelope. */
export function mount<T extends Routes, C extends HttpContext = HttpContext>(
  router: Router,
  table: T,
  handlers: Handlers<T, C>,
  gate: Gate<C>,
): void {
  for (const [name, route] of Object.entries(table)) {
    const handle = handlers[name] as unknown as Handler;
    const respond: RequestHandler = async (req, res) => {
      const params = route.params.safeParse(req.params);
      const body = route.body.safeParse(req.body);
      const invalid = params.error ?? body.error;
      if (invalid) {
        res.json(envelope(false, `The input is not valid: ${complaint(invalid)}`));
        return;
      }
      const outcome = await handle({ params: params.data, body: body.data }, gate.contextOf(req, res));
      answer(res, outcome);
    };
    for (const path of [route.path, ...route.aliases]) {
      router[route.method === 'GET' ? 'get' : 'post'](path, gate.guard(route), gate.parse(route), respond);
    }
  }
}

function answer(res: Response, outcome: unknown): void {
  if (res.headersSent) return;
  if (outcome instanceof Rejection) res.json(envelope(false, outcome.message));
  else if (outcome instanceof Message) res.json(envelope(true, outcome.text, outcome.obj));
  else res.json(envelope(true, '', outcome ?? null));
}

/** The first things that are wrong, each with its place; never what the caller sent. */
function complaint(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ');
}
