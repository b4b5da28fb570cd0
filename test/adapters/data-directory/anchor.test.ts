import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Anchor, type AnchorFinding, anchorProblem } from '../../../src/adapters/data-directory/anchor.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { render } from '../../../src/messages/render.js';
import { openJournal } from '../../../src/store/journal.js';
import { admin, clientAdded, inboundAdded } from '../../kit/builders.js';
import { busOver, TestLog, temporaryFolder } from '../../kit/log.js';

describe('the anchor', () => {
  it('contains the head of the log, readable only by its owner', async () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    await journal.journal.anchor.flush();
    const { generation } = journal.log;
    expect(JSON.parse(readFileSync(journal.directory.anchor, 'utf8'))).toStrictEqual({
      generation,
      ...journal.log.head(),
    });
    expect(statSync(journal.directory.anchor).mode & 0o777).toBe(0o600);
  });

  it('accepts the log for which it was written, also with more events', async () => {
    const journal = new TestLog();
    expect(journal.journal.anchor.check()).toStrictEqual({ kind: 'sound' });
    expect(journal.reopen().anchor.check()).toStrictEqual({ kind: 'sound' });
    journal.append(inboundAdded());
    await journal.journal.anchor.flush();
    journal.append(clientAdded());
    expect(journal.reopen().anchor.check()).toStrictEqual({ kind: 'sound' });
    expect(journal.journal.complaint).toBeNull();
  });

  it('follows appends, and a burst is one write', async () => {
    const journal = new TestLog();
    const { anchor } = journal.journal;
    for (let i = 0; i < 20; i += 1) {
      journal.append(inboundAdded());
      anchor.moved();
    }
    const anchored = () =>
      (JSON.parse(readFileSync(journal.directory.anchor, 'utf8')) as { position: number }).position;
    expect(anchored()).toBe(0);
    await expect.poll(anchored).toBe(20);
  });

  it('reports that it cannot be written', async () => {
    const { log } = new TestLog();
    const failures: unknown[] = [];
    const anchor = new Anchor('/nowhere/head.json', log, (error) => failures.push(error));
    anchor.moved();
    await expect.poll(() => failures.length).toBe(1);
    await expect(anchor.flush()).rejects.toThrow('ENOENT');
  });

  it('detects a database of another log', async () => {
    const [one, other] = [new TestLog(), new TestLog()];
    for (const journal of [one, other]) {
      journal.append(inboundAdded());
      await journal.journal.anchor.flush();
      journal.log.close();
    }
    copyFileSync(other.directory.database, one.directory.database);
    copyFileSync(other.directory.masterKey, one.directory.masterKey);
    const { complaint, log } = one.reopen();
    expect(complaint).toStrictEqual(message('storage.anchorSwapped'));
    const { dispatch } = busOver(log, undefined, complaint);
    expect(dispatch({ type: 'RestartCore', data: {} }, { actor: admin, correlationId: 'x' })).toMatchObject({
      code: 'STORAGE_READ_ONLY',
    });
  });

  it('detects an older copy of its own database', async () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    journal.log.close();
    const copy = `${temporaryFolder()}/copy.db`;
    copyFileSync(journal.directory.database, copy);
    journal.reopen();
    journal.append(clientAdded());
    await journal.journal.anchor.flush();
    journal.log.close();
    copyFileSync(copy, journal.directory.database);
    expect(journal.reopen().anchor.check()).toStrictEqual({ kind: 'lost', expected: 2, found: 1 });
    // Going on from there makes another history of the same length: that is noticed too.
    journal.append(inboundAdded(), inboundAdded());
    expect(journal.journal.anchor.check()).toStrictEqual({ kind: 'changed', position: 2 });
    expect(anchorProblem(journal.journal.anchor.check())).toStrictEqual(
      message('storage.anchorChanged', { position: 2 }),
    );
  });

  it('exists from the first start, so that its absence is detected after an immediate kill', () => {
    const journal = new TestLog();
    expect(existsSync(journal.directory.anchor)).toBe(true);
    journal.append(inboundAdded());
    expect(journal.reopen().complaint).toBeNull();
  });

  it('is required by a log with events, which is read-only without it', () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    rmSync(journal.directory.anchor);
    const { complaint, log } = journal.reopen();
    expect(complaint).toStrictEqual(message('storage.anchorMissing'));
    expect(existsSync(journal.directory.anchor)).toBe(false);
    const { dispatch, state } = busOver(log, undefined, complaint);
    expect(state.inbounds.size).toBe(1);
    expect(dispatch({ type: 'RestartCore', data: {} }, { actor: admin, correlationId: 'x' })).toMatchObject({
      code: 'STORAGE_READ_ONLY',
    });
  });

  it('is never read as newer than the log while a panel appends', async () => {
    const journal = new TestLog();
    for (let i = 0; i < 50; i += 1) {
      journal.append(inboundAdded());
      await journal.journal.anchor.flush();
      const looker = openJournal(journal.directory, { readonly: true });
      expect(looker.complaint).toBeNull();
      looker.log.close();
    }
  });

  it('prevents the creation of an empty log in place of a lost one', async () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    await journal.journal.anchor.flush();
    journal.log.close();
    for (const end of ['', '-wal', '-shm']) rmSync(journal.directory.database + end, { force: true });
    expect(() => journal.reopen()).toThrow(/events\.db is missing, but .*head\.json records 1 events of it/);
    expect(existsSync(journal.directory.database)).toBe(false);
    rmSync(journal.directory.anchor);
    expect(journal.reopen().complaint).toBeNull();
  });

  it('accepts the log after the loss was accepted', async () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    writeFileSync(
      journal.directory.anchor,
      JSON.stringify({ generation: journal.log.generation, position: 5, hash: 'ab' }),
    );
    expect(journal.reopen().complaint).toMatchObject({ code: 'storage.anchorLost', params: { first: 2 } });
    busOver(journal.log).must({
      type: 'AcceptLoss',
      data: { expectedPosition: 5, foundPosition: 1, previousGeneration: journal.log.generation, destroyed: [] },
    });
    await journal.journal.anchor.flush();
    expect(journal.reopen().complaint).toBeNull();
  });

  it.each(['', '{', '{"position":1}', '[]'])('causes an error when it contains %j', (content) => {
    const journal = new TestLog();
    writeFileSync(journal.directory.anchor, content);
    expect(() => journal.reopen()).toThrow('head.json does not contain the head of a log');
    rmSync(journal.directory.anchor);
    expect(journal.reopen().complaint).toBeNull();
  });

  it('has a message for every finding', () => {
    const findings: AnchorFinding[] = [
      { kind: 'lost', expected: 2, found: 1 },
      { kind: 'changed', position: 1 },
      { kind: 'swapped' },
      { kind: 'missing' },
    ];
    for (const finding of findings)
      expect(render(anchorProblem(finding) ?? verbatim(''), 'en')).toMatch(/\w{20,}|\. |: /);
    expect(anchorProblem({ kind: 'sound' })).toBeNull();
  });
});
