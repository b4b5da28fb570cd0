import { describe, expect, it } from 'vitest';
import { BackupError } from '../../src/commands/ports/backups.js';
import { message, verbatim } from '../../src/messages/message.js';
import { ADMIN, GROUP, OTHER_ADMIN, STRANGER, startBot, until } from './kit.js';

const CHATS = [ADMIN, OTHER_ADMIN, GROUP];
const documents = ({ server }: Pick<Awaited<ReturnType<typeof startBot>>, 'server'>) =>
  server.calls.filter(({ method }) => method === 'sendDocument');

describe('a backup', () => {
  it('is sent to every admin when one requests it, and is recorded', async () => {
    const { ask, server, mark, appended, removed } = await startBot();
    mark();
    await ask('/backup');
    await until(() => appended().length > 0, 'the log says so');
    const sent = documents({ server });
    expect(sent.map(({ fields }) => Number(fields['chat_id']))).toEqual(CHATS);
    for (const { file } of sent)
      expect(file).toEqual({ name: 'portolan-2026-11-21-position-7.db', bytes: Buffer.from('the whole state') });
    const shown = server.chat(OTHER_ADMIN)[0];
    expect(shown?.text).toBe(
      'Backup of 2023-11-14 22:13, up to event 7\nIt is not encrypted: this file gives access to everything. Set a backup passphrase to encrypt it.',
    );
    expect(appended()).toMatchObject([
      {
        type: 'BackupDelivered',
        data: { position: 7, bytes: 15, encrypted: false, chats: CHATS.map((chatId) => ({ chatId, error: null })) },
        meta: { actor: { kind: 'bot', id: String(ADMIN) } },
      },
    ]);
    expect(removed).toHaveLength(1);
  });

  it('states that it is sealed', async () => {
    const { ask, server } = await startBot({ backup: { sealed: true } });
    await ask('/backup');
    await until(() => documents({ server }).length === 3, 'all have it');
    expect(server.chat(OTHER_ADMIN)[0]?.text).toContain('Its key is encrypted with the backup passphrase');
  });

  it('is sent to the others when one chat no longer exists, and the requester is informed', async () => {
    const { ask, server, appended, mark } = await startBot({ settings: { chatBotChatId: `${ADMIN},${STRANGER}` } });
    mark();
    await ask('/backup');
    await until(() => server.chat(ADMIN).length === 3, 'the reason is there');
    const why = 'The chat does not exist: send /start to the bot first';
    expect(server.chat(ADMIN)[2]?.text).toBe(`Chat 666 did not receive it: ${why}`);
    expect(appended()).toMatchObject([
      {
        data: {
          chats: [
            { chatId: ADMIN, error: null },
            { chatId: STRANGER, error: message('bot.chatMissing') },
          ],
        },
      },
    ]);
  });

  it('is retried when the server is busy', async () => {
    const { ask, server } = await startBot();
    server.fault = (method, times) => (method === 'sendDocument' && times < 3 ? { code: 429, retryAfter: 0.02 } : null);
    await ask('/backup');
    await until(() => documents({ server }).length === 3, 'all have it');
  });

  it.each([
    [
      'cannot be made',
      { create: () => Promise.reject(new BackupError('busy', verbatim('Another backup is in progress'))) },
      'Another backup is in progress',
    ],
    ['is too large', { backup: { bytes: 50_000_001 } }, 'it is larger than the 50 MB that the bot API accepts'],
  ])('that %s is not sent, and the reason is reported', async (_, options, why) => {
    const { ask, server, mark, appended } = await startBot(options);
    mark();
    await ask('/backup');
    await until(() => server.chat(ADMIN).length === 2, 'the reason is there');
    expect(server.chat(ADMIN)[1]?.text).toBe(`The backup was not sent: ${why}`);
    expect(documents({ server })).toEqual([]);
    expect(appended()).toEqual([]);
  });

  it('that reached no chat is a failure, recorded with its reason', async () => {
    const { ask, server, mark, appended, removed } = await startBot();
    server.fault = (method) =>
      method === 'sendDocument' ? { code: 413, description: 'Request Entity Too Large' } : null;
    mark();
    await ask('/backup');
    await until(() => server.chat(ADMIN).length === 2, 'the reason is there');
    const why = 'The file is too large for the bot API';
    expect(server.chat(ADMIN)[1]?.text).toBe(`The backup was not sent: ${why}`);
    expect(appended()).toMatchObject([
      { data: { chats: CHATS.map((chatId) => ({ chatId, error: message('bot.fileTooLarge') })) } },
    ]);
    expect(removed).toHaveLength(1);
  });

  it('does not delay the shutdown of the panel, and its file is deleted', async () => {
    const { ask, server, delivery, removed, appended, mark } = await startBot();
    let asked = 0;
    server.fault = (method) => {
      if (method !== 'sendDocument') return null;
      asked += 1;
      return 'silence';
    };
    mark();
    await ask('/backup');
    await until(() => asked === 1, 'the file is on its way');
    await delivery.stop();
    expect(removed).toHaveLength(1);
    expect(asked).toBe(1);
    expect(appended()).toMatchObject([
      { data: { chats: CHATS.map((chatId) => ({ chatId, error: message('bot.unreachable') })) } },
    ]);
    expect(await delivery.deliver(() => expect.unreachable())).toMatchObject({ code: 'RESTART_UNDER_WAY' });
  });

  it('is made once for two requests at the same time', async () => {
    const { server, delivery, place } = await startBot();
    await until(() => server.polls > 0, 'the bot is there');
    const dispatch: Parameters<typeof delivery.deliver>[0] = (command) =>
      place.panel.dispatch(command, { actor: { kind: 'token', id: '1', name: 't', ip: null }, correlationId: 'c' });
    const [one, two] = await Promise.all([delivery.deliver(dispatch), delivery.deliver(dispatch)]);
    expect(one).toBe(two);
    expect(documents({ server })).toHaveLength(3);
  });
});

describe('the report', () => {
  it('is sent to every admin, with the backup if the settings enable it', async () => {
    const { bot, server, change } = await startBot();
    await until(() => server.polls > 0, 'the bot is there');
    bot.report();
    await until(() => CHATS.every((chat) => server.chat(chat).length === 1), 'all have it');
    expect(server.chat(GROUP)[0]?.text).toMatch(/^Portolan 1\.2\.3 on /);
    change({ chatBotBackup: true });
    bot.report();
    await until(() => documents({ server }).length === 3, 'all have the file');
  });

  it('is sent on schedule, with the state at that time', async () => {
    const { server, change } = await startBot();
    await until(() => server.polls > 0, 'the bot is there');
    change({ chatBotRunTime: '@every 1s' });
    await until(() => server.chat(GROUP).length > 0, 'there is a report');
    expect(server.chat(GROUP)[0]?.text).toMatch(/^Portolan 1\.2\.3 on /);
  });

  it('states that its backup could not be sent', async () => {
    const create = () => Promise.reject(new BackupError('failed', message('common.diskFull')));
    const { bot, server } = await startBot({ create, settings: { chatBotBackup: true } });
    await until(() => server.polls > 0, 'the bot is there');
    bot.report();
    await until(() => server.chat(GROUP).length === 2, 'the reason is there');
    expect(server.chat(GROUP)[1]?.text).toBe(
      'Panel events\nThe bot did not send the scheduled backup: The backup was not sent: the disk is full',
    );
  });
});
