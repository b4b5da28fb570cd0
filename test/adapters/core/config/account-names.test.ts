import { randomUUID } from 'node:crypto';
import { array, assert as check, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ruleUsers } from '../../../../src/adapters/core/config/rule-users.js';
import { accountName, clientOfAccount, emailOfAccount } from '../../../../src/lib/account-name.js';
import type { JsonObject } from '../../../../src/lib/json.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { withoutRight } from '../../../kit/real/rights.js';
import { eventually } from '../../../kit/wait.js';
import {
  addInbound,
  certificate,
  clientCore,
  configOf,
  fetchThrough,
  freePort,
  inboundOf,
  numberOf,
  openThrough,
  overOrSilent,
  pause,
  place,
  target,
  template,
  userOf,
} from '../kit.js';
import { coreStage } from '../stage.js';

describe('the name of an account in the core', () => {
  it('identifies one client, and contains its number and email', () => {
    const name = accountName({ client: 12, email: '3:Ann' });
    expect([name, clientOfAccount(name), emailOfAccount(name)]).toStrictEqual(['12:3:Ann', 12, '3:Ann']);
  });

  it.each([
    '',
    'alice',
    ':alice',
    '0:alice',
    '05:alice',
    '-5:alice',
    '5alice',
    '5',
    '1234567890123456:a',
    ' 5:a',
    '５:a',
  ])('is not %s', (name) => expect([clientOfAccount(name), emailOfAccount(name)]).toStrictEqual([0, name]));
});

/** Whether the core would find a user in a rule: a name that is equal, or a regular expression of Go. */
function finds(users: unknown, name: string): boolean {
  return (users as string[]).some((user) => {
    if (!user.startsWith('regexp:')) return user === name;
    const source = user.slice('regexp:'.length).replaceAll('(?s:.*)', '[\\s\\S]*');
    return new RegExp(source.replaceAll('[^\\x00-\\x{10FFFF}]', '[^\\s\\S]')).test(name);
  });
}

describe('the users of a routing rule in a template', () => {
  const sources = [
    '^al',
    '^alice$',
    'ice$',
    'li',
    '^(alice|bob)$',
    '^al|^bo',
    '(?:^|\\.)bob',
    '[^a]lice',
    '[\\^a]',
    '\\^',
    '.*',
    '^.+$',
    '1',
    '^1',
    '\\d+',
    '^\\d',
    ':',
    '^b.b$',
    'x{0}b',
    '^(?<who>al)',
    '\\bbob',
    '^$',
  ];
  const emails = array(constantFrom('a', 'l', 'i', 'c', 'e', 'bob', 'alice', '.', '1', ':', '^', '@'), {
    minLength: 1,
    maxLength: 4,
  });

  it('match by email, regardless of the client number', () => {
    check(
      property(emails, integer({ min: 1, max: 1e6 }), constantFrom(...sources), (parts, client, source) => {
        const email = parts.join('');
        const name = accountName({ client, email });
        expect(finds(ruleUsers([`regexp:${source}`]), name)).toBe(new RegExp(source).test(email));
        expect(finds(ruleUsers([email]), name)).toBe(true);
        expect(finds(ruleUsers(['alice', 'b.b']), name)).toBe(email === 'alice' || email === 'b.b');
      }),
      { numRuns: 5000 },
    );
  });

  it('match the accounts of socks, http and mixed inbounds', () => {
    expect(finds(ruleUsers('alice,bob'), 'bob')).toBe(true);
    expect(
      ['^office-', 'office', '.*'].map((source) => finds(ruleUsers([`regexp:${source}`]), 'office-1')),
    ).toStrictEqual([true, true, true]);
  });
});

