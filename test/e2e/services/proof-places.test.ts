import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutCore } from '../../kit/real/core-process.js';
import { cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { type BotServer, startBotServer } from '../../kit/real/servers/bot-server.js';
import { until } from '../support.js';

const CHAT = 71;
const TOKEN = '4242:a-token-that-no-log-may-show';
const SUITE = 'the heads of a running panel';

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-heads-'));
  let server: BotServer;
  let panel: PanelProcess;

  beforeAll(async () => {
    server = await startBotServer({ token: TOKEN });
    server.open(CHAT);
    panel = await startPanel({ env: { PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true' } });
    const bot = { chatBotEnable: true, chatBotToken: TOKEN, chatBotAPIServer: server.url, chatBotChatId: `${CHAT}` };
    await must((await panel.admin()).post('/panel/setting/update', { ...bot, proofChat: true }));
  });

  afterAll(async () => {
    await Promise.all([panel?.cleanUp(), server?.stop()]);
    rmSync(folder, { recursive: true });
  });

  it('go to the chat of the bot, and verify the log with the commands of the command line', async () => {
    const isHead = (text: string): boolean => text.includes('portolan-head-1');
    await until('a head is in the chat', () => server.chat(CHAT).some(({ text }) => isHead(text)));
    const run = async (...given: string[]): Promise<string> => {
      const { code, stdout, stderr } = await cli(given, panel.dataDir);
      expect([code, stderr]).toStrictEqual([0, '']);
      return stdout;
    };
    // Without a change, the last head would be published again.
    await must((await panel.admin()).post('/panel/setting/update', { subTitle: 'Changed' }));
    await run('proof', 'publish');
    const heads = server.chat(CHAT).flatMap(({ text }) => (isHead(text) ? [text.slice(text.indexOf('{'))] : []));
    expect(heads.length).toBeGreaterThanOrEqual(2);
    const save = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const key = save('panel.pem', await run('proof', 'key'));
    const log = save('events.jsonl', await run('events', 'export'));
    const inChat = save('heads.jsonl', `${heads.map((head) => head.slice(0, head.lastIndexOf('}') + 1)).join('\n')}\n`);
    expect(await run('verify-log', '--heads', inChat, '--key', key, log)).toMatch(
      /^OK: \d+ events are intact and contain all \d+ published heads/,
    );
    expect(await run('proof', 'status')).not.toContain(TOKEN);
    const proof = save('event.json', await run('proof', 'inclusion', '--position', '2'));
    expect(await run('verify-log', '--proof', proof, '--heads', inChat, '--key', key)).toContain(
      'the event at position 2 is in the log',
    );
  });

  it('come to the chat, the only place, when the bot can send again: the newest one, which proves those before', async () => {
    const heads = (): readonly { position: number }[] =>
      server
        .chat(CHAT)
        .flatMap(({ text }) => (text.includes('portolan-head-1') ? [text] : []))
        .map((text) => JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as { position: number });
    const admin = await panel.admin();
    const publish = async (): Promise<void> => void (await admin.post('/panel/api/proof/publish'));
    const status = async () =>
      must(admin.get<{ sinks: { position: number; waiting: number; problem: string }[] }>('/panel/api/proof/status'));
    await publish();
    const before = heads().length;
    server.fault = (method) => (method === 'sendMessage' ? { code: 503, description: 'unavailable' } : null);
    for (const pageSize of [31, 32, 33]) {
      await must(admin.post('/panel/setting/update', { pageSize }));
      await publish();
    }
    expect((await status()).sinks).toMatchObject([{ waiting: 3, problem: expect.stringMatching(/./) as string }]);
    expect(heads()).toHaveLength(before);
    server.fault = null;
    await publish();
    await until('the place has the newest head', async () => (await status()).sinks[0]?.waiting === 0);
    expect(heads()).toHaveLength(before + 1);
    const { sinks } = await status();
    expect(sinks).toMatchObject([{ position: heads().at(-1)?.position, problem: '' }]);
  });
});
