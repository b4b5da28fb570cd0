import { expect, it } from 'vitest';
import { message } from '../../../src/messages/message.js';
import { inboundDraft, userId } from '../../kit/builders.js';
import { startPanel } from '../kit/panel.js';

const headers = { authorization: 'Bearer secret-token' };
const EXPIRES = Date.UTC(2027, 0, 1);

it('what needs attention are certificates of the servers, and inbounds that the core rejects', async () => {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const attention = async () => (await panel.call('GET', '/panel/api/server/attention', { headers })).json?.obj;
  expect(await attention()).toStrictEqual({
    ...{ certificates: [], refusedInbounds: [], webhooks: [], failingHeadSinks: [], headConflicts: [] },
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
    refusedInbounds: [{ id: inbound.id, remark: inbound.remark, tag: inbound.tag, ...problem }],
    ...{ webhooks: [], failingHeadSinks: [], headConflicts: [] },
  });

  panel.given({ type: 'RecordInboundAccepted', data: { inbound: inbound.id } });
  panel.given({ type: 'ChangeSettings', data: { changes: { subEnable: false } } });
  expect(await attention()).toMatchObject({ certificates: [{ server: 'panel' }], refusedInbounds: [] });
});
