import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BackupError, type Replacement } from '../../../../src/commands/ports/backups.js';
import type { FileToCheck, RestoreCheck, RestoreChecks } from '../../../../src/commands/ports/restore-checks.js';
import type { ImportTotals } from '../../../../src/events/import.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { temporaryFolder } from '../../../kit/log.js';
import { ADMIN, startPanel } from '../../kit/panel.js';

const SERVER = '/panel/api/server';
const KEPT = 'portolan-2026-11-21-position-9.db';
const totals = (inbounds: number, clients: number): ImportTotals => ({
  ...{ inbounds, clients, inboundUp: 1, inboundDown: 2, clientUp: 3, clientDown: 4, outboundUp: 0, outboundDown: 0 },
});
const check: RestoreCheck = {
  ...{ id: 'one', name: null, startedAt: 5, outcome: null },
  progress: { phase: 'verifying', done: 3, total: 9 },
};
const ready: Replacement = {
  ...{ kind: '3x-ui', sha256: 'a'.repeat(64), generation: 'g', position: 7, origin: null },
  kept: [{ key: 'webPort', why: message('backup.keptAddress') }],
  report: {
    ...{ source: '3x-ui', version: '3.0', file: { sha256: 'a'.repeat(64), bytes: 5 }, found: 1 },
    tables: [{ table: 'inbounds', rows: 2, changed: 0, skipped: 1 }],
    totals: { before: totals(2, 2), after: totals(1, 2), skipped: totals(1, 0) },
    findings: [
      { table: 'inbounds', item: verbatim('inbound 6'), outcome: 'skipped', reason: message('import.template') },
    ],
  },
  contents: { inbounds: 1, clients: 2, nodes: 0, admins: 1, basePath: '/old/' },
};

interface Shown {
  readonly report: { readonly backup: { readonly newer: number | null } };
}

async function panelWith(over: Partial<RestoreChecks> = {}, current: RestoreCheck | null = check) {
  const taken: { file: FileToCheck; content: string }[] = [];
  const calls: unknown[][] = [];
  const restoreChecks: RestoreChecks = {
    begin(file) {
      const content = 'path' in file ? readFileSync(file.path, 'utf8') : '';
      if ('path' in file) renameSync(file.path, join(temporaryFolder(), 'taken'));
      taken.push({ file, content });
      return check;
    },
    current: () => current,
    async confirm(...given) {
      calls.push(['confirm', ...given]);
      return ready;
    },
    discard: (...given) => void calls.push(['discard', ...given]),
    ...over,
  };
  const panel = await startPanel({ parts: { restoreChecks } });
  const browser = await panel.browser().login();
  return { panel, browser, taken, calls };
}

