import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { blockFiles, cutEnd, flipByte } from '../../../kit/real/nats/blocks.js';
import { withoutNats } from '../../../kit/real/nats/server.js';
import { cli, must } from '../../../kit/real/panel-process.js';
import { until } from '../../../kit/wait.js';
import { bearer, type FaultyMember, STREAM, startThree, type Three } from './three.js';

/** Events that a member misses while it is away. `PORTOLAN_AWAY_EVENTS=100000` for a long absence. */
const AWAY = Number(process.env['PORTOLAN_AWAY_EVENTS'] ?? 1000);
const AT_ONCE = 500;
const ANSWER_MS = 60_000;
const BLOCK_HEADER = 22;

const client = (email: string) => ({
  ...{ id: crypto.randomUUID(), email, subId: `sub-${email}`, enable: true, flow: '', limitIp: 0 },
});

/** Adds clients in one request, as soon as changes are possible. Returns the position of the last event. */
async function adds(at: FaultyMember, token: string, emails: readonly string[]): Promise<number> {
  const body = JSON.stringify({ id: 1, settings: JSON.stringify({ clients: emails.map(client) }) });
  const headers = { 'content-type': 'application/json', 'idempotency-key': `add-${emails[0]}` };
  const answer = await until(`${emails[0]} at ${at.name}`, async () => {
    const given = await bearer(at, token, ANSWER_MS).raw('POST', '/panel/api/inbounds/addClient', { headers, body });
    const { success, msg } = (await given.json()) as { success: boolean; msg: string };
    if (!success) throw new Error(`${given.status} ${msg}`);
    return given;
  });
  return Number(answer.headers.get('x-portolan-position'));
}

const allHave = async ({ members, token }: Three, position: number) => {
  const headers = { 'x-portolan-at-least': String(position) };
  for (const member of members)
    await until(`${member.name} has ${position}`, async () => {
      const answer = await bearer(member, token, ANSWER_MS).raw('GET', '/panel/api/inbounds/list', { headers });
      return answer.status === 200;
    });
};

/** The clients that a member shows, by their numbers. */
async function emailsAt({ token }: Three, member: FaultyMember): Promise<readonly string[]> {
  const list = bearer(member, token, ANSWER_MS).get<{ clientStats: { email: string }[] }[]>('/panel/api/inbounds/list');
  return (await must(list)).flatMap(({ clientStats }) => clientStats).map(({ email }) => email);
}

/** Has a server start with a damaged file. The others go on meanwhile. */
async function damageBlock(three: Three, index: number, damage: (file: string) => void, email: string) {
  const server = three.nats.servers[index] as Three['nats']['servers'][number];
  await server.kill();
  await adds(three.members[index] as FaultyMember, three.token, [email]);
  damage(blockFiles(server, STREAM).at(-1) ?? '');
  await server.start();
  await three.nats.streamReady(STREAM);
}

/** Flips a byte in the hash of an event, in the file of a member that does not run. */
function damageEvent({ dataDir }: FaultyMember, position: number): void {
  const file = join(dataDir, 'events.db');
  const db = new Database(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const hash = db.prepare('SELECT hash FROM events WHERE position = ?').pluck().get(position) as Buffer;
  db.close();
  // Pages that are not used any more may have it too.
  const content = readFileSync(file);
  for (let at = content.indexOf(hash); at >= 0; at = content.indexOf(hash, at + 1)) flipByte(file, at);
}

const cutHalf = (file: string): void => cutEnd(file, statSync(file).size >> 1);

describe.skipIf(withoutNats('damaged files of a cluster'))('three members and three NATS servers', () => {
  it('keep every change while files of one server and of one member are damaged, and one is away for long', async () => {
    const three = await startThree();
    const { members, token } = three;
    const [one, two, last] = members as [FaultyMember, FaultyMember, FaultyMember];
    await adds(one, token, ['first']);

    await damageBlock(three, 1, (file) => flipByte(file, BLOCK_HEADER + 10), 'during-a-flipped-byte');
    await damageBlock(three, 2, (file) => cutEnd(file, 100), 'during-a-truncated-file');
    await allHave(three, await adds(two, token, ['after-the-blocks']));
    await until('the stream agrees with the log', async () => (await one.run('verify')).code === 0);

    const follower = (await three.leader()) === last ? two : last;
    const others = members.filter((member) => member !== follower) as [FaultyMember, FaultyMember];
    const damages: readonly [string, () => void][] = [
      ['flipped', () => damageEvent(follower, 5)],
      ['truncated', () => cutHalf(join(follower.dataDir, 'events.db'))],
    ];
    for (const [name, damage] of damages) {
      follower.kill();
      damage();
      expect((await cli(['events', 'verify'], follower.dataDir)).code, name).not.toBe(0);
      const kept = await adds(others[0], token, [`while-the-log-is-${name}`]);
      expect(await follower.run('rejoin')).toMatchObject({ code: 0 });
      await follower.start();
      await allHave(three, kept);
    }

    follower.kill();
    let position = 0;
    for (let n = 0; n < AWAY; n += AT_ONCE)
      position = await adds(
        others[1],
        token,
        Array.from({ length: Math.min(AT_ONCE, AWAY - n) }, (_, at) => `away-${n + at}`),
      );
    await follower.start();
    await allHave(three, position);
    const expected = [
      ...['first', 'during-a-flipped-byte', 'during-a-truncated-file', 'after-the-blocks'],
      ...damages.map(([name]) => `while-the-log-is-${name}`),
      ...Array.from({ length: AWAY }, (_, n) => `away-${n}`),
    ];
    for (const member of members) expect(await emailsAt(three, member), member.name).toStrictEqual(expected);
    expect((await cli(['events', 'verify'], follower.dataDir)).code).toBe(0);
  });
});
