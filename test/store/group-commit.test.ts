import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/adapters/sqlite/database.js';
import { Bus, type CommandContext, type Done } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { Rejection, reject } from '../../src/commands/rejection.js';
import { panelState } from '../../src/commands/state.js';
import { stateDigest } from '../../src/events/log/fold.js';
import { begin, catchUp } from '../../src/events/log/replay.js';
import { LogReadModels } from '../../src/projections/read-models.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { admin, draft, inboundDraft, one, userId } from '../kit/builders.js';
import { openParts, TestLog, temporaryFolder } from '../kit/log.js';

const context: CommandContext = { actor: admin, correlationId: 'group' };
const addInbound = { type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ clients: [] }) } } as const;

/** A panel with one inbound: its log, its bus and its groups. */
function panelWith(log = new TestLog().log) {
  const state = begin(panelState);
  const bus = new Bus({ log, state, now: () => 1_700_000_000_000, ownPorts: () => [], closed: () => null });
  const read = new LogReadModels(log, undefined, [state]);
  let restored = 0;
  const restore = (): void => {
    restored += 1;
    const fresh = begin(panelState);
    catchUp(log, [fresh]);
    Object.assign(state.state, fresh.state);
    state.position = fresh.position;
  };
  const groups = new GroupCommit({ log, state, bus, restore });
  bus.dispatch(addInbound, context);
  return { log, state, bus, read, groups, restored: () => restored };
}
type Panel = ReturnType<typeof panelWith>;

const adding = (email: string, n: number): AnyCommand => ({
  type: 'AddClients',
  data: { inbound: one, clients: [draft(email, n)] },
});
const codeOf = (answer: Done | Rejection): unknown =>
  answer instanceof Rejection ? answer.code : answer.events.map(({ type, stream, version }) => [type, stream, version]);

/** The state of the panel equals the state that its log gives. */
function expectFolded({ log, state, read }: Panel): void {
  const fresh = begin(panelState);
  const models = new LogReadModels(log, undefined, [fresh]);
  expect(stateDigest(panelState, state.state)).toBe(stateDigest(panelState, fresh.state));
  expect(state.position).toBe(log.head().position);
  expect(read.follower.digests()).toStrictEqual(models.follower.digests());
}

