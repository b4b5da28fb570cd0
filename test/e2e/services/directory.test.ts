import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sameJson } from '../../../src/lib/json.js';
import { message } from '../../../src/messages/message.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { untilComplete } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { BASE_DN, BIND_DN, BIND_PASSWORD, type Slapd, startSlapd, withoutSlapd } from '../../kit/real/servers/slapd.js';
import { download, moved, startTransfer } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { addInbound, clientBody, recorded, subscription, template, until, wireOf } from '../support.js';

const TAG = 'from-directory';

interface Row {
  email: string;
  enable: boolean;
  subId: string;
}

const SUITE = 'synchronization with a real LDAP directory';
describe.skipIf(withoutSlapd(SUITE) || withoutCore(SUITE))(SUITE, () => {
  const manual = makeClient({ email: 'made-by-hand' });
  const clients: ClientCore[] = [];
  let targets: Targets;
  let slapd: Slapd;
  let panel: PanelProcess;
  let admin: Admin;
  let inbound: number;

  beforeAll(async () => {
    [targets, slapd] = await Promise.all([startTargets(), startSlapd()]);
    await slapd.add({ uid: 'operator', mail: 'operator@example.org', userPassword: 'a directory password' });
    panel = await startPanel({ env: { NODE_EXTRA_CA_CERTS: slapd.certificate.certFile } });
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    const one = inboundCase(makeContext({ ...targets, targetPort: targets.port }), 'vless-tcp');
    const tagged = { ...one, body: (...args: Parameters<typeof one.body>) => ({ ...one.body(...args), tag: TAG }) };
    inbound = (await addInbound(admin, tagged, [manual])).id;
    const settings = {
      pollSeconds: 1,
      ldapEnable: true,
      ldapHost: 'localhost',
      ldapPort: slapd.tlsPort,
      ldapUseTLS: true,
      ldapBindDN: BIND_DN,
      ldapPassword: BIND_PASSWORD,
      ldapBaseDN: BASE_DN,
      ldapUserFilter: '(employeeType=*)',
      ldapUserAttr: 'mail',
      ldapFlagField: 'employeeType',
      ldapSyncCron: '@every 1s',
      ldapInboundTags: TAG,
      ldapAutoCreate: true,
      ldapAutoDelete: true,
    };
    await must(admin.post('/panel/setting/update', settings));
  });

  afterAll(async () => {
    await Promise.all([...clients.map((one) => one.stop()), panel?.cleanUp(), slapd?.cleanUp(), targets?.stop()]);
  });

  const rows = async (): Promise<Row[]> => {
    const { settings } = await must(admin.get<{ settings: string }>(`/panel/api/inbounds/get/${inbound}`));
    return (JSON.parse(settings) as { clients: Row[] }).clients;
  };
  const row = async (email: string) => (await rows()).find((one) => one.email === email);
  const outcomes = () => recorded(panel.dataDir, 'DirectorySynced').map(({ data }) => data);
  const entry = (uid: string, employeeType: string) => ({ uid, mail: `${uid}@example.org`, employeeType });

  it('adds a client from the directory, and disconnects it when its flag is cleared', async () => {
    await slapd.add(entry('alice', 'on'), entry('bob', 'off'));
    const alice = await until('alice is a client', () => row('alice@example.org'));
    expect(alice).toMatchObject({ enable: true, subId: expect.stringMatching(/^\w{16}$/) as string });
    expect(await row('bob@example.org')).toBeUndefined();
    const [link = ''] = await subscription(panel, alice.subId);
    const client = await startClientCore([link]);
    clients.push(client);
    const fetch = () => download(client.socksPort(0), `${targets.url}/bytes/100000`, { totalMs: 4_000 });
    await untilComplete('traffic flows', fetch);

    const slow = startTransfer(client.socksPort(0), `${targets.url}/slow?rate=200000`);
    await moved(slow, 1);
    await slapd.set('alice', 'employeeType', 'off');
    await until('alice is disabled', async () => (await row('alice@example.org'))?.enable === false);
    await until('the connection is cut', () => slow.isCut());
    await slapd.set('alice', 'employeeType', 'on');
    await until('alice is enabled', async () => (await row('alice@example.org'))?.enable === true);
    await untilComplete('traffic flows again', fetch);
  });

  it('keeps all clients connected while the directory is unreachable, and reports that once', async () => {
    const before = outcomes().length;
    await slapd.stop();
    await until('it is said', () => sameJson(outcomes().at(-1)?.error, message('directory.portClosed')));
    expect((await rows()).map(({ email, enable }) => [email, enable])).toEqual([
      [manual.email, true],
      ['alice@example.org', true],
    ]);
    expect((await new Admin(panel.url, { username: panel.username, password: panel.password }).login()).success).toBe(
      true,
    );
    await slapd.start();
    await until('it is well again', () => outcomes().at(-1)?.error === null);
    expect(outcomes().length - before).toBe(2);
  });

  it('disables clients that left the directory, except those that were added by hand', async () => {
    await slapd.add(entry('carol', 'on'));
    await until('carol is a client', () => row('carol@example.org'));
    const dora = makeClient({ email: 'dora' });
    const body = clientBody(
      inbound,
      wireOf(inboundCase(makeContext({ ...targets, targetPort: 1 }), 'vless-tcp'), dora),
    );
    await must(admin.post('/panel/api/inbounds/addClient', body));
    await slapd.remove('alice');
    await until('alice is gone', async () => !(await row('alice@example.org')));
    expect((await rows()).map(({ email }) => email)).toEqual([manual.email, 'carol@example.org', 'dora']);
    const [gone] = recorded(panel.dataDir, 'ClientDeleted');
    expect(gone?.meta.actor).toEqual({ kind: 'system', id: 'directory', name: 'directory', ip: null });
  });

  it('logs an admin in through the directory, over TLS', async () => {
    const changes = { ldapUserAttr: 'uid', ldapUserFilter: '(objectClass=person)', ldapInboundTags: '' };
    await must(admin.post('/panel/setting/update', changes));
    const login = (password: string) => new Admin(panel.url, { username: panel.username, password }).login();
    expect(panel.username).toBe('operator');
    expect(await login('a directory password')).toMatchObject({ success: true });
    expect(await login('the sea is deep')).toMatchObject({ success: false });
    expect(await login(panel.password)).toMatchObject({ success: true });
  });

  it('keeps the bind password and the names of clients out of log lines and unsealed events', () => {
    const said = panel.stdout() + panel.stderr();
    for (const secret of [BIND_PASSWORD, 'a directory password']) expect(said).not.toContain(secret);
    expect(JSON.stringify(outcomes())).not.toContain('@example.org');
  });
});
