import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutCore } from '../../kit/real/core-process.js';
import { type Admin, cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { type BotServer, type Shown, startBotServer } from '../../kit/real/servers/bot-server.js';
import { recorded, until } from '../support.js';

const CHAT = 71;
const TOKEN = '4242:a-token-that-no-log-may-show';

const env = { PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true' };

const SUITE = 'the chat bot of a running panel';
describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bot-'));
  let server: BotServer;
  let panel: PanelProcess;
  let admin: Admin;

  beforeAll(async () => {
    server = await startBotServer({ token: TOKEN });
    server.open(CHAT);
    panel = await startPanel({ env });
    admin = await panel.admin();
    const settings = {
      chatBotEnable: true,
      chatBotToken: TOKEN,
      chatBotAPIServer: server.url,
      chatBotChatId: `${CHAT}`,
    };
    await must(admin.post('/panel/setting/update', settings));
  });

  afterAll(async () => {
    await Promise.all([panel?.cleanUp(), server?.stop()]);
    rmSync(folder, { recursive: true });
  });

  const ask = async (text: string): Promise<Shown> => {
    const before = server.chat(CHAT).length;
    server.write(CHAT, text);
    return until(`an answer to ${text}`, () => server.chat(CHAT)[before]);
  };

  it('reports the state of the machine and the core', async () => {
    const text = await until('a running core', async () => {
      const answer = (await ask('/status')).text;
      return !answer.includes('\nCore: stopped\n') && answer;
    });
    expect(text).toMatch(/\nCore: version \d+\.\d+\.\d+, running since \d{4}-/);
    expect(text).toMatch(/\nMemory: [\d.]+ [MGT]B of [\d.]+ [MGT]B\n/);
  });

  it('sends a backup that restores the whole state on another machine', async () => {
    await ask('/backup');
    const sent = await until('the document is there', () =>
      server.calls.find(({ method }) => method === 'sendDocument'),
    );
    const [delivered] = await until('the log says so', () => {
      const found = recorded(panel.dataDir, 'BackupDelivered');
      return found.length > 0 && found;
    });
    expect(delivered?.meta.actor).toMatchObject({ kind: 'bot', id: String(CHAT) });
    const file = join(folder, sent.file?.name ?? '');
    writeFileSync(file, sent.file?.bytes ?? '');
    const elsewhere = join(folder, 'elsewhere');
    const restored = await cli(['restore', file, '--json'], elsewhere);
    expect(restored).toMatchObject({ code: 0 });
    const names = recorded(elsewhere, 'UserCreated').map(({ data }) => data.credentials.username);
    expect(names).toEqual([panel.username]);
  });

  it('sends a backup on request of the API, with a result for each chat', async () => {
    expect(await must(admin.post('/panel/api/backuptochatbot'))).toEqual([
      { chatId: CHAT, success: true, msg: '', msgCode: null },
    ]);
  });

  it('responds again after the panel was killed and restarted', async () => {
    panel.kill('SIGKILL');
    await panel.exited;
    const { polls } = server;
    const { dataDir, ports } = panel;
    panel = await startPanel({ dataDir, ports, env });
    admin = await panel.admin();
    await until('it polls', () => server.polls > polls);
    expect((await ask('/status')).text).toContain('Core: ');
  });

  it('continues when its server is back, without having delayed the panel', async () => {
    server.fault = () => 'silence';
    // Polls now get no reply, and a login causes a notification.
    server.write(CHAT, '/online');
    for (let n = 0; n < 3; n += 1) await panel.admin();
    await must(admin.get('/panel/api/server/status'));
    await server.stop();
    await panel.admin();
    await must(admin.get('/panel/api/server/status'));
    server = await startBotServer({ token: TOKEN, port: server.port });
    server.open(CHAT);
    server.write(CHAT, '/online');
    const shown = await until('it answers', () => server.chat(CHAT).find(({ text }) => /online/.test(text)));
    expect(shown.text).toBe('No client is online');
    expect(panel.stdout() + panel.stderr()).not.toContain(TOKEN);
  });
});
