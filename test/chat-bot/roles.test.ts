import { describe, expect, it } from 'vitest';
import { actionPermissions, clientActions, mark } from '../../src/chat-bot/actions.js';
import { commandNames, commandPermissions } from '../../src/chat-bot/commands.js';
import { asSystem } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { NO_QUOTAS } from '../../src/events/access/access-of.js';
import { ClientNumber } from '../../src/events/ids.js';
import { tables } from '../../src/http/panel/contract/index.js';
import { permissionName } from '../../src/lib/permissions.js';
import { draft, one, userId } from '../kit/builders.js';
import { ADMIN, GROUP, OTHER_ADMIN, startBot, until } from './kit.js';

const LISTS = ['online', 'top', 'soon', 'search', 'usage'] as const;
const OPEN = ['id', 'help'] as const;

/** What each role may do over the bot, apart from the tables of the product. */
const expected: Readonly<Record<string, readonly string[]>> = {
  owner: [...commandNames, ...clientActions],
  operator: [...commandNames, ...clientActions],
  support: [...LISTS, ...OPEN, 'reset'],
  auditor: ['status', ...LISTS, ...OPEN],
  reseller: [...LISTS, ...OPEN, 'off', 'on'],
  metrics: OPEN,
  monitoring: ['status', ...OPEN],
  nothing: OPEN,
};
const roles = Object.keys(expected);
const chatOf = (role: string): number => 100 + roles.indexOf(role);
const DENIED = /^Your role does not have the permission [a-zA-Z]+:[a-z]+: ask an owner of the panel for it$/;

const admin = (role: string, inbounds = role === 'reseller' ? [one] : []): AnyCommand => ({
  type: 'CreateUser',
  data: { username: role, passwordHash: '', access: { role, inbounds, quotas: NO_QUOTAS } },
});

/** A panel with an admin of each role, each with a chat. Client ann is the reseller's; ben, with the same inbound, is not. */
async function start() {
  const bot = await startBot({ clients: [draft('ann', 1), draft('ben', 2, { identity: { comment: 'anna' } })] });
  const { place, server, change } = bot;
  place.must({ type: 'DefineRole', data: { role: 'nothing', grants: [{ permission: 'logs:read', scope: 'all' }] } });
  place.must(...roles.map((role) => admin(role)));
  const reseller = numberOf(bot, 'reseller');
  place.must({ type: 'HandOverClients', data: { clients: [ClientNumber.parse(1)], owner: reseller } });
  place.must({ type: 'RecordTraffic', data: traffic([1, 0, 5], [2, 0, 7]) });
  server.open(...roles.map(chatOf));
  change({ chatBotChatId: [ADMIN, GROUP, ...roles.map((role) => `${chatOf(role)}=${role}`)].join(',') });
  bot.mark();
  return bot;
}

const traffic = (...clients: [number, number, number][]) => ({ run: 'r1', clients, inbounds: [], outbounds: [] });

function numberOf({ place }: Pick<Awaited<ReturnType<typeof startBot>>, 'place'>, name: string) {
  const found = [...place.panel.read.admins.users().users.values()].find(({ username }) => username === name);
  return userId(found?.id ?? 0);
}

const refused = (role: string, permission: string, count = 1) => ({
  type: 'CommandRefused',
  data: { reason: 'permission', permission, count },
  meta: { actor: { kind: 'user', name: role, role, ip: null } },
});

describe('what an admin needs for a command of the bot', () => {
  it('is what the route that does the same needs', () => {
    const { server, clientList, clients, backupToChat, coreControl } = tables;
    const routes = {
      status: server.status,
      online: clients.onlines,
      top: clientList.top,
      soon: clientList.page,
      search: clientList.page,
      usage: clients.getClientTraffics,
      backup: backupToChat.backupToChatBot,
      restart: coreControl.restartCoreService,
      reset: clients.resetClientTraffic,
    };
    const wanted = Object.entries(routes).map(([name, { permission }]) => [
      name,
      permission && permissionName(permission),
    ]);
    expect({ ...commandPermissions, ...actionPermissions }).toMatchObject(Object.fromEntries(wanted));
    // The route of updates also extends; the decision about any other change needs clients:update.
    expect([actionPermissions.on, actionPermissions.off]).toEqual(['clients:update', 'clients:update']);
  });
});