describe('commands of the same turn', () => {
  it('share one transaction, and nothing is visible before it is committed', async () => {
    const directory = temporaryFolder();
    const journal = new TestLog(directory);
    const panel = panelWith(journal.log);
    const other = openDatabase(journal.directory.database, { readonly: true });
    const version = (): unknown => other.pragma('data_version', { simple: true });
    const versions = [version()];
    const heads: number[] = [];
    panel.read.changed$.subscribe(() => {
      heads.push(other.prepare<[], { n: number }>('SELECT max(position) AS n FROM events').get()?.n ?? 0);
      versions.push(version());
    });
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((email, i) => panel.groups.submit(() => adding(email, i + 1), context)),
    );
    other.close();
    expect(answers.map(codeOf)).toStrictEqual([1, 2, 3].map((n) => [['ClientAdded', `client-${n}`, 1]]));
    expect(heads).toStrictEqual([4, 4, 4]);
    expect(new Set(versions).size).toBe(2);
    expectFolded(panel);
  });

  it('are refused one by one: the others are accepted, and a repeated key has one effect', async () => {
    const panel = panelWith();
    const keyed = { ...context, commandId: { key: 'k', fingerprint: 'f' } };
    const answers = await Promise.all([
      panel.groups.submit(() => adding('a', 1), keyed),
      panel.groups.submit(() => adding('A', 2), context),
      panel.groups.submit(() => reject('NO_CLIENTS'), context),
      panel.groups.submit(() => adding('b', 3), context),
      panel.groups.submit(() => adding('a', 1), keyed),
    ]);
    const added = (n: number) => [['ClientAdded', `client-${n}`, 1]];
    expect(answers.map(codeOf)).toStrictEqual([added(1), 'EMAIL_TAKEN', 'NO_CLIENTS', added(2), added(1)]);
    expect(panel.log.head().position).toBe(3);
    expectFolded(panel);
  });

  it('fail one by one: a bug in one of them does not touch the others', async () => {
    const panel = panelWith();
    const broken = (): never => {
      throw new Error('a bug');
    };
    const answers = await Promise.allSettled([
      panel.groups.submit(() => adding('a', 1), context),
      panel.groups.submit(broken, context),
      panel.groups.submit(() => adding('b', 2), context),
    ]);
    expect(answers.map(({ status }) => status)).toStrictEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(panel.restored()).toBe(1);
    expect([...panel.read.clients.all()].map(({ identity }) => identity.email)).toStrictEqual(['a', 'b']);
    expectFolded(panel);
  });

  it('are all refused by a full disk, leave no trace, and are accepted when there is room', async () => {
    const { directory, log: first } = new TestLog();
    first.close();
    const { db, log } = openParts(directory.root);
    const panel = panelWith(log);
    const all = (from: number): Promise<(Done | Rejection)[]> =>
      Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          panel.groups.submit(() => adding(`${from + i}-${'x'.repeat(200)}`, from + i), context),
        ),
      );
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages}`);
    const { position } = log.head();
    expect(new Set((await all(1)).map(codeOf))).toContain('STORAGE_FULL');
    // A single change may fit into the last pages.
    const written = log.head().position;
    expect(written - position).toBeLessThan(20);
    expectFolded(panel);
    const restored = panel.restored();
    expect(restored).toBe(1);
    await all(100);
    expect(panel.restored()).toBe(restored);
    db.pragma(`max_page_count = ${pages + 10_000}`);
    expect((await all(200)).every((answer) => !(answer instanceof Rejection))).toBe(true);
    expect((await all(300)).every((answer) => !(answer instanceof Rejection))).toBe(true);
    expect(panel.restored()).toBe(restored);
    expectFolded(panel);
  });

  it('have the same result as one after the other, whatever they are', async () => {
    const email = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), email }),
      fc.record({ do: fc.constant('cap' as const), email, cap: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ do: fc.constant('rename' as const), email, to: email }),
      fc.record({ do: fc.constant('delete' as const), email }),
      fc.record({ do: fc.constant('reset' as const), email }),
      fc.record({ do: fc.constant('adjust' as const), email }),
      fc.record({ do: fc.constant('switch' as const), enabled: fc.boolean() }),
    );
    type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
    // Made from the read models, as the handlers do.
    const make = ({ read }: Panel, what: Step, n: number): AnyCommand | Rejection => {
      if (what.do === 'add') return adding(what.email, n);
      if (what.do === 'switch') return { type: 'SetInboundEnabled', data: { inbound: one, enabled: what.enabled } };
      const client = read.clients.inInbound(one, what.email);
      if (!client) return reject('CLIENT_NOT_FOUND', { client: what.email });
      const { spec, identity, credential } = client;
      const name = { email: what.email };
      if (what.do === 'delete') return { type: 'DeleteClient', data: { inbound: one, client: name } };
      if (what.do === 'reset') return { type: 'ResetClientTraffic', data: { inbound: one, email: what.email } };
      if (what.do === 'adjust') {
        const { up, down } = read.usage.client(client);
        return { type: 'AdjustClientTraffic', data: { email: what.email, up: up + 1, down } };
      }
      const changed =
        what.do === 'cap'
          ? { spec: { ...spec, capBytes: spec.capBytes * 2 + what.cap }, identity, credential }
          : { spec, identity: { ...identity, email: what.to }, credential };
      return { type: 'UpdateClient', data: { inbound: one, client: name, draft: changed } };
    };
    const turns = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(turns, async (steps) => {
        const grouped = panelWith();
        const serial = panelWith();
        let n = 0;
        for (const turn of steps) {
          const numbered = turn.map((what) => ({ what, n: (n += 1) }));
          const answers = await Promise.all(
            numbered.map((each) => grouped.groups.submit(() => make(grouped, each.what, each.n), context)),
          );
          const expected = numbered.map((each) => {
            const command = make(serial, each.what, each.n);
            return command instanceof Rejection ? command : serial.bus.dispatch(command, context);
          });
          expect(answers.map(codeOf)).toStrictEqual(expected.map(codeOf));
        }
        const events = ({ log }: Panel) => log.read(0, 1000).map(({ type, data, stream }) => ({ type, data, stream }));
        expect(events(grouped)).toStrictEqual(events(serial));
        expectFolded(grouped);
      }),
      { numRuns: 25 },
    );
  });
});
