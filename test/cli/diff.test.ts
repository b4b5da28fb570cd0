import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copy } from '../../src/worker/backup-work.js';
import { DAY, draft, first, inboundDraft, one, userId } from '../kit/builders.js';
import { commandLine } from '../kit/command-line.js';
import { busOver, TestLog, temporaryFolder } from '../kit/log.js';

/** A log with two clients, and the command line over it. */
function place() {
  const journal = new TestLog();
  const { must } = busOver(journal.log, journal.clock);
  must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  must({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1), draft('bob', 2)] } });
  const portolan = (...args: readonly string[]) =>
    commandLine(args, { PORTOLAN_DATA_DIR: journal.directory.root, PORTOLAN_LANG: 'en' });
  const diff = async (...args: readonly string[]) => {
    const { code, out, err } = await portolan('--json', 'diff', ...args);
    expect([code, err]).toStrictEqual([0, '']);
    const { documents, counts } = JSON.parse(out) as {
      counts: object;
      documents: { name: string; change: string; fields: { field: string }[]; events: object[] }[];
    };
    return { counts, documents };
  };
  const backup = (passphrase = '') => {
    const file = join(temporaryFolder(), 'backup.db');
    const { root } = journal.directory;
    copy({ root, file, passphrase, release: '1', now: journal.clock.now() });
    return file;
  };
  return { journal, must, portolan, diff, backup, head: () => journal.log.head().position };
}

describe('portolan diff', () => {
  it('shows what changed between two positions, beside the process that writes', async () => {
    const { must, portolan, head } = place();
    const from = head();
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    const to = head();
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'ann' } } });
    const { code, out } = await portolan('diff', '--from', String(from), '--to', String(to));
    expect(code).toBe(0);
    expect(out).toContain('Added: 0, removed: 1, changed: 0\n\n- client bob (#2): removed\n');
    expect(out).toContain(`ClientDeleted by user root (#${to})`);
  });

  it('can be limited to a noun and to a client', async () => {
    const { must, diff, head } = place();
    const from = String(head());
    must({ type: 'DeleteClients', data: { clients: [first] } });
    must({ type: 'ChangeSettings', data: { changes: { pageSize: 17 } } });
    expect((await diff('--from', from, '--noun', 'settings')).documents).toMatchObject([
      { noun: 'settings', fields: [{ field: 'pageSize', before: 25, after: 17 }] },
    ]);
    expect((await diff('--from', from, '--client', 'ann')).documents).toMatchObject([{ name: 'ann' }]);
    expect((await diff('--from', from, '--client', 'bob')).documents).toStrictEqual([]);
  });

  it('compares two backups, and a backup with the panel', async () => {
    const { must, diff, backup } = place();
    const older = backup();
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    const newer = backup();
    must({ type: 'ChangeSettings', data: { changes: { pageSize: 17 } } });
    const between = await diff('--from-backup', older, '--to-backup', newer);
    expect(between.documents).toMatchObject([
      { name: 'bob', change: 'removed', events: [{ type: 'ClientDeleted', by: 'user root' }] },
    ]);
    expect((await diff('--from-backup', newer)).documents).toMatchObject([{ noun: 'settings', change: 'changed' }]);
  });

  it('does not show from a backup what the panel has erased since', async () => {
    const { journal, must, diff, backup } = place();
    const older = backup();
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    journal.clock.advance(31 * DAY);
    must({ type: 'EraseDeleted', data: {} });
    const { documents } = await diff('--from-backup', older, '--noun', 'client');
    expect(documents).toMatchObject([{ name: 'erased-2', change: 'removed' }]);
    expect(JSON.stringify(documents)).not.toContain('bob');
  });

  it('compares backups of different panels without events', async () => {
    const [one, other] = [place(), place()];
    other.must({ type: 'ChangeSettings', data: { changes: { pageSize: 17 } } });
    const { documents } = await one.diff('--to-backup', other.backup(), '--noun', 'settings');
    expect(documents).toMatchObject([{ fields: [{ field: 'pageSize', position: null }], events: [] }]);
  });

  it('opens a sealed backup with its passphrase only', async () => {
    const { must, diff, backup, portolan } = place();
    const sealed = backup('correct horse');
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    const secret = join(temporaryFolder(), 'passphrase');
    writeFileSync(secret, 'correct horse\n', { mode: 0o600 });
    expect((await diff('--from-backup', sealed, '--passphrase-file', secret)).documents).toHaveLength(1);
    const refused = await portolan('diff', '--from-backup', sealed);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('passphrase');
  });

  it.each([
    [[], 'both moments are the end of the log'],
    [['--from', '9999'], '"9999"'],
    [['--from', '3', '--to', '1'], 'exchange them'],
    [['--from', '1', '--noun', 'users'], '"users"'],
    [['--from', '1', '--client', ''], '--client'],
  ])('is refused for %j', async (args, part) => {
    const { code, err } = await place().portolan('diff', ...args);
    expect([code, err.includes(part) || err]).toStrictEqual([2, true]);
  });
});
