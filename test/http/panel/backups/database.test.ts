import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BackupError, type Backups, type Incoming, type Replacement } from '../../../../src/commands/ports/backups.js';
import { MAX_UPLOAD_BYTES } from '../../../../src/http/panel/contract/backups/database.js';
import type { BodyError } from '../../../../src/http/server/json-body.js';
import { receiveUpload } from '../../../../src/http/server/multipart.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { temporaryFolder } from '../../../kit/log.js';
import { eventually } from '../../../kit/wait.js';
import { startPanel } from '../../kit/panel.js';

const IMPORT = '/panel/api/server/importDB';
const replacement: Replacement = {
  ...{ kind: 'portolan', sha256: 'a'.repeat(64), generation: 'g', position: 7, kept: [], report: null, origin: null },
  contents: { inbounds: 0, clients: 0, nodes: 0, admins: 1, basePath: '/' },
};

async function panelWith(over: Partial<Backups> = {}) {
  const folder = temporaryFolder();
  const uploads = (): string => join(folder, `upload-${readdirSync(folder).length}`);
  const taken: { incoming: Incoming; content: string; mode: number }[] = [];
  const backups: Backups = {
    async create() {
      const path = join(folder, 'copy.db');
      writeFileSync(path, 'x'.repeat(2_000_000));
      return {
        path,
        name: 'portolan-2026-11-21-position-9.db',
        bytes: 2_000_000,
        position: 9,
        sealed: false,
        remove: () => undefined,
      };
    },
    keep: () => Promise.reject(new Error('not used')),
    latest: () => ({ last: null, lastGood: null, next: null, late: false }),
    list: () => [],
    pathOf: () => null,
    async replace(incoming) {
      const { mode } = statSync(incoming.path);
      taken.push({ incoming, content: readFileSync(incoming.path, 'utf8'), mode: mode & 0o777 });
      return replacement;
    },
    replaceFrom: () => Promise.reject(new Error('not used')),
    ...over,
  };
  const panel = await startPanel({ parts: { backups, uploads } });
  const browser = await panel.browser().login();
  const headers = { cookie: browser.cookie, 'x-csrf-token': browser.token };
  const left = (): string[] => readdirSync(folder);
  const send = (fields: readonly (readonly [string, string | Blob, string?])[], more: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value, file] of fields)
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value, file ?? 'blob');
    return panel.call('POST', IMPORT, { headers: { ...headers, ...more }, body });
  };
  return { panel, browser, headers, taken, folder, left, send };
}

const file = (content = 'SQLite format 3'): Blob => new Blob([content]);

describe('GET getDb', () => {
  it('sends the file under a descriptive name, and keeps no copy', async () => {
    const { browser, left } = await panelWith();
    const answer = await browser.get('/panel/api/server/getDb');
    expect(answer.text).toHaveLength(2_000_000);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="portolan-2026-11-21-position-9.db"');
    expect(answer.headers.get('content-length')).toBe('2000000');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(left()).toEqual([]);
    expect((await browser.send('HEAD', '/panel/api/server/getDb')).headers.get('content-length')).toBe('2000000');
    expect(left()).toEqual([]);
  });

  it('keeps no file of a caller that disconnects', async () => {
    const { panel, headers, left } = await panelWith();
    await new Promise<void>((gone) => {
      const asked = request(`${panel.origin}/panel/api/server/getDb`, { headers }, (response) => {
        response.once('data', () => response.destroy());
        response.once('close', gone);
      });
      asked.end();
    });
    expect(left()).toEqual([]);
    expect(panel.complaints).toEqual([]);
  });

  it.each([
    ['busy', 'Another backup, import or restart is in progress: try again when it is done'],
    ['failed', 'The backup could not be made: the disk has too little room'],
  ] as const)('replies with an envelope when the panel is %s', async (kind, msg) => {
    const create = () => Promise.reject(new BackupError(kind, verbatim('the disk has too little room')));
    const { browser } = await panelWith({ create });
    const answer = await browser.get('/panel/api/server/getDb');
    const code = kind === 'busy' ? 'BACKUP_BUSY' : 'BACKUP_FAILED';
    expect(answer.json).toEqual({ success: false, msg, obj: null, code });
    // A client that saves the reply as a file must notice the error.
    expect(answer.status).toBe(503);
  });
});

