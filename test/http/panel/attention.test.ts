import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, it } from 'vitest';
import { message } from '../../../src/messages/message.js';
import { DAY, inboundDraft, userId } from '../../kit/builders.js';
import { startPanel } from '../kit/panel.js';

const headers = { authorization: 'Bearer secret-token' };
const EXPIRES = Date.UTC(2027, 0, 1);

it('what needs attention are certificates of the servers, and inbounds that the core rejects', async () => {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const attention = async () => (await panel.call('GET', '/panel/api/server/attention', { headers })).json?.obj;
  expect(await attention()).toStrictEqual({
    ...{ certificates: [], inboundCertificates: [], refusedInbounds: [] },
    ...{ webhooks: [], failingHeadSinks: [], headConflicts: [] },
  });

  const files = { webCertFile: '/c.pem', webKeyFile: '/k.pem', subCertFile: '/c.pem', subKeyFile: '/k.pem' };
  panel.given({ type: 'ChangeSettings', data: { changes: files } });
  const loaded = { fingerprint: 'ab'.repeat(32), subject: 'example.com', expiresAt: EXPIRES };
  panel.given({ type: 'RecordCertificateLoaded', data: { server: 'panel', ...loaded } });
  const reason = message('core.memberNotObject', { key: 'x' });
  const rejected = { certFile: '/c.pem', keyFile: '/k.pem', reason };
  panel.given({ type: 'RecordCertificateRejected', data: { server: 'subscription', ...rejected } });
  panel.given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  const [inbound] = panel.read.inbounds.all();
  if (!inbound) expect.fail('there is no inbound');
  panel.given({ type: 'RecordInboundRejected', data: { inbound: inbound.id, reason } });
  const problem = { problem: '"x" must be an object', problemCode: 'core.memberNotObject' };
  expect(await attention()).toStrictEqual({
    certificates: [
      { server: 'panel', expiresAt: EXPIRES, problem: '', problemCode: null },
      { server: 'subscription', expiresAt: 0, ...problem },
    ],
    inboundCertificates: [],
    refusedInbounds: [{ id: inbound.id, remark: inbound.remark, tag: inbound.tag, ...problem }],
    ...{ webhooks: [], failingHeadSinks: [], headConflicts: [] },
  });

  panel.given({ type: 'RecordInboundAccepted', data: { inbound: inbound.id } });
  panel.given({ type: 'ChangeSettings', data: { changes: { subEnable: false } } });
  expect(await attention()).toMatchObject({ certificates: [{ server: 'panel' }], refusedInbounds: [] });
});

it('what needs attention includes when the certificates of inbounds expire, from files and from lines', async () => {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const folder = await mkdtemp(join(tmpdir(), 'portolan-attention-'));
  try {
    const [soon, later] = [EXPIRES, EXPIRES + DAY];
    const made = await Promise.all(
      [soon, later].map((notAfterDate) => generate([], { notAfterDate: new Date(notAfterDate) })),
    );
    const [file = '', lines = ''] = made.map(({ cert }) => cert);
    await writeFile(join(folder, 'cert.pem'), file);
    const tls = (...certificates: object[]) => ({ network: 'tcp', security: 'tls', tlsSettings: { certificates } });
    const add = (port: number, stream: object, enabled = true) => {
      const draft = inboundDraft({ spec: { port, tag: `in-${port}` } });
      const config = { ...draft.config, stream } as typeof draft.config;
      panel.given({ type: 'AddInbound', data: { owner: userId(1), ...draft, config, enabled } });
    };
    add(4001, tls({ certificateFile: join(folder, 'cert.pem') }, { certificate: lines.split('\n') }));
    add(4002, tls({ certificate: lines.split('\n') }));
    add(4003, tls({ certificateFile: join(folder, 'missing.pem') }));
    add(4004, tls({ certificate: lines.split('\n') }), false);
    const { json } = await panel.call('GET', '/panel/api/server/attention', { headers });
    const attention = json?.obj as { inboundCertificates: { id: number; expiresAt: number }[] };
    expect(attention.inboundCertificates.map(({ id, expiresAt }) => [id, expiresAt])).toStrictEqual([
      [1, soon],
      [2, later],
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
