import { describe, expect, it } from 'vitest';
import { CoreError } from '../../src/commands/ports/core.js';
import { reject } from '../../src/commands/rejection.js';
import { verbatim } from '../../src/messages/message.js';
import { alice, one as alicesInbound, bob, draft, inboundDraft, two, userId } from '../kit/builders.js';
import { ADMIN, OTHER_ADMIN, STRANGER, startBot, until } from './kit.js';

const BY_BOT = { kind: 'bot', id: String(ADMIN), name: 'Ann', ip: null };

describe('a client', () => {
  it('is disabled and enabled after a confirmation, and the log names the admin', async () => {
    const { ask, press, mark, appended } = await startBot({ clients: [alice] });
    mark();
    const shown = await ask('/usage alice');
    await press('Disable', shown);
    expect(appended()).toEqual([]);
    expect((await press('Yes', shown)).text).toMatch(/^The client has been disabled\.\n\nalice\nfirst: disabled\n/);
    expect(appended()).toMatchObject([
      { type: 'ClientUpdated', data: { client: 1, changes: { enabled: false } }, meta: { actor: BY_BOT } },
    ]);
    await press('Enable', shown);
    expect((await press('Yes', shown)).text).toContain('first: may connect');
    expect(appended().slice(1)).toMatchObject([
      { type: 'ClientUpdated', data: { client: 1, changes: { enabled: true } }, meta: { actor: BY_BOT } },
    ]);
  });

  it('is not said to be disabled before the cluster has confirmed it', async () => {
    const unconfirmed = reject('CHANGE_UNCONFIRMED', { span: 5000 });
    const { ask, press, mark, appended } = await startBot({ clients: [alice], unconfirmed });
    mark();
    const shown = await ask('/usage alice');
    await press('Disable', shown);
    expect((await press('Yes', shown)).text).toContain('the cluster has not confirmed it within 5 seconds');
    expect(appended()).toMatchObject([{ type: 'ClientUpdated', data: { changes: { enabled: false } } }]);
  });

  it('is unchanged after a cancellation', async () => {
    const { ask, press, mark, appended } = await startBot({ clients: [alice] });
    mark();
    const shown = await ask('/usage alice');
    await press('Reset traffic', shown);
    expect((await press('No', shown)).text).toMatch(/^alice\n/);
    expect(appended()).toEqual([]);
  });

  it('is reset after a confirmation', async () => {
    const { ask, press, mark, appended, place } = await startBot({ clients: [alice] });
    place.must({
      type: 'RecordTraffic',
      data: { run: 'r', clients: [[1, 3, 4]], inbounds: [], outbounds: [] },
    });
    mark();
    const shown = await ask('/usage alice');
    await press('Reset traffic', shown);
    expect((await press('Yes', shown)).text).toContain('Used: 0 bytes, 0 bytes up and 0 bytes down');
    expect(appended()).toMatchObject([
      { type: 'ClientTrafficReset', data: { client: 1, up: 3, down: 4 }, meta: { actor: BY_BOT } },
    ]);
  });

  it('is disabled in all of its inbounds', async () => {
    const { ask, press, mark, appended, place } = await startBot({ clients: [alice] });
    place.must(
      { type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ spec: { port: 8443, tag: 'in-2' } }) } },
      { type: 'AddClients', data: { inbound: two, clients: [draft('alice', 9)] } },
    );
    mark();
    const shown = await ask('/usage alice');
    await press('Disable', shown);
    await press('Yes', shown);
    expect(appended().map(({ data }) => data)).toEqual([
      { client: 1, changes: { enabled: false } },
      { client: 2, changes: { enabled: false } },
    ]);
  });

  it('that was deleted meanwhile is not found', async () => {
    const { ask, press, place, mark, appended } = await startBot({ clients: [alice, bob] });
    const shown = await ask('/usage alice');
    await press('Disable', shown);
    place.must({ type: 'DeleteClient', data: { inbound: alicesInbound, client: { email: 'alice' } } });
    mark();
    expect((await press('Yes', shown)).text).toBe('This client no longer exists');
    expect(appended()).toEqual([]);
  });
});

