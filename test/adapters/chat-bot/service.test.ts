import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createChatService } from '../../../src/adapters/chat-bot/service.js';
import { createWeb } from '../../../src/adapters/web/web.js';
import { ChatError } from '../../../src/commands/ports/chat-bot.js';
import { temporaryFolder } from '../../kit/log.js';
import { type Fault, startBotServer } from '../../kit/real/servers/bot-server.js';

const service = createChatService(createWeb({ allowPrivate: true }));
const { signal } = new AbortController();

async function start() {
  const server = await startBotServer();
  onTestFinished(() => server.stop());
  server.open(1);
  const line = await service.open({ token: server.token, server: server.url, proxy: '' });
  return { server, line };
}

describe('the client of the bot API', () => {
  it('sends messages with buttons, edits them, and ignores that an edit changes nothing', async () => {
    const { server, line } = await start();
    expect(await line.login(signal)).toEqual({ id: 4242, name: 'portolan_bot' });
    await line.send(1, '<b>a</b> &lt;b', [[{ text: 'x', data: 'y' }]]);
    const [shown] = server.chat(1);
    expect(shown).toMatchObject({ text: 'a <b', keyboard: [[{ text: 'x', callback_data: 'y' }]] });
    await line.edit(1, shown?.id ?? 0, 'c', []);
    await line.edit(1, shown?.id ?? 0, 'c', []);
    expect(shown).toMatchObject({ text: 'c', keyboard: [] });
    const fields = server.calls.find(({ method }) => method === 'sendMessage')?.fields;
    expect(fields).toMatchObject({ parse_mode: 'HTML', link_preview_options: { is_disabled: true } });
  });

  it('sends a file unchanged', async () => {
    const { server, line } = await start();
    const path = join(temporaryFolder(), 'x.db');
    const bytes = Buffer.alloc(3_000_000, 'portolan\r\n--');
    writeFileSync(path, bytes);
    await line.document(1, { path, name: 'portolan-sealed.db' }, 'c', signal);
    const file = server.calls.at(-1)?.file;
    expect(file?.name).toBe('portolan-sealed.db');
    expect(file?.bytes.equals(bytes)).toBe(true);
  });

  it.each<[Fault, ChatError['kind'], number]>([
    [{ code: 401 }, 'token', 0],
    [{ code: 404 }, 'token', 0],
    [{ code: 409 }, 'taken', 0],
    [{ code: 403 }, 'gone', 0],
    [{ code: 400, description: 'Bad Request: chat not found' }, 'gone', 0],
    [{ code: 400, description: 'Bad Request: message is too long' }, 'refused', 0],
    [{ code: 413 }, 'refused', 0],
    [{ code: 429, retryAfter: 7 }, 'slow', 7000],
    [{ code: 429 }, 'slow', 5000],
    [{ code: 429, retryAfter: 1e9 }, 'slow', 3_600_000],
    [{ code: 500 }, 'unreachable', 0],
    ['html', 'unreachable', 0],
    ['hang-up', 'unreachable', 0],
  ])('reports %j as %s', async (fault, kind, retryAfterMs) => {
    const { server, line } = await start();
    server.fault = () => fault;
    const error: unknown = await line.send(1, 'x', []).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ChatError);
    expect(error).toMatchObject({ kind, retryAfterMs });
    expect(inspected(error)).not.toContain(server.token);
    expect(inspected(error)).not.toContain('test-token');
  });

  it('stops waiting for updates when it is aborted', async () => {
    const { server, line } = await start();
    const end = new AbortController();
    const asked = line.updates(null, end.signal).catch((error: unknown) => error);
    await expect.poll(() => server.polls).toBe(1);
    end.abort();
    expect(await asked).toMatchObject({ kind: 'unreachable' });
  });

  it('stops sending a file when it is aborted', async () => {
    const { server, line } = await start();
    const path = join(temporaryFolder(), 'x.db');
    writeFileSync(path, 'x');
    const end = new AbortController();
    let asked = 0;
    server.fault = () => {
      asked += 1;
      return 'silence';
    };
    const sent = line.document(1, { path, name: 'x.db' }, 'c', end.signal).catch((error: unknown) => error);
    await expect.poll(() => asked).toBe(1);
    end.abort();
    expect(await sent).toMatchObject({ kind: 'unreachable' });
  });

  it('limits the updates of one response', async () => {
    const { server, line } = await start();
    const result = Array.from({ length: 180_000 }, (_, i) => ({ update_id: i }));
    server.fault = () => ({ result });
    expect(await line.updates(null, signal)).toEqual({ updates: [], next: 100 });
  });

  it('ignores updates older than the requested one', async () => {
    const { server, line } = await start();
    const message = { message_id: 1, date: 5, chat: { id: 2 }, from: { id: 3 }, text: 'x' };
    server.fault = () => ({ result: [7, 8].map((update_id) => ({ update_id, message })) });
    expect(await line.updates(7, signal)).toMatchObject({ updates: [{}, {}], next: 9 });
    expect(await line.updates(8, signal)).toMatchObject({ updates: [{}], next: 9 });
    expect(await line.updates(9, signal)).toEqual({ updates: [], next: 9 });
  });

  it.each([['x'], [{ update_id: 1 }], [null]])('rejects %j as updates', async (result) => {
    const { server, line } = await start();
    server.fault = () => ({ result });
    await expect(line.updates(null, signal)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('accepts updates with invalid members', async () => {
    const { server, line } = await start();
    server.push({ message: { from: { id: 'x' } } });
    server.push({ callback_query: null });
    server.push({
      message: {
        message_id: 1,
        date: 5,
        chat: { id: 2 },
        from: { id: 3, first_name: '\u0000A\u202e' },
        text: 'y'.repeat(9999),
      },
    });
    const { updates, next } = await line.updates(null, signal);
    expect(next).toBe(1004);
    expect(updates).toEqual([{ id: 1003, at: 5000, chat: 2, from: { id: 3, name: 'A' }, content: 'y'.repeat(256) }]);
  });
});

/** The error with everything that hangs on it. */
function inspected(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack} ${JSON.stringify(error)} ${inspected(error.cause ?? '')}`;
}
