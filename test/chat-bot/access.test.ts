import { describe, expect, it } from 'vitest';
import { draft } from '../kit/builders.js';
import { ADMIN, GROUP, STRANGER, startBot } from './kit.js';

const ann = draft('ann', 1, { identity: { tgId: 900 } });
const ben = draft('ben', 2, { identity: { tgId: 901 } });

describe('an unknown user', () => {
  it('gets their id once, and nothing else', async () => {
    const { ask, server, place } = await startBot({ clients: [ann] });
    const { text, keyboard } = await ask('/status', STRANGER);
    expect(text).toBe('This bot answers only the admins and clients of its panel.\nYour ID: 666');
    expect(keyboard).toEqual([]);
    for (const command of ['/status', '/backup', '/usage ann', '/id']) server.write(STRANGER, command);
    await ask('/online');
    expect(server.chat(STRANGER)).toHaveLength(1);
    place.clock.advance(60_000);
    expect((await ask('/status', STRANGER)).text).toBe(text);
  });

  it('is answered at a limited rate', async () => {
    const { ask, server } = await startBot();
    for (let id = 1000; id < 1020; id += 1) server.write(id, '/start');
    await ask('/online');
    const answered = Array.from({ length: 20 }, (_, n) => server.chat(1000 + n).length);
    expect(answered.reduce((sum, one) => sum + one)).toBe(5);
  });

  it('becomes an admin when the id is added to the settings, and stops being one when it is removed', async () => {
    const { ask, change, place } = await startBot({ settings: { chatBotChatId: '' } });
    expect((await ask('/online')).text).toContain(`Your ID: ${ADMIN}`);
    change({ chatBotChatId: `5 ,${ADMIN}` });
    expect((await ask('/online')).text).toBe('No client is online');
    change({ chatBotChatId: '5' });
    place.clock.advance(60_000);
    expect((await ask('/online')).text).toContain(`Your ID: ${ADMIN}`);
  });
});

describe('a client', () => {
  it('gets only its own data, whatever it requests', async () => {
    const { ask, place } = await startBot({ clients: [ann, ben] });
    for (const command of ['/start', '/usage ben', '/search b', '/backup']) {
      const { text, keyboard } = await ask(command, 900);
      expect(text).toContain('ann\nfirst: may connect');
      expect(text).not.toContain('ben');
      expect(keyboard).toEqual([]);
      place.clock.advance(2000);
    }
  });
});

describe('in a group', () => {
  it('an admin is answered when the group is in the settings too', async () => {
    const { ask, server } = await startBot();
    expect((await ask('/online', ADMIN, GROUP)).text).toBe('No client is online');
    expect((await ask('/id@portolan_bot', ADMIN, GROUP)).text).toBe(`Your ID: ${ADMIN}\nThe ID of this chat: ${GROUP}`);
    server.open(-5);
    server.write(ADMIN, '/online', { chat: -5 });
    expect((await ask('/id', ADMIN, -5)).text).toContain('The ID of this chat: -5');
    expect(server.chat(-5)).toHaveLength(1);
  });

  it('other users, other messages and commands for another bot are ignored', async () => {
    const { ask, server } = await startBot();
    server.write(STRANGER, '/status', { chat: GROUP });
    server.write(STRANGER, '/id', { chat: GROUP });
    server.write(ADMIN, 'how is everybody', { chat: GROUP });
    server.write(ADMIN, '/status@other_bot', { chat: GROUP });
    await ask('/online');
    expect(server.chat(GROUP)).toEqual([]);
  });
});

describe('a message that an admin has not written', () => {
  it.each([
    ['is passed on', { forward_origin: { type: 'user' } }],
    ['is passed on, in an older way', { forward_date: 1 }],
    ['comes through another bot', { via_bot: { id: 5, is_bot: true, first_name: 'b' } }],
    ['is said by a group', { sender_chat: { id: GROUP, type: 'supergroup' } }],
    ['is said by a bot', { from: { id: ADMIN, is_bot: true, first_name: 'b' } }],
    ['has no text', { text: undefined }],
    ['has no sender', { from: undefined }],
  ])('is ignored when it %s', async (_, extra) => {
    const { ask, server } = await startBot();
    server.write(ADMIN, '/status', { extra });
    await ask('/online');
    expect(server.chat(ADMIN)).toHaveLength(1);
  });

  it('is ignored when it was edited or posted in a channel', async () => {
    const { ask, server } = await startBot();
    const message = {
      message_id: 1,
      date: 1,
      chat: { id: ADMIN },
      from: { id: ADMIN, first_name: 'A' },
      text: '/status',
    };
    server.push({ edited_message: message });
    server.push({ channel_post: message });
    server.push({ message: 'what' });
    server.push({ callback_query: { id: 'x', from: { id: ADMIN, first_name: 'A' }, data: 'menu:status' } });
    server.push({ callback_query: { id: 'x', from: { id: ADMIN, first_name: 'A' }, message } });
    await ask('/online');
    expect(server.chat(ADMIN)).toHaveLength(1);
  });
});
