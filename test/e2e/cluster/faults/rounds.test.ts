import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { endOfOutput } from '../../../kit/real/children.js';
import { withoutNats } from '../../../kit/real/nats/server.js';
import { cli } from '../../../kit/real/panel-process.js';
import { pause, until } from '../../../kit/wait.js';
import { violations } from './history.js';
import { bearer, type FaultyMember, STREAM, startThree, type Three } from './three.js';
import { Writers } from './writers.js';

/** `PORTOLAN_FAULT_ROUNDS=30` repeats all kinds of faults. */
const ROUNDS = Number(process.env['PORTOLAN_FAULT_ROUNDS'] ?? 0);
const WRITERS = 20;
/** A round that takes longer hangs. */
const ROUND_MS = 120_000;
/** How long writers repeat a change, in ms: another member leads within 10 seconds. */
const REPEAT_MS = 15_000;

interface Round {
  readonly three: Three;
  readonly leader: FaultyMember;
  readonly follower: FaultyMember;
}

/** What goes wrong in a round; returns when the fault is over and what was killed runs again. */
type Fault = (round: Round) => Promise<void>;

const restarted = async (member: FaultyMember): Promise<void> => {
  member.kill();
  await pause(1000);
  await member.start();
};

const cutFor = async (member: FaultyMember, ms: number, ...directions: ('to-server' | 'to-client')[]) => {
  member.cut(...directions);
  await pause(ms);
  member.heal();
};

const stepped = async ({ clock }: FaultyMember) => {
  for (const seconds of [3600, -3600, 0]) {
    clock?.step(seconds);
    await pause(4000);
  }
};

/** A process that has ended while its disk was full is started again, as a service manager does. */
const filled = async (member: FaultyMember) => {
  member.disk?.fail('full');
  await pause(8000);
  member.disk?.fail(null);
  await member.revive();
};

const streamLeader = async ({ nats }: Three) => nats.streamReady(STREAM);

const FAULTS: Readonly<Record<string, Fault>> = {
  'kill -9 of the leader': ({ leader }) => restarted(leader),
  'kill -9 of a follower': ({ follower }) => restarted(follower),
  'kill -9 of the NATS server that leads the stream': async ({ three }) => {
    const server = await streamLeader(three);
    await server.kill();
    await pause(6000);
    await server.start();
  },
  'kill -9 of two NATS servers': async ({ three: { nats } }) => {
    const [one, two] = nats.servers;
    await Promise.all([one?.kill(), two?.kill()]);
    await pause(7000);
    await Promise.all([one?.start(), two?.start()]);
  },
  'kill -9 of all members and all NATS servers': async ({ three: { nats, members } }) => {
    for (const member of members) member.kill();
    await Promise.all(nats.servers.map((server) => server.kill()));
    await Promise.all(nats.servers.map((server) => server.start()));
    await Promise.all(members.map((member) => member.start()));
  },
  'a leader that is paused': async ({ leader }) => {
    leader.signal('SIGSTOP');
    await pause(ROUNDS > 0 ? 30_000 : 10_000);
    leader.signal('SIGCONT');
  },
  'a leader without a network': ({ leader }) => cutFor(leader, 8000),
  'a leader that hears, but is not heard': ({ leader }) => cutFor(leader, 8000, 'to-server'),
  'a leader that is heard, but does not hear': ({ leader }) => cutFor(leader, 8000, 'to-client'),
  'a clock that is an hour fast, and an hour slow, on the leader': ({ leader }) => stepped(leader),
  'a clock that is an hour fast, and an hour slow, on a follower': ({ follower }) => stepped(follower),
  'a full disk on the leader': ({ leader }) => filled(leader),
  'a full disk on a follower': ({ follower }) => filled(follower),
  'a follower without a network': ({ follower }) => cutFor(follower, 8000),
  'the server that leads the stream without the others': async ({ three }) => {
    three.nats.isolate(await streamLeader(three));
    await pause(8000);
    three.nats.heal();
  },
  'the server that leads the stream is heard, but does not hear': async ({ three }) => {
    const server = await streamLeader(three);
    for (const other of three.nats.servers) if (other !== server) three.nats.cutOneWay(other, server);
    await pause(8000);
    three.nats.heal();
  },
};

/** The kinds of faults of this run: each often enough, or a few of them. */
const chosen = (): readonly string[] => {
  const names = Object.keys(FAULTS);
  if (ROUNDS > 0) return Array.from({ length: ROUNDS }, (_, n) => names[n % names.length] as string);
  return [
    'kill -9 of the leader',
    'a leader that is paused',
    'kill -9 of two NATS servers',
    'a leader without a network',
  ];
};