describe.each(roles)('an admin with the role %s', (role) => {
  const may = (what: string): boolean => expected[role]?.includes(what) ?? false;

  it('may use exactly the commands of the role, and each refusal is recorded once', async () => {
    const { ask, appended } = await start();
    const expectedEvents = new Map<string, object>();
    for (const command of commandNames) {
      const { text } = await ask(`/${command} ann`, chatOf(role));
      expect([command, DENIED.test(text)]).toEqual([command, !may(command)]);
      const permission = commandPermissions[command];
      if (!may(command) && permission) expectedEvents.set(permission, refused(role, permission));
    }
    const events = appended().filter(({ type }) => type !== 'BackupDelivered');
    expect(events).toMatchObject([...expectedEvents.values()]);
  });

  it('sees only those commands in the help, and only the buttons that work', async () => {
    const { ask } = await start();
    const { text, keyboard } = await ask('/help', chatOf(role));
    const listed = text.match(/^\/\w+/gm)?.map((one) => one.slice(1));
    expect(listed).toEqual(commandNames.filter(may));
    const menu = keyboard.flat().map(({ callback_data }) => callback_data.replace('menu:', ''));
    expect(menu).toEqual(['status', 'online', 'top', 'soon', 'backup'].filter(may));
    if (!may('usage')) return;
    const shown = (await ask('/usage ann', chatOf(role))).keyboard.flat().map(({ text: label }) => label);
    const buttons = [...(may('off') ? ['Disable'] : []), ...(may('reset') ? ['Reset traffic'] : []), 'Refresh'];
    expect(shown).toEqual(buttons);
  });

  it('may press exactly the buttons of the role, also old and forged ones', async () => {
    const { ask, appended, server, place, mark: note } = await start();
    const message = await ask('/help', chatOf(role));
    const press = async (data: string): Promise<string> => {
      const before = message.text;
      server.press(chatOf(role), chatOf(role), message, { data });
      return (await until(() => message.text !== before && message, `an answer to ${data}`)).text;
    };
    const fresh = () => mark(place.clock.now());
    for (const action of clientActions) {
      note();
      const text = await press(`do:${action}:1:${fresh()}`);
      expect([action, DENIED.test(text)]).toEqual([action, !may(action)]);
      const actor = { kind: 'user', id: String(numberOf({ place }, role)), name: role, role };
      const done = {
        off: { type: 'ClientUpdated', data: { client: 1, changes: { enabled: false } }, meta: { actor } },
        on: { type: 'ClientUpdated', data: { client: 1, changes: { enabled: true } }, meta: { actor } },
        reset: { type: 'ClientTrafficReset', data: { client: 1, up: 0, down: 5 }, meta: { actor } },
      }[action];
      const isRepeated = action === 'on' && !may('on');
      expect(appended()).toMatchObject(
        may(action) ? [done] : isRepeated ? [] : [refused(role, actionPermissions[action])],
      );
      await press('no');
    }
    note();
    expect(DENIED.test(await press('client:1'))).toBe(!may('usage'));
    await press('no');
    expect(DENIED.test(await press('find:0:ann'))).toBe(!may('search'));
    await press('no');
    if (!may('restart')) expect(await press(`do:restart:0:${fresh()}`)).toMatch(DENIED);
    expect(
      appended()
        .map(({ type }) => type)
        .filter((type) => type !== 'CommandRefused'),
    ).toEqual([]);
  });
});

describe('an auditor', () => {
  it('finds no client by a part of the subscription id, which would lead to its credentials', async () => {
    const { ask, place } = await start();
    const subId = place.panel.read.clients.firstByEmail('ann')?.identity.subId ?? expect.fail();
    const part = subId.slice(0, -1);
    expect((await ask(`/search ${part}`, chatOf('owner'))).text).toContain(`that match ${part}: 1`);
    expect((await ask(`/search ${part}`, chatOf('auditor'))).text).toBe(`No client matches ${part}`);
  });
});