describe('a button', () => {
  it('works once: not when it is pressed again, nor when the server repeats the update after a restart', async () => {
    const { ask, press, mark, appended, server, bot, make, place } = await startBot({ clients: [alice] });
    const shown = await ask('/usage alice');
    await press('Disable', shown);
    const yes = shown.keyboard.flat().find(({ text }) => text === 'Yes')?.callback_data ?? '';
    mark();
    await press('Yes', shown);
    place.must({
      type: 'UpdateClient',
      data: { inbound: alicesInbound, client: { email: 'alice' }, draft: alice },
    });
    const before = appended().length;
    server.press(ADMIN, ADMIN, shown, { data: yes });
    await until(() => shown.text.includes('first: may connect'), 'the second pressing is answered');
    bot.stop();
    const polls = server.polls;
    server.again();
    const { bot: next } = make();
    next.begin();
    await until(() => server.polls > polls + 1, 'the next bot has taken them');
    await ask('/online');
    next.stop();
    expect(appended()).toHaveLength(before);
    expect(place.panel.read.clients.firstByEmail('alice')?.spec.enabled).toBe(true);
  });

  it('expires after ten minutes', async () => {
    const { ask, press, mark, appended, place } = await startBot({ clients: [alice] });
    const shown = await ask('/usage alice');
    await press('Disable', shown);
    place.clock.advance(600_001);
    mark();
    expect((await press('Yes', shown)).text).toMatch(/^This button has expired: send the command again\n/);
    expect(appended()).toEqual([]);
  });

  it.each([
    'do:off:1:zzzzzzzzzz.x',
    'do:off:1:',
    'do:off:1',
    'do:drop:1:x',
    'do',
    ':',
    'find:x',
    'client:-1',
    'x'.repeat(64),
  ])('with the data %s changes nothing', async (data) => {
    const { ask, server, mark, appended } = await startBot({ clients: [alice] });
    const shown = await ask('/usage alice');
    mark();
    server.press(ADMIN, ADMIN, shown, { data });
    expect((await ask('/online')).text).toBe('No client is online');
    expect(appended()).toEqual([]);
  });

  it('has no effect for a user who is not an admin', async () => {
    const { ask, press, server, mark, appended } = await startBot({ clients: [alice] });
    const shown = await ask('/usage alice');
    const question = await press('Disable', shown);
    mark();
    server.press(STRANGER, ADMIN, question, 'Yes');
    server.press(STRANGER, STRANGER, question, 'Yes');
    await ask('/online', OTHER_ADMIN);
    expect(question.text).toContain('Disable alice?');
    expect(appended()).toEqual([]);
  });
});

describe('the core', () => {
  it('is restarted once after a confirmation', async () => {
    const { ask, press, mark, place } = await startBot();
    const shown = await ask('/restart');
    expect(shown.text).toBe('Restart the core? All connections will be interrupted briefly.');
    mark();
    const yes = shown.keyboard.flat()[0]?.text ?? '';
    await press(yes, shown);
    await until(() => shown.text === 'The core is running again.', 'the core runs again');
    expect(place.events('CoreRestartRequested')).toMatchObject([{ meta: { actor: BY_BOT } }]);
    expect(place.data('CoreStarted').at(-1)).toMatchObject({ reason: 'request' });
  });

  it('is not restarted when it would not start', async () => {
    const { ask, press, place } = await startBot();
    place.core.config.test = () => Promise.reject(new CoreError('invalid', verbatim('no <such> outbound')));
    const shown = await ask('/restart');
    await press('Yes', shown);
    await until(() => shown.text.startsWith('The core does not accept'), 'the reason is there');
    expect(shown.text).toBe('The core does not accept this configuration: no <such> outbound');
    expect(place.events('CoreRestartRequested')).toEqual([]);
  });
});