/** Waits until each member answers with a position. */
async function together({ members, token }: Three, position: number): Promise<void> {
  for (const member of members)
    await until(`${member.name} has position ${position}`, async () => {
      const headers = { 'x-portolan-at-least': String(position) };
      const answer = await bearer(member, token, 5000).raw('GET', '/panel/api/inbounds/list', { headers });
      return answer.status === 200;
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${endOfOutput(member.panel, 4000)}`);
    });
}

/** Waits until changes are acknowledged again. */
async function goesOn(writers: Writers): Promise<void> {
  const before = writers.acknowledged;
  await until('changes are acknowledged again', () => writers.acknowledged >= before + WRITERS);
}

/** The hash of the chain at each position in the log of a stopped member; each hash depends on all events up to there. */
async function hashesOf({ dataDir }: FaultyMember): Promise<ReadonlyMap<number, string>> {
  expect(await cli(['events', 'verify'], dataDir)).toMatchObject({ code: 0 });
  const db = new Database(join(dataDir, 'events.db'), { readonly: true });
  const rows = db.prepare<[], { position: number; hash: Buffer }>('SELECT position, hash FROM events').all();
  db.close();
  return new Map(rows.map(({ position, hash }) => [position, hash.toString('hex')]));
}

const digestsOf = async ({ dataDir }: FaultyMember, position: number): Promise<unknown> =>
  JSON.parse((await cli(['events', 'replay', '--at', String(position), '--json'], dataDir)).stdout);

describe.skipIf(withoutNats('faults of a cluster'))('three members and three NATS servers, under 20 writers', () => {
  it(
    'keep each acknowledged change once, in its place, through faults at random moments',
    async () => {
      const three = await startThree();
      const writers = new Writers(three.members, three.token, {
        count: WRITERS,
        repeating: WRITERS / 2,
        repeatMs: REPEAT_MS,
      });
      await goesOn(writers);
      for (const name of chosen()) {
        await pause(Math.random() * 2000);
        const leader = await three.leader();
        const followers = three.members.filter((member) => member !== leader);
        const follower = followers[Math.floor(Math.random() * followers.length)] as FaultyMember;
        await FAULTS[name]?.({ three, leader, follower });
        await goesOn(writers);
      }
      const { unexpected, ...history } = await writers.stop();
      await together(three, writers.position);
      const emails = await emailsAt(three);
      const position = writers.position;
      for (const member of three.members) await member.panel.stop();
      const logs = await Promise.all(three.members.map(hashesOf));
      const [hashes = new Map<number, string>()] = logs;
      expect(logs.map((log) => log.get(position))).toEqual(logs.map(() => hashes.get(position)));
      expect(violations(history, { hashes, emails })).toEqual([]);
      const digests = await Promise.all(three.members.map((member) => digestsOf(member, position)));
      for (const digest of digests) expect(digest).toEqual(digests[0]);
      expect(unexpected).toEqual([]);
      expect(history.reads.length).toBeGreaterThan(WRITERS);
    },
    ROUND_MS * chosen().length,
  );

  it('lose no request that is repeated, while each member restarts and the leader hands over', async () => {
    const three = await startThree();
    const writers = new Writers(three.members, three.token, {
      count: WRITERS,
      repeating: WRITERS,
      repeatMs: REPEAT_MS,
    });
    await goesOn(writers);
    for (const member of three.members) {
      await member.panel.stop();
      await member.start();
      await goesOn(writers);
    }
    const before = await three.leader();
    await until('it hands over', async () => (await before.run('step-down')).code === 0);
    await goesOn(writers);
    expect(await three.leader()).not.toBe(before);
    const { unexpected, ...history } = await writers.stop();
    expect(history.writes.filter(({ outcome }) => outcome !== 'acknowledged')).toEqual([]);
    expect(unexpected).toEqual([]);
    const [first] = three.members as [FaultyMember];
    await together(three, writers.position);
    const emails = await emailsAt(three);
    await first.panel.stop();
    expect(violations(history, { hashes: await hashesOf(first), emails })).toEqual([]);
  });
});

async function emailsAt({ members, token }: Three): Promise<readonly string[]> {
  const answer = await bearer(members[0] as FaultyMember, token, 20_000).get<{ clientStats: { email: string }[] }[]>(
    '/panel/api/inbounds/list',
  );
  return answer.obj.flatMap(({ clientStats }) => clientStats.map(({ email }) => email));
}
