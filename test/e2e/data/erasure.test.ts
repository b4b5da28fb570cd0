import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutCore } from '../../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { type Added, addInbound, clientBody, keyOf, recorded, until, wireOf } from '../support.js';

const NO_CERTIFICATE = { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} };
const SUITE = 'erased personal data';

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const [alice, other] = [makeClient(), makeClient()];
  const former = { ...alice };
  let panel: PanelProcess;
  let admin: Admin;
  let added: Added;

  beforeAll(async () => {
    panel = await startPanel();
    admin = await panel.admin();
    const context = makeContext({ certificate: NO_CERTIFICATE, realityTarget: '', targetPort: 9 });
    added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice, other]);
    // The core starts with both of them in its configuration.
    await must(admin.post('/panel/api/server/restartCoreService'));
    await running();
  });
  afterAll(() => panel?.cleanUp());

  const running = () =>
    until('the core runs', async () => {
      const { obj } = await admin.get<{ core: { state: string } }>('/panel/api/server/status');
      return obj.core.state === 'running';
    });

  function wrappedKey(id: string): Buffer | null {
    const db = new Database(join(panel.dataDir, 'events.db'), { readonly: true });
    try {
      return db.prepare<[string], Buffer | null>('SELECT wrapped FROM keys WHERE id = ?').pluck().get(id) ?? null;
    } finally {
      db.close();
    }
  }

  /** Empty for a file that was renamed after it was listed: the panel writes a new file beside the old one. */
  function contentOf(file: string): Buffer {
    try {
      return readFileSync(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
  }

  /** The files of the data directory that contain a text. */
  function filesWith(wanted: Buffer | string): string[] {
    return readdirSync(panel.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => contentOf(file).includes(wanted))
      .map((file) => relative(panel.dataDir, file));
  }

  it('is in no file of the data directory, while the panel and its core keep running', async () => {
    const key = wrappedKey('client:1/1') ?? expect.fail('there is no key');
    expect(filesWith(key)).not.toEqual([]);
    const renewed = { ...makeClient(), email: alice.email, subId: alice.subId };
    const path = `/panel/api/inbounds/updateClient/${keyOf(added.one, alice)}`;
    await must(admin.post(path, clientBody(added.id, wireOf(added.one, renewed))));
    await until('nothing has the key any more', () => filesWith(key).length === 0);
    await until('nothing has the id any more', () => filesWith(former.id).length === 0);
    expect(recorded(panel.dataDir, 'DataKeyDestroyed').map(({ data }) => data.key)).toContain('client:1/1');
    // The data of a client with an existing key is not in plain text either.
    expect(filesWith(other.id)).toEqual([]);
  });

  it('is in no file or snapshot after an erasure on the command line', async () => {
    await panel.stop();
    const [{ data: created } = { data: { user: 0, epoch: 0 } }] = recorded(panel.dataDir, 'UserCreated');
    const key = wrappedKey(`user:${created.user}/credentials/${created.epoch}`) ?? expect.fail('there is no key');
    const snapshots = join(panel.dataDir, 'run', 'snapshots');
    expect(readdirSync(snapshots)).not.toEqual([]);
    expect(await cli(['admin', 'reset-password', panel.username], panel.dataDir)).toMatchObject({ code: 0 });
    expect(readdirSync(snapshots)).toEqual([]);
    expect(filesWith(key)).toEqual([]);
  });
});
