import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDirectorySync } from '../../../../src/app/directory.js';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { type DirectoryEntry, DirectoryError } from '../../../../src/commands/ports/directory.js';
import type { DirectorySync } from '../../../../src/commands/reactors/directory/directory-sync.js';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { message, type Text } from '../../../../src/messages/message.js';
import { alice, bob, inboundDraft, one, userId } from '../../../kit/builders.js';
import { addInbound, holdTimers, Place } from '../kit.js';

const DAY = 86_400_000;
const person = (name: string | string[], flag: string | null = 'true'): DirectoryEntry => ({
  names: typeof name === 'string' ? [name] : name,
  flag,
});

const ON = {
  ldapEnable: true,
  ldapHost: 'directory.example',
  ldapInboundTags: 'in-1',
  ldapAutoCreate: true,
  ldapAutoDelete: true,
  ldapFlagField: 'vpn',
};

/** A panel with one inbound, and a directory whose entries the test sets. */
async function start(
  settings: object = {},
  ...clients: NonNullable<Parameters<typeof inboundDraft>[0]>['clients'] & object
) {
  holdTimers();
  const place = await new Place().open();
  onTestFinished(() => place.close(false).catch(() => undefined));
  place.must(
    { type: 'CreateUser', data: { username: 'root', passwordHash: '' } },
    { type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ clients }) } },
    { type: 'ChangeSettings', data: { changes: { ...ON, ...settings } } },
  );
  const asked: string[] = [];
  const script: { answer: readonly DirectoryEntry[] | Error | Promise<readonly DirectoryEntry[]> } = { answer: [] };
  const directory = {
    verifyPassword: async () => false,
    entries: async ({ host }: { host: string }, flag: string) => {
      asked.push(`${host} ${flag}`);
      if (script.answer instanceof Error) throw script.answer;
      return script.answer;
    },
  };
  const make = (): DirectorySync =>
    createDirectorySync(place.panel, directory, (message) => void place.warnings.push(message));
  const sync = make();
  let mark = place.panel.log.head().position;
  /** Runs the sync with this response, and returns the appended events. */
  const run = async (answer: typeof script.answer, by = sync): Promise<readonly RecordedEvent[]> => {
    script.answer = answer;
    mark = place.panel.log.head().position;
    await by.run();
    return place.panel.log.read(mark, 1000);
  };
  const change = (changes: Record<string, unknown>): void => place.must({ type: 'ChangeSettings', data: { changes } });
  return { place, sync, make, run, change, asked, script };
}

const types = (events: readonly RecordedEvent[]) => events.map(({ type }) => type);
const outcome = (over: object = {}) => ({
  type: 'DirectorySynced',
  data: { added: 0, enabled: 0, disabled: 0, deleted: 0, rejected: 0, error: null, ...over },
});
const problems = (...texts: readonly Text[]): Text => message('directory.problems', { problems: texts });
const enabling = (email: string, enabled: boolean): AnyCommand => {
  const draft = [alice, bob].find(({ identity }) => identity.email === email) ?? alice;
  return {
    type: 'UpdateClient',
    data: { inbound: one, client: { email }, draft: { ...draft, spec: { ...draft.spec, enabled } } },
  };
};

