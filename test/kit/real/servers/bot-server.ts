import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { BotChats, Refusal, type Shown } from './bot-chats.js';

export type { Shown } from './bot-chats.js';

/** A fault of the server: a fixed reply, no reply, or a closed connection. */
export type Fault =
  | { /** Of a call that went well. */ readonly result: unknown }
  | { readonly code: number; readonly description?: string; readonly retryAfter?: number }
  | 'silence'
  | 'hang-up'
  | 'html';

export interface Call {
  readonly method: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Of `sendDocument`. */
  readonly file: { readonly name: string; readonly bytes: Buffer } | null;
}

/** A server that speaks the bot API on a local port, for one bot: core.telegram.org/bots/api. */
export interface BotServer {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Every call that was answered, in order, without the polls. */
  readonly calls: Call[];
  /** Polls that came in. */
  polls: number;
  /** Offsets that polls confirmed, in order. */
  readonly offsets: (number | null)[];
  /** While it gives something, that is what happens to a call. */
  fault: ((method: string, times: number) => Fault | null) | null;
  /** What a chat shows now: later edits are in it. */
  chat(id: number): readonly Shown[];
  /** Opens a chat, so that the bot may write to it. */
  open(...chats: number[]): void;
  /** Sends a message to the bot; in private unless a group is given. */
  write(
    from: number,
    text: string,
    more?: { readonly chat?: number; readonly name?: string; readonly extra?: object },
  ): void;
  /** Presses a button that stands under a message, found by its text; or sends data as a changed app can. */
  press(from: number, chat: number, message: Shown, button: string | { readonly data: string }): void;
  /** An update as the test made it. */
  push(update: object): void;
  /** Replaces the server; waiting updates are lost. */
  forget(): void;
  /** The next update has the number after this one, as when the server restarts its numbers. */
  renumber(last: number): void;
  /** As if the bot had never confirmed what it took since: the server sends it again. */
  again(): void;
  stop(): Promise<void>;
}

export interface BotServerOptions {
  readonly token?: string;
  /** The port of an earlier server, to restart on the same address. */
  readonly port?: number;
}

const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;

export async function startBotServer({
  token = '4242:test-token',
  port = 0,
}: BotServerOptions = {}): Promise<BotServer> {
  const chats = new BotChats();
  const calls: Call[] = [];
  const offsets: (number | null)[] = [];
  const times = new Map<string, number>();
  const sockets = new Set<Socket>();
  let queue: { readonly update_id: number }[] = [];
  let taken: { readonly update_id: number }[] = [];
  let lastUpdate = 1000;
  let waiting: { readonly end: (refusal?: Refusal) => void } | null = null;
  const state = { polls: 0, fault: null as BotServer['fault'] };

  const push = (update: object): void => {
    lastUpdate += 1;
    queue.push({ ...update, update_id: lastUpdate });
    waiting?.end();
  };

  const getUpdates = async ({ offset, timeout }: Readonly<Record<string, unknown>>, request: IncomingMessage) => {
    state.polls += 1;
    offsets.push(typeof offset === 'number' ? offset : null);
    // The latest poll wins, as on the real server.
    waiting?.end(new Refusal(409, 'Conflict: terminated by other getUpdates request'));
    if (typeof offset === 'number') {
      taken.push(...queue.filter(({ update_id }) => update_id < offset));
      queue = queue.filter(({ update_id }) => update_id >= offset);
    }
    if (queue.length === 0 && Number(timeout) > 0) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => own.end(), Number(timeout) * 1000);
        const own = {
          end: (refusal?: Refusal): void => {
            clearTimeout(timer);
            if (waiting === own) waiting = null;
            if (refusal) reject(refusal);
            else resolve();
          },
        };
        waiting = own;
        request.socket.once('close', () => own.end());
      });
    }
    return queue.slice(0, 100);
  };

  const answerOf = async (method: string, { fields, file }: Call, request: IncomingMessage): Promise<unknown> => {
    switch (method) {
      case 'getMe':
        return { id: 4242, is_bot: true, first_name: 'Portolan', username: 'portolan_bot' };
      case 'deleteWebhook':
      case 'setMyCommands':
        return true;
      case 'getUpdates':
        return getUpdates(fields, request);
      case 'sendMessage':
        return chats.send(fields);
      case 'editMessageText':
        return chats.edit(fields);
      case 'answerCallbackQuery':
        return chats.answer(fields);
      case 'sendDocument':
        if (!file) throw new Refusal(400, 'Bad Request: there is no document in the request');
        if (file.bytes.length > MAX_DOCUMENT_BYTES) throw new Refusal(413, 'Request Entity Too Large');
        return chats.document(fields, file.name);
      default:
        throw new Refusal(404, 'Not Found');
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, given, method = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const body = await bodyOf(request);
    const call: Call = { method, ...parse(request.headers['content-type'] ?? '', body) };
    const count = (times.get(method) ?? 0) + 1;
    times.set(method, count);
    const fault = state.fault?.(method, count) ?? null;
    if (fault === 'silence') return;
    if (fault === 'hang-up') return void request.socket.destroy();
    if (fault === 'html')
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    if (fault && 'result' in fault) return reply(response, 200, { ok: true, result: fault.result });
    try {
      if (fault) throw new Refusal(fault.code, fault.description ?? 'as the test wants it', fault.retryAfter);
      if (given !== token) throw new Refusal(401, 'Unauthorized');
      const result = await answerOf(method, call, request);
      if (method !== 'getUpdates') calls.push(call);
      reply(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const parameters = error.retryAfter === undefined ? {} : { parameters: { retry_after: error.retryAfter } };
      reply(response, error.code, { ok: false, error_code: error.code, description: error.message, ...parameters });
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => void response.destroy(error as Error));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;

  return Object.assign(state, {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    token,
    calls,
    offsets,
    chat: (id: number) => chats.shown(id),
    open: (...opened: number[]) => chats.open(...opened),
    write: (
      from: number,
      text: string,
      { chat = from, name = 'Ann', extra = {} }: Parameters<BotServer['write']>[2] = {},
    ) => push({ message: { ...chats.written(chat, from, name, text), ...extra } }),
    press: (from: number, chat: number, message: Shown, button: string | { readonly data: string }) =>
      push({ callback_query: chats.pressed(from, chat, message, button) }),
    push,
    forget: () => void ([queue, taken] = [[], []]),
    renumber: (last: number) => void (lastUpdate = last),
    again: () => {
      queue = [...taken, ...queue];
      taken = [];
      waiting?.end();
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
}

function reply(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function parse(type: string, body: Buffer): Pick<Call, 'fields' | 'file'> {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type)?.[1];
  if (boundary === undefined)
    return { fields: body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>), file: null };
  const fields: Record<string, unknown> = {};
  let file: Call['file'] = null;
  for (const part of partsOf(body, Buffer.from(`--${boundary}`))) {
    const end = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, end).toString();
    const content = part.subarray(end + 4);
    const filename = /filename="?([^"\r\n]+)"?/.exec(head)?.[1];
    if (filename !== undefined) file = { name: filename, bytes: Buffer.from(content) };
    else fields[/name="([^"]+)"/.exec(head)?.[1] ?? ''] = content.toString();
  }
  return { fields, file };
}

function partsOf(body: Buffer, mark: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  let from = body.indexOf(mark);
  for (let to = body.indexOf(mark, from + 1); from >= 0 && to >= 0; to = body.indexOf(mark, from + 1)) {
    parts.push(body.subarray(from + mark.length + 2, to - 2));
    from = to;
  }
  return parts;
}
