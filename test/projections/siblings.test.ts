import { array, assert as check, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { usedBy } from '../../src/commands/client/siblings.js';
import { growthOf } from '../../src/commands/reactors/traffic/readings.js';
import { Rejection } from '../../src/commands/rejection.js';
import { CounterTable } from '../../src/events/traffic/counter-table.js';
import { LogReadModels, type ReadModels } from '../../src/projections/read-models.js';
import { draft, identity, inboundDraft, inboundId, userId, uuid } from '../kit/builders.js';
import { History } from '../kit/history/history.js';
import { busOver, TestLog, temporaryFolder } from '../kit/log.js';

const EMAILS = ['anna', 'bert'] as const;
const INBOUNDS = 3;
const KINDS = [
  'add',
  'add',
  'add',
  'go',
  'rename',
  'rotate',
  'reset',
  'erase',
  'move',
  'move',
  'poll',
  'poll',
] as const;
const step = record({ kind: constantFrom(...KINDS, 'run', 'rollUp'), a: nat(11), b: nat(11), c: nat(100) });

/** A panel, a core that counts by number, and the usage of each email calculated independently. */
class World {
  readonly journal: TestLog;
  readonly read: ReadModels;
  readonly #history: History;
  readonly #bus;
  #core = new Map<number, number>();
  #noted = new Map<number, number>();
  readonly #used = new Map<string, number>();
  #run = 0;
  #key = 100;

  constructor(root: string) {
    this.journal = new TestLog(root);
    this.#bus = busOver(this.journal.log, this.journal.clock);
    this.read = new LogReadModels(this.journal.log);
    this.#history = new History(this.#bus, this.journal.log);
    for (let n = 1; n <= INBOUNDS; n += 1) {
      this.#do({
        type: 'AddInbound',
        data: { owner: userId(1), ...inboundDraft({ spec: { port: n, tag: `in-${n}` } }) },
      });
    }
    this.#do({ type: 'ChangeSettings', data: { changes: { eraseDeletedAfterDays: 0 } } });
    this.take('run', 0, 0, 0);
  }

  take(kind: (typeof KINDS)[number] | 'run' | 'rollUp', a: number, b: number, c: number): void {
    const email = EMAILS[a % EMAILS.length] ?? '';
    const inbound = inboundId(1 + (b % INBOUNDS));
    const client = this.read.clients.inInbound(inbound, email);
    this.#key += 1;
    const of = { identity: identity(email, { subId: 'shared' }) };
    this.journal.clock.advance(1);
    switch (kind) {
      case 'add':
        if (!client) {
          const clients = [draft(email, this.#key, of)];
          this.#do({ type: 'AddClients', data: { inbound, clients } });
        }
        break;
      case 'go':
        if (!client) break;
        this.#leave(email);
        this.#do({ type: 'DeleteClient', data: { inbound, client: { email } } });
        break;
      case 'rename': {
        const other = EMAILS[(a + 1) % EMAILS.length] ?? '';
        if (!client || this.read.clients.inInbound(inbound, other)) break;
        const taken = this.#leave(email);
        this.#used.set(other, (this.#used.get(other) ?? 0) + taken);
        this.#update(email, inbound, { ...client, identity: { ...client.identity, email: other } });
        break;
      }
      case 'rotate':
        if (!client) break;
        this.#update(email, inbound, { ...client, credential: { ...client.credential, id: uuid(this.#key) } });
        break;
      case 'reset':
        if (!client) break;
        this.#used.set(email, 0);
        this.#do({ type: 'ResetClientTraffic', data: { inbound: null, email } });
        break;
      case 'erase':
        this.#do({ type: 'EraseDeleted', data: {} });
        break;
      case 'move':
        if (client) this.#core.set(client.number, (this.#core.get(client.number) ?? 0) + c);
        break;
      case 'poll':
        this.#poll();
        break;
      case 'run':
        this.#run += 1;
        this.#core = new Map();
        this.#noted = new Map();
        this.#do({ type: 'RecordCoreStarted', data: { run: `r${this.#run}`, version: '26', reason: 'request' } });
        break;
      default:
        this.#history.rollUp(c);
    }
    this.#compare();
  }

  #do(command: AnyCommand): void {
    const done = this.#bus.dispatch(command, {
      actor: { kind: 'system', id: 't', name: 't', ip: null },
      correlationId: 't',
    });
    expect(done).not.toBeInstanceOf(Rejection);
  }

  #update(email: string, inbound: ReturnType<typeof inboundId>, next: ReturnType<typeof draft>): void {
    this.#do({ type: 'UpdateClient', data: { inbound, client: { email }, draft: next } });
  }

  /** The bytes that a client takes along when it leaves this email: none if siblings remain. */
  #leave(email: string): number {
    if (this.read.clients.byEmail(email).length > 1) return 0;
    const used = this.#used.get(email) ?? 0;
    this.#used.delete(email);
    return used;
  }

  #poll(): void {
    const clients = CounterTable.of([...this.#core].map(([client, up]) => [client, { up, down: 0 }]));
    const grown = growthOf({ clients, inbounds: new Map(), outbounds: new Map() }, this.read.usage.baselines(null));
    this.#do({ type: 'RecordTraffic', data: { run: `r${this.#run}`, ...grown } });
    for (const [client, count] of this.#core) {
      const email = this.read.clients.get(client)?.identity.email;
      // The traffic of a deleted client belongs to no other client.
      if (email !== undefined)
        this.#used.set(email, (this.#used.get(email) ?? 0) + count - (this.#noted.get(client) ?? 0));
      this.#noted.set(client, count);
    }
  }

  #compare(): void {
    for (const email of EMAILS) {
      const siblings = this.read.clients.byEmail(email);
      const used = this.#used.get(email) ?? 0;
      for (const client of siblings) {
        expect(this.read.usage.client(client).up).toBe(used);
        expect(usedBy(this.#bus.state, client).up).toBe(used);
      }
    }
    const { clients } = this.read.usage.baselines(null);
    for (const [client, count] of this.#noted) expect(clients.get(client)?.up ?? 0).toBe(count);
  }
}

describe('siblings in several inbounds', () => {
  it('have each byte that the core counted exactly once when siblings are added and deleted, also in a replay', () => {
    const root = temporaryFolder();
    let runs = 0;
    check(
      property(array(step, { maxLength: 80, size: 'max' }), (steps) => {
        runs += 1;
        const world = new World(`${root}/${runs}`);
        for (const { kind, a, b, c } of steps) world.take(kind, a, b, c);
        expect(new LogReadModels(world.journal.log).follower.digests()).toStrictEqual(world.read.follower.digests());
        world.journal.log.close();
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