describe('a reseller', () => {
  const RESELLER = chatOf('reseller');

  it('sees only own clients, in no answer another one', async () => {
    const { ask } = await start();
    for (const command of ['/online', '/top', '/soon', '/search ann', '/search ben', '/usage ben', '/usage ann', 'b']) {
      const { text, keyboard } = await ask(command, RESELLER);
      expect(text.replace('No client matches ben', '')).not.toContain('ben');
      expect(JSON.stringify(keyboard)).not.toContain('client:2');
    }
    expect((await ask('/online', RESELLER)).text).toBe('Online: 1\nann');
    expect((await ask('/top', RESELLER)).text).toBe('Most traffic\nann: 5 bytes');
  });

  it('gets the same answer for a client of others as for one that does not exist', async () => {
    const { ask, appended, server, place } = await start();
    const message = await ask('/help', RESELLER);
    const texts: string[] = [];
    for (const data of [2, 99].flatMap((n) => [
      `client:${n}`,
      `ask:off:${n}`,
      `do:off:${n}:${mark(place.clock.now())}`,
    ])) {
      server.press(RESELLER, RESELLER, message, { data });
      texts.push((await until(() => /no longer exists/.test(message.text) && message, data)).text);
      server.press(RESELLER, RESELLER, message, { data: 'no' });
      await until(() => /Nothing was changed/.test(message.text), 'the next answer');
    }
    expect(new Set(texts)).toEqual(new Set(['This client no longer exists']));
    expect(appended()).toEqual([]);
  });
});

describe('the chat of an admin', () => {
  it('follows the role at once, and is a stranger after the account is deleted', async () => {
    const bot = await start();
    const { ask, place } = bot;
    const chat = chatOf('support');
    expect((await ask('/status', chat)).text).toMatch(DENIED);
    const user = numberOf(bot, 'support');
    place.must({ type: 'ChangeAdminAccess', data: { user, role: 'auditor', inbounds: [], quotas: NO_QUOTAS } });
    expect((await ask('/status', chat)).text).toContain('Portolan 1.2.3');
    place.must({ type: 'DeleteAdmin', data: { user, owner: null } });
    expect((await ask('/status', chat)).text).toContain('This bot answers only the admins and clients');
  });

  it('keeps its admin when the name changes, and no other admin gets it with the old name', async () => {
    const bot = await start();
    const { ask, place } = bot;
    const user = numberOf(bot, 'monitoring');
    const credentials = { username: 'watcher', passwordHash: '' };
    place.must({ type: 'ChangeCredentials', data: { user, ...credentials } });
    place.must({ type: 'CreateUser', data: { username: 'monitoring', passwordHash: '' } });
    expect((await ask('/online', chatOf('monitoring'))).text).toMatch(DENIED);
    expect((await ask('/status', chatOf('monitoring'))).text).toContain('Portolan 1.2.3');
  });

  it('has the rights of the person in a group too', async () => {
    const { server } = await start();
    server.write(chatOf('support'), '/status', { chat: GROUP });
    expect((await until(() => server.chat(GROUP)[0], 'an answer')).text).toMatch(DENIED);
  });

  it('gets notifications with the right to see all clients and the machine, and backups with the right to export them', async () => {
    const bot = await start();
    const { server, delivery, place } = bot;
    bot.bot.report();
    await until(() => server.chat(ADMIN).length > 0 && server.chat(GROUP).length > 0, 'the report');
    await delivery.deliver((command) => place.panel.dispatch(command, asSystem('test')));
    const reached = (what: RegExp) =>
      roles.filter((role) => server.chat(chatOf(role)).some(({ text }) => what.test(text)));
    await until(() => reached(/^Portolan 1/).length === 3, 'the report for three roles');
    expect(reached(/^Portolan 1/)).toEqual(['owner', 'operator', 'auditor']);
    expect(bot.appended().filter(({ type }) => type === 'BackupDelivered')).toMatchObject([
      { data: { chats: [{ chatId: ADMIN }, { chatId: GROUP }, { chatId: chatOf('owner') }] } },
    ]);
    expect(server.chat(OTHER_ADMIN)).toEqual([]);
  });
});