describe('the check of a file for a restore', () => {
  it('takes an upload, and is asked for its progress', async () => {
    const { panel, browser, taken } = await panelWith();
    const body = new FormData();
    body.append('passphrase', 'sail by the stars');
    body.append('db', new Blob(['SQLite format 3']), 'mine.db');
    const headers = { cookie: browser.cookie, 'x-csrf-token': browser.token };
    const { json } = await panel.call('POST', `${SERVER}/checkDB`, { headers, body });
    const shown = {
      ...{ id: 'one', name: null, startedAt: 5, phase: 'verifying', done: 3, total: 9 },
      ...{ why: null, whyCode: null, report: null },
    };
    expect(json).toEqual({ success: true, msg: '', obj: shown });
    const requestedBy = expect.objectContaining({ kind: 'user', name: ADMIN.username }) as unknown;
    expect(taken).toMatchObject([
      { file: { passphrase: 'sail by the stars', requestedBy }, content: 'SQLite format 3' },
    ]);
    expect((await browser.get(`${SERVER}/restore`)).json?.obj).toEqual(shown);
    expect(panel.appended()).toEqual([]);
  });

  it('takes a kept backup by its name', async () => {
    const { browser, taken } = await panelWith();
    await browser.post(`${SERVER}/backups/check`, { name: KEPT, passphrase: '' });
    expect(taken).toMatchObject([{ file: { kept: KEPT } }]);
  });

  it('is refused while another one runs, and for an unknown name', async () => {
    let error = new BackupError('busy', message('BACKUP_BUSY'));
    const begin = () => {
      throw error;
    };
    const { browser } = await panelWith({ begin });
    const ask = async () => (await browser.post(`${SERVER}/backups/check`, { name: KEPT })).json;
    expect(await ask()).toMatchObject({ success: false, code: 'BACKUP_BUSY' });
    error = new BackupError('refused', message('backup.notKept', { name: 'x' }));
    expect(await ask()).toMatchObject({ success: false, code: 'IMPORT_REFUSED' });
  });

  it('reports numbers and findings in the language of the caller', async () => {
    const { panel, browser } = await panelWith({}, { ...check, outcome: { ready } });
    panel.given({ type: 'CreateUser', data: { username: 'second', passwordHash: 'x' } });
    const { obj } = (await browser.get(`${SERVER}/restore`, { 'accept-language': 'en' })).json ?? {};
    expect(obj).toMatchObject({
      phase: 'ready',
      report: {
        ...{ kind: '3x-ui', backup: null, basePath: '/old/' },
        before: { inbounds: 0, clients: 0, nodes: 0, admins: 2 },
        after: { inbounds: 1, clients: 2, nodes: 0, admins: 1 },
        kept: [{ key: 'webPort', why: 'The panel of this machine listens on this address' }],
        import: {
          ...{ version: '3.0', found: 1, before: { inbounds: 2 }, after: { inbounds: 1 }, skipped: { inbounds: 1 } },
          findings: [{ table: 'inbounds', item: 'inbound 6', outcome: 'skipped' }],
        },
      },
    });
    expect(JSON.stringify(obj)).not.toContain('generation');
  });

  it('counts the events that a backup of this log does not have', async () => {
    const origin = { generation: '', position: 1, madeAt: 3, release: '1.2.3' };
    const backup: Replacement = { ...ready, kind: 'portolan', report: null, origin };
    const parts = (outcome: Replacement) => panelWith({}, { ...check, outcome: { ready: outcome } });
    const newerIn = async ({ browser }: Awaited<ReturnType<typeof parts>>) => {
      const obj = (await browser.get(`${SERVER}/restore`)).json?.obj as Shown | undefined;
      return obj?.report.backup.newer;
    };
    expect(await newerIn(await parts(backup))).toBeNull();
    const own = await panelWith({ current: () => ({ ...check, outcome: { ready: { ...backup, origin: here() } } }) });
    const here = () => ({ ...origin, generation: own.panel.log.generation });
    const { position } = own.panel.log.head();
    expect(await newerIn(own)).toBe(position - 1);
  });

  it('shows why a file was refused', async () => {
    const { browser } = await panelWith({}, { ...check, outcome: { refused: message('backup.notSqlite') } });
    expect((await browser.get(`${SERVER}/restore`)).json?.obj).toMatchObject({
      ...{ phase: 'refused', why: 'It is not an SQLite database', whyCode: 'backup.notSqlite', report: null },
    });
  });

  it('is confirmed or discarded by its id', async () => {
    const { browser, calls } = await panelWith();
    expect((await browser.post(`${SERVER}/restore`, { id: 'one' })).json).toMatchObject({ success: true });
    expect((await browser.post(`${SERVER}/restore/discard`, { id: 'one' })).json).toMatchObject({ success: true });
    const actor = expect.objectContaining({ name: ADMIN.username }) as unknown;
    expect(calls).toEqual([
      ['confirm', 'one', actor],
      ['discard', 'one', actor],
    ]);
    const gone = () => Promise.reject(new BackupError('refused', message('backup.checkGone')));
    const { browser: other } = await panelWith({ confirm: gone });
    expect((await other.post(`${SERVER}/restore`, { id: 'two' })).json).toMatchObject({
      ...{ success: false, code: 'IMPORT_REFUSED' },
    });
  });
});

describe('a kept backup', () => {
  it('is downloaded, and stays', async () => {
    const { panel, browser } = await panelWith();
    const { backups } = panel.directory;
    mkdirSync(backups, { recursive: true });
    writeFileSync(join(backups, KEPT), 'the whole state');
    const answer = await browser.get(`${SERVER}/backups/${KEPT}`);
    expect([answer.status, answer.text]).toEqual([200, 'the whole state']);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${KEPT}"`);
    expect(existsSync(join(backups, KEPT))).toBe(true);
    expect(panel.appended()).toEqual([]);
  });

  it.each(['..%2Fevents.db', '%2Fetc%2Fpasswd', 'keys', 'portolan-2026-11-21-position-10.db'])(
    'is not %s',
    async (name) => {
      const { browser } = await panelWith();
      const answer = await browser.get(`${SERVER}/backups/${name}`);
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ success: false, code: 'BACKUP_NOT_FOUND' });
    },
  );

  it('is made on request', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const keep = panel.services.backups.keep.bind(panel.services.backups);
    panel.services.backups.keep = async () => {
      panel.given({ type: 'RecordBackupFailed', data: { reason: verbatim('no space') } });
      throw new BackupError('failed', verbatim('no space'));
    };
    expect((await browser.post(`${SERVER}/backups/make`)).json).toMatchObject({
      ...{ success: false, code: 'BACKUP_FAILED', msg: 'The backup could not be made: no space' },
    });
    expect(panel.appended()).toMatchObject([{ type: 'BackupFailed' }]);
    panel.services.backups.keep = keep;
  });
});