const SUITE = 'a core that counts clients by number';

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  it('routes by the emails of a template, and does not count a socks account as the client of the same name', async () => {
    const { core, folder, dispose } = place();
    onTestFinished(dispose);
    const web = await target(await certificate());
    onTestFinished(() => web.close());
    const [port, socks] = [await freePort(), await freePort()];
    const emails = ['alice', 'Alice.b', 'bob', 'carl'];
    const accounts = emails.map((email) => ({ email, id: randomUUID() }));
    const vless = { tag: 'in', port, protocol: 'vless', settings: { decryption: 'none' } };
    const door: JsonObject = {
      ...{ tag: 'door', listen: '127.0.0.1', port: socks, protocol: 'socks' },
      settings: { auth: 'password', accounts: ['carl', 'bob'].map((user) => ({ user, pass: 'x' })) },
    };
    const rules = [{ user: ['alice', 'regexp:^b[o]b$'], outboundTag: 'blocked' }];
    await core.process.start(
      configOf([inboundOf(vless, accounts), inboundOf(door)], { ...template, routing: { rules } }),
    );
    const through = (id: string) => ({
      protocol: 'vless',
      settings: { address: '127.0.0.1', port, id, encryption: 'none' },
    });
    const client = await clientCore(folder, [
      ...accounts.map(({ id }) => through(id)),
      ...['carl', 'bob'].map((user) => ({
        protocol: 'socks',
        settings: { address: '127.0.0.1', port: socks, user, pass: 'x' },
      })),
    ]);
    onTestFinished(() => client.close());
    const answers = await Promise.all(client.ports.map((own) => fetchThrough(own, web.port, 3000)));
    expect(answers).toStrictEqual([null, 'small!', null, 'small!', 'small!', null]);
    const { clients } = await core.stats.counters();
    const carl = clients.get(numberOf('carl'));
    expect(carl).toStrictEqual(clients.get(numberOf('Alice.b')));
  });

  it('rejects an account name of that form in another inbound', async () => {
    const { core, dispose } = place();
    onTestFinished(dispose);
    const settings = { auth: 'password', accounts: [{ user: '5:alice', pass: 'x' }] };
    const door = inboundOf({ tag: 'door', port: await freePort(), protocol: 'mixed', settings });
    await expect(core.config.testInbound(door)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('5:alice'),
    });
  });
});

const CUT = 'a client that is renamed in the core';

describe.skipIf(withoutCore(CUT) || withoutRight(CUT))(CUT, () => {
  const stage = coreStage();

  it.each(['vless-tcp', 'trojan-tls', 'ss2022', 'hysteria', 'vmess'])(
    '%s: keeps its connections and its counter, and loses all of them when it is disconnected',
    async (name) => {
      const { core } = stage;
      const way = stage.way(name);
      const port = await freePort();
      const account = way.account('anna@x');
      const anna = userOf(account);
      const inbound = inboundOf(way.inbound(port), [account]);
      await addInbound(core, inbound);
      const client = await clientCore(stage.folder, [way.outbound(port, account)]);
      try {
        const [socks = 0] = client.ports;
        const before = await openThrough(socks, stage.web.port, '/slow');
        const amy = { ...anna, email: 'amy@x' };
        await core.users.remove(inbound, anna);
        await core.users.add(inbound, amy);
        expect([...(await core.users.list(inbound))].map(([n, { email }]) => [n, email])).toStrictEqual([
          [anna.client, 'amy@x'],
        ]);
        const after = await openThrough(socks, stage.web.port, '/slow');
        const bytes = before.bytes();
        await eventually(() => expect(before.bytes()).toBeGreaterThan(bytes));
        expect((await core.stats.online()).map((user) => user.client)).toStrictEqual([anna.client]);
        const received = before.bytes();
        const { down = 0 } = (await core.stats.counters()).clients.get(anna.client) ?? {};
        expect(down).toBeGreaterThan(received);

        await core.users.remove(inbound, amy);
        // Again where the core had not yet logged the second connection.
        await eventually(async () => {
          expect(await core.users.disconnect(inbound, [anna.client])).toStrictEqual([]);
          for (const download of [before, after]) await overOrSilent(download);
        });
        const flowed = [before.bytes(), after.bytes()];
        await pause(300);
        expect([before.bytes(), after.bytes()]).toStrictEqual(flowed);
        before.abort();
        after.abort();
      } finally {
        await client.close();
        await core.inbounds.remove(inbound);
      }
    },
  );
});