describe('POST importDB', () => {
  it('stores the upload under a generated name, and deletes it after the reply', async () => {
    const { send, taken, left, folder } = await panelWith();
    const answer = await send([
      ['db', file('the whole state'), '../../../etc/passwd\u202egnp'],
      ['passphrase', 'sail by the stars'],
    ]);
    expect(answer.json).toEqual({ success: true, msg: '', obj: 'The database has been successfully imported.' });
    expect(taken).toEqual([
      {
        incoming: {
          path: join(folder, 'upload-0'),
          passphrase: 'sail by the stars',
          requestedBy: expect.objectContaining({ kind: 'user', name: 'admin' }) as unknown,
        },
        content: 'the whole state',
        mode: 0o600,
      },
    ]);
    await eventually(() => expect(left()).toEqual([]));
  });

  it('lists the settings that stay the same', async () => {
    const kept = [{ key: 'webPort', why: message('backup.keptAddress') }];
    const { send } = await panelWith({ replace: async () => ({ ...replacement, kept }) });
    expect((await send([['db', file()]])).json).toEqual({
      success: true,
      msg: 'These settings keep the values of this machine: webPort (The panel of this machine listens on this address)',
      code: 'backup.keptSettings',
      obj: 'The database has been successfully imported.',
    });
  });

  it('ends a body of unknown length soon after it is too large', async () => {
    const folder = temporaryFolder();
    const server = createServer((req, res) => {
      receiveUpload(req as Request, res as Response, {
        name: 'db',
        limit: 100_000,
        place: () => join(folder, 'file'),
      }).catch(({ status, message }: BodyError) => res.writeHead(status).end(message));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const headers = { 'content-type': 'multipart/form-data; boundary=XX' };
    const { port } = server.address() as AddressInfo;
    const sending = request({ port, method: 'POST', headers });
    sending.write('--XX\r\nContent-Disposition: form-data; name="db"; filename="a"\r\n\r\n');
    // The client would never stop sending.
    const timer = setInterval(() => sending.write(Buffer.alloc(50_000)), 10);
    const gone = new Promise<void>((closed) => sending.once('close', closed).on('error', () => undefined));
    const [status, text] = await new Promise<[number | undefined, string]>((answered) => {
      sending.once('response', (response) => {
        let body = '';
        response
          .on('data', (data: Buffer) => (body += data.toString()))
          .on('end', () => answered([response.statusCode, body]));
      });
    });
    clearInterval(timer);
    expect([status, text]).toEqual([413, 'The body is larger than 100000 bytes']);
    await gone;
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports why a file is rejected', async () => {
    const replace = () => Promise.reject(new BackupError('refused', message('backup.notSqlite')));
    const { send, left } = await panelWith({ replace });
    expect((await send([['db', file()]])).json).toMatchObject({
      success: false,
      msg: 'An error occurred while importing the database: It is not an SQLite database',
    });
    await eventually(() => expect(left()).toEqual([]));
  });

  it.each([
    ['no field', [], 200, 'The form has no file in the expected field', 'FORM_FILE_MISSING'],
    ['no file in the field', [['db', 'text']], 200, 'The form has no file in the expected field', 'FORM_FILE_MISSING'],
    [
      'a file in another field',
      [['database', file()]],
      200,
      'The form has a file in another field, or more than one',
      'FORM_FILE_UNEXPECTED',
    ],
    [
      'two files',
      [
        ['db', file()],
        ['db', file()],
      ],
      200,
      'The form has a file in another field, or more than one',
      'FORM_FILE_UNEXPECTED',
    ],
    ['an empty file', [['db', file('')]], 200, 'The file is empty', 'FILE_EMPTY'],
    [
      'fields without end',
      [...Array.from({ length: 20 }, (_, i) => [`f${i}`, 'x'] as const), ['db', file()]],
      400,
      'The form has too many fields, or fields that are too large',
      'FORM_TOO_LARGE',
    ],
    [
      'a field without end',
      [
        ['passphrase', 'x'.repeat(100_000)],
        ['db', file()],
      ],
      400,
      'The form has too many fields, or fields that are too large',
      'FORM_TOO_LARGE',
    ],
  ] as const)('rejects a form with %s', async (_, fields, status, msg, code) => {
    const { send, taken, left } = await panelWith();
    const answer = await send(fields as never);
    expect([answer.status, answer.json]).toEqual([status, { success: false, msg, obj: null, code }]);
    expect(taken).toEqual([]);
    await eventually(() => expect(left()).toEqual([]));
  });

  it('rejects a path instead of an upload', async () => {
    const { browser, taken } = await panelWith();
    const answer = await browser.post(IMPORT, { db: { path: '/etc/passwd', bytes: 1 } });
    expect([answer.status, answer.json?.success]).toEqual([200, false]);
    expect(taken).toEqual([]);
  });

  it('rejects a compressed and a truncated body', async () => {
    const { panel, headers, taken, left } = await panelWith();
    const type = 'multipart/form-data; boundary=x';
    const send = (body: Buffer, more: Record<string, string> = {}) =>
      panel.call('POST', IMPORT, {
        headers: { ...headers, 'content-type': type, ...more },
        body: new Uint8Array(body),
      });
    const form = '--x\r\ncontent-disposition: form-data; name="db"; filename="a"\r\n\r\nabc';
    expect((await send(gzipSync(`${form}\r\n--x--\r\n`), { 'content-encoding': 'gzip' })).status).toBe(415);
    for (const torn of ['', '--x', form, `${form}\r\n--y--\r\n`])
      expect((await send(Buffer.from(torn))).json).toMatchObject({ success: false, msg: expect.stringMatching(/./) });
    expect(taken).toEqual([]);
    await eventually(() => expect(left()).toEqual([]));
  });

  it('rejects a file that is too large before it is sent', async () => {
    const { panel, headers, left } = await panelWith();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${panel.origin}${IMPORT}`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': String(2 * MAX_UPLOAD_BYTES),
        },
      });
      asked.once('response', (response) => resolve(response.statusCode));
      asked.once('error', reject);
      asked.flushHeaders();
    });
    expect(status).toBe(413);
    expect(left()).toEqual([]);
  });

  it('keeps no upload of a caller that disconnects', async () => {
    const { panel, headers, left, taken } = await panelWith();
    const asked = request(`${panel.origin}${IMPORT}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
    });
    asked.on('error', () => undefined);
    asked.write('--x\r\ncontent-disposition: form-data; name="db"; filename="a"\r\n\r\n');
    asked.write('x'.repeat(300_000));
    await eventually(() => expect(left()).toHaveLength(1));
    asked.destroy();
    await eventually(() => expect(left()).toEqual([]));
    expect(taken).toEqual([]);
  });

  it('requires an admin, and rejects pages of another site', async () => {
    const { panel, headers, taken, left } = await panelWith();
    const body = (): FormData => {
      const form = new FormData();
      form.append('db', file());
      return form;
    };
    expect((await panel.call('POST', IMPORT, { body: body() })).status).toBe(404);
    expect((await panel.call('POST', IMPORT, { headers: { cookie: headers.cookie }, body: body() })).status).toBe(403);
    expect([taken, left()]).toEqual([[], []]);
  });
});

describe('GET backups', () => {
  it('reports the state of the scheduled backups', async () => {
    const lastGood = { at: 5, name: 'a.db', position: 3, bytes: 9, sealed: true };
    const status = { last: { at: 7, why: message('common.diskFull') }, lastGood, next: 11, late: true };
    const files = [{ name: 'a.db', bytes: 9, at: 5 }];
    const { browser } = await panelWith({ latest: () => status, list: () => files });
    expect((await browser.get('/panel/api/server/backups')).json?.obj).toEqual({
      ...{ ...status, files },
      last: { at: 7, why: 'the disk is full', whyCode: 'common.diskFull' },
    });
  });
});