describe('a sync with the directory', () => {
  it('adds people who are allowed and missing, once, as its own actor', async () => {
    const { place, run, asked } = await start({
      ldapDefaultTotalGB: 2,
      ldapDefaultExpiryDays: 30,
      ldapDefaultLimitIP: 3,
    });
    const now = place.clock.now();
    const people = [person('anna@home'), person('bert@home', 'NO'), person('carl@home', ' Yes '), person('dora', null)];
    const events = await run(people);
    expect(asked).toEqual(['directory.example vpn']);
    expect(types(events)).toEqual(['ClientAdded', 'ClientAdded', 'DirectorySynced']);
    expect(events[0]).toMatchObject({
      data: {
        client: 1,
        inbound: one,
        spec: { enabled: true, capBytes: 2 * 1024 ** 3, expiresAt: now + 30 * DAY, limitIp: 3 },
        identity: { email: 'anna@home', subId: expect.stringMatching(/^[a-z0-9]{16}$/) as string },
        credential: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string },
      },
      meta: { actor: { kind: 'system', id: 'directory', name: 'directory', ip: null } },
    });
    expect(events.at(-1)).toMatchObject(outcome({ added: 2 }));
    const [first, second] = [...place.panel.read.clients.all()];
    expect(first?.credential).not.toEqual(second?.credential);
    expect(await run(people)).toEqual([]);
  });

  it.each([
    ['trojan', 'password', {}],
    ['shadowsocks', 'password', { settings: { method: '2022-blake3-aes-128-gcm', password: `${'A'.repeat(22)}==` } }],
    ['hysteria2', 'auth', { stream: { network: 'hysteria', security: 'tls', tlsSettings: {} } }],
  ] as const)('generates credentials for clients of %s', async (protocol, member, config) => {
    const { place, run } = await start({ ldapInboundTags: 'in-2' });
    place.must(addInbound(2, { spec: { protocol }, config }));
    await run([person('anna')]);
    expect(place.panel.read.clients.firstByEmail('anna')?.credential[member]).toMatch(/^\S{20,}$/);
  });

  it('adds no client when that is off, and none twice', async () => {
    const { place, run, change } = await start({ ldapAutoCreate: false });
    expect(await run([person('anna')])).toEqual([]);
    change({ ldapAutoCreate: true, ldapInboundTags: ' in-2 , in-1,in-2,' });
    place.must(addInbound(2), addInbound(3, { clients: [alice] }));
    // Alice is a client of an inbound outside of the sync; an email is one client.
    const events = await run([person('ALICE'), person(['z', 'anna']), person('ANNA', 'no'), person('Z')]);
    expect(types(events)).toEqual(['ClientAdded', 'DirectorySynced']);
    expect(place.panel.read.clients.firstByEmail('z')?.inbound).toBe(2);
    // The directory gives the names of one person in another order: it is the same client.
    expect(await run([person(['anna', 'z']), person('alice')])).toEqual([]);
  });

  it('disables people who are not allowed, and enables only clients that a sync has disabled', async () => {
    const { place, run } = await start({}, alice, bob);
    const both = (flag: string) => [person('alice', flag), person('BOB', flag)];
    const off = await run(both('off'));
    expect(off).toMatchObject([
      { type: 'ClientUpdated', data: { client: 1, changes: { enabled: false } } },
      { type: 'ClientUpdated', data: { client: 2, changes: { enabled: false } } },
      outcome({ disabled: 2 }),
    ]);
    expect(await run(both('off'))).toEqual([]);
    expect(await run(both('on'))).toMatchObject([
      { type: 'ClientUpdated', data: { client: 1, changes: { enabled: true } } },
      { type: 'ClientUpdated', data: { client: 2, changes: { enabled: true } } },
      outcome({ enabled: 2 }),
    ]);
    // An admin's no stays; an admin's yes does not, because the directory takes the right away.
    place.must(enabling('bob', false));
    expect(await run(both('on'))).toEqual([]);
    await run([person('alice', 'off')]);
    place.must(enabling('alice', true));
    expect(types(await run([person('alice', 'off')]))).toEqual(['ClientUpdated', 'DirectorySynced']);
  });

  it('inverts the flag if so configured', async () => {
    const { run } = await start({ ldapInvertFlag: true, ldapTruthyValues: 'locked' }, alice, bob);
    const events = await run([person('alice', 'LOCKED'), person('bob', null)]);
    expect(events).toMatchObject([{ data: { client: 1, changes: { enabled: false } } }, outcome({ disabled: 1 })]);
  });

  it('removes only clients that it created, also after a restart', async () => {
    const { place, run, make } = await start({}, alice);
    await run([person('anna'), person('bert'), person('alice')]);
    await place.close(false);
    await place.open();
    const events = await run([person('anna')], make());
    expect(events).toMatchObject([{ type: 'ClientDeleted', data: { client: 3 } }, outcome({ deleted: 1 })]);
    expect([...place.panel.read.clients.all()].map(({ identity }) => identity.email)).toEqual(['alice', 'anna']);
  });

  it.each<[string, readonly DirectoryEntry[] | Error, Text]>([
    ['cannot be asked', new DirectoryError(message('directory.noAnswer')), message('directory.noAnswer')],
    ['is empty', [], problems(message('directory.empty'))],
  ])('removes no client while the directory %s, and reports that once', async (_, answer, error) => {
    const { place, run } = await start({}, alice);
    await run([person('anna')]);
    expect(await run(answer)).toMatchObject([outcome({ error })]);
    expect(await run(answer)).toEqual([]);
    expect(place.warnings).toEqual(['the sync with the directory is incomplete']);
    expect(await run([person('anna')])).toMatchObject([outcome()]);
    expect([...place.panel.read.clients.all()]).toHaveLength(2);
  });

  it('removes no client when most people are suddenly missing, but does when only a few are', async () => {
    const { place, run } = await start();
    const people = Array.from({ length: 24 }, (_, n) => person(`p${n}`));
    await run(people);
    const error = problems(message('directory.tooManyMissing'));
    expect(await run(people.slice(0, 11))).toMatchObject([outcome({ error })]);
    expect([...place.panel.read.clients.all()]).toHaveLength(24);
    const events = await run(people.slice(0, 12));
    expect(events.at(-1)).toMatchObject(outcome({ deleted: 12 }));
  });

  it('removes no client when that is off', async () => {
    const { run, change } = await start();
    await run([person('anna'), person('bert')]);
    change({ ldapAutoDelete: false });
    expect(await run([person('bert')])).toEqual([]);
  });

  it('makes the possible changes and reports the problems', async () => {
    const { place, run, change } = await start({ ldapInboundTags: 'gone,in-1,in-2' }, alice);
    place.must(addInbound(2, { spec: { protocol: 'socks' }, config: { settings: {} } }));
    const error = problems(
      message('directory.inboundMissing', { tag: 'gone' }),
      message('directory.inboundWithoutClients', { tag: 'in-2' }),
    );
    const people = [person('a>b'), person('anna'), person(`${'x'.repeat(300)}@home`), person('bert')];
    const events = await run(people);
    expect(types(events)).toEqual(['ClientAdded', 'ClientAdded', 'DirectorySynced']);
    expect(events.at(-1)).toMatchObject(outcome({ added: 2, rejected: 2, error }));
    expect(await run(people)).toEqual([]);
    change({ ldapInboundTags: 'gone' });
    expect(await run(people)).toMatchObject([
      outcome({ error: problems(message('directory.inboundMissing', { tag: 'gone' })) }),
    ]);
  });

  it('adds many clients in batches', async () => {
    const { run } = await start();
    const people = Array.from({ length: 120 }, (_, n) => person(`person-${n}`));
    const events = await run(people);
    expect(events.at(-1)).toMatchObject(outcome({ added: 120 }));
    expect(new Set(events.map(({ meta }) => meta.correlationId)).size).toBe(4);
  });

  it('does nothing without inbounds or when it is off', async () => {
    const { run, change, asked } = await start({ ldapInboundTags: ' , ' });
    change({ ldapInboundTags: '' });
    await run([person('anna')]);
    change({ ldapInboundTags: 'in-1', ldapEnable: false });
    await run([person('anna')]);
    expect(asked).toEqual([]);
  });

  it.each<[string, (parts: Awaited<ReturnType<typeof start>>) => void]>([
    ['is switched off', ({ change }) => change({ ldapEnable: false })],
    ['ends', ({ sync }) => sync.stop()],
  ])('changes nothing when the panel %s before the directory answers', async (_, end) => {
    const parts = await start();
    let answer: (entries: readonly DirectoryEntry[]) => void = () => undefined;
    parts.script.answer = new Promise((resolve) => (answer = resolve));
    const running = parts.sync.run();
    // One run at a time.
    expect(parts.sync.run()).toBe(running);
    end(parts);
    const mark = parts.place.panel.log.head().position;
    answer([person('anna')]);
    await running;
    expect(parts.place.panel.log.read(mark, 10)).toEqual([]);
    expect(parts.asked).toHaveLength(1);
  });

  it('follows the schedule of the settings, and a new one at once', async () => {
    const { place, sync, change, asked, script } = await start({ ldapSyncCron: '@every 10m' });
    script.answer = [person('anna')];
    sync.begin();
    const runsIn = async (ms: number): Promise<number> => {
      asked.length = 0;
      await vi.advanceTimersByTimeAsync(ms);
      await place.calm();
      return asked.length;
    };
    expect(await runsIn(30 * 60_000)).toBe(3);
    change({ ldapSyncCron: '@every 1m' });
    expect(await runsIn(5 * 60_000)).toBe(5);
    change({ pageSize: 50 });
    change({ ldapEnable: false });
    expect(await runsIn(5 * 60_000)).toBe(0);
    change({ ldapEnable: true });
    expect(await runsIn(2 * 60_000)).toBe(2);
    sync.stop();
    expect(await runsIn(5 * 60_000)).toBe(0);
  });
});
