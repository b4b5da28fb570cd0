import { describe, it } from 'vitest';
import {
  CoreDriftRepaired,
  CoreFailed,
  CoreRestartRequested,
  CoreStarted,
  CoreStopped,
  CoreStopRequested,
  CoreTemplateChanged,
  InboundAcceptedByCore,
  InboundRejectedByCore,
} from '../../src/events/core.js';
import { InboundDeleted } from '../../src/events/inbound/inbound.js';
import { DataKeyDestroyed, LogLossAccepted, PanelStarted, PanelStopped } from '../../src/events/panel.js';
import {
  ApiTokenIssued,
  LoggedIn,
  LoggedOut,
  LoginFailed,
  SessionsRevoked,
  UserCreated,
  UserCredentialsChanged,
} from '../../src/events/user.js';
import { verbatim } from '../../src/messages/message.js';
import { caused, DAY, inboundAdded, one, T0, userId } from '../kit/builders.js';
import { given } from '../kit/spec.js';

const root = (epoch = 0, username = 'root') => ({
  user: userId(1),
  epoch,
  credentials: { username, passwordHash: `hash-${epoch}` },
});
const created = UserCreated(root());
const other = UserCreated({ user: userId(2), epoch: 0, credentials: { username: 'eve', passwordHash: 'x' } });

describe('CreateUser', () => {
  const create = (username: string) => ({ type: 'CreateUser', data: { username, passwordHash: 'hash-0' } }) as const;

  it('creates the first account and further ones', () => {
    given().when(create('root')).then(created);
    given(created)
      .when(create('amy'))
      .then(UserCreated({ user: userId(2), epoch: 0, credentials: { username: 'amy', passwordHash: 'hash-0' } }));
  });

  it('rejects a taken name', () => {
    given(created).when(create('root')).thenRejects('USER_EXISTS', { username: 'root' });
  });
});

describe('ChangeCredentials', () => {
  const change = (username: string) =>
    ({ type: 'ChangeCredentials', data: { user: userId(1), username, passwordHash: 'hash-1' } }) as const;

  it('raises the epoch and destroys the key of the former credentials', () => {
    given(created)
      .when(change('root'))
      .then(UserCredentialsChanged(root(1)), DataKeyDestroyed({ key: 'user:1/credentials/0', reason: 'rotated' }));
  });

  it('rejects the name of another account, and an unknown account', () => {
    given(created, other).when(change('eve')).thenRejects('USER_EXISTS', { username: 'eve' });
    given().when(change('root')).thenRejects('CREDENTIALS_WRONG');
  });
});

describe('sessions', () => {
  const session = { idHash: 'ab', csrfToken: 'cd', device: 'Firefox' };
  const login = { type: 'RecordLogin', data: { user: userId(1), session, expiresAt: T0 + 1 } } as const;

  it('begin at the epoch of the account', () => {
    given(created, UserCredentialsChanged(root(1)))
      .when(login)
      .then(LoggedIn({ user: userId(1), epoch: 1, session, expiresAt: T0 + 1 }));
    given().when(login).thenRejects('CREDENTIALS_WRONG');
  });

  it('of one account end all at once', () => {
    const end = { type: 'EndSessions', data: { user: userId(1) } } as const;
    given(created, UserCredentialsChanged(root(1)))
      .when(end)
      .then(SessionsRevoked({ user: userId(1), epoch: 2, reason: 'requested' }));
    given().when(end).thenRejects('CREDENTIALS_WRONG');
  });

  it('end, and failures are counted', () => {
    const out = { user: userId(1), session: { idHash: 'ab' } };
    given(created).when({ type: 'RecordLogout', data: out }).then(LoggedOut(out));
    const failed = { attempt: { username: 'x', ip: '::1' }, reason: 'locked', count: 3 } as const;
    given().when({ type: 'RecordLoginFailures', data: failed }).then(LoginFailed(failed));
  });
});

describe('IssueApiToken', () => {
  const issue = (token: string, replace: boolean) => ({ type: 'IssueApiToken', data: { token, replace } }) as const;
  const issued = (token: string, keyVersion: number) => ApiTokenIssued({ keyVersion, secret: { token } });

  it('creates a token if there is none', () => {
    given().when(issue('a', false)).then(issued('a', 1));
  });

  it('keeps the existing token unless a replacement is requested', () => {
    given(issued('a', 1)).when(issue('b', false)).thenNothing();
    given(issued('a', 1))
      .when(issue('b', true))
      .then(issued('b', 2), DataKeyDestroyed({ key: 'api-token/1', reason: 'rotated' }));
  });
});

describe('core commands', () => {
  const started = CoreStarted({ run: 'r1', version: '26', reason: 'start' });
  const stop = { type: 'StopCore', data: {} } as const;

  it('record a stop request unless already stopped', () => {
    given(started).when(stop).then(CoreStopRequested({}));
    given().when(stop).then(CoreStopRequested({}));
    given(CoreStopRequested({})).when(stop).thenRejects('CORE_NOT_RUNNING');
    given(CoreStopRequested({}), CoreRestartRequested({})).when(stop).then(CoreStopRequested({}));
  });

  it('record a start request', () => {
    given().when({ type: 'RestartCore', data: {} }).then(CoreRestartRequested({}));
  });

  it('record starts, stops, failures and repaired drift', () => {
    given().when({ type: 'RecordCoreStarted', data: started.data }).then(started);
    const stopped = { run: 'r1', reason: 'request' } as const;
    given(started).when({ type: 'RecordCoreStopped', data: stopped }).then(CoreStopped(stopped));
    given(started, CoreStopped(stopped)).when({ type: 'RecordCoreStopped', data: stopped }).thenNothing();
    const failed = { run: 'r1', reason: verbatim('killed') };
    given(started).when({ type: 'RecordCoreFailed', data: failed }).then(CoreFailed(failed));
    const drift = { inboundTags: ['in-1'], clientCount: 2 };
    given(started).when({ type: 'RecordCoreDrift', data: drift }).then(CoreDriftRepaired(drift));
  });

  it('record a rejected inbound once per reason, and its acceptance once', () => {
    const refuse = { type: 'RecordInboundRejected', data: { inbound: one, reason: verbatim('no') } } as const;
    const accept = { type: 'RecordInboundAccepted', data: { inbound: one } } as const;
    const refused = InboundRejectedByCore(refuse.data);
    given(inboundAdded()).when(refuse).then(refused);
    given(inboundAdded(), refused).when(refuse).thenNothing();
    const other = { inbound: one, reason: verbatim('another no') };
    given(inboundAdded(), refused)
      .when({ type: 'RecordInboundRejected', data: other })
      .then(InboundRejectedByCore(other));
    given(inboundAdded(), refused)
      .when(accept)
      .then(InboundAcceptedByCore({ inbound: one }));
    given(inboundAdded(), refused, InboundAcceptedByCore({ inbound: one }))
      .when(accept)
      .thenNothing();
    given(inboundAdded(), refused, InboundDeleted({ inbound: one }))
      .when(accept)
      .thenNothing();
  });
});

describe('ChangeCoreTemplate', () => {
  const change = (template: Record<string, string>, outboundTestUrl = 'https://x') =>
    ({ type: 'ChangeCoreTemplate', data: { template, outboundTestUrl } }) as const;
  const changed = (template: Record<string, string>, keyVersion: number, outboundTestUrl = 'https://x') =>
    CoreTemplateChanged({ keyVersion, template, outboundTestUrl });

  it('records a new template; the key of the former one is destroyed as late as that of deleted items', () => {
    given()
      .when(change({ a: '1' }))
      .then(changed({ a: '1' }, 1));
    given(changed({ a: '1' }, 1))
      .when(change({ a: '2' }))
      .then(changed({ a: '2' }, 2));
    given(changed({ a: '1' }, 1))
      .when(change({ a: '1' }, 'https://y'))
      .then(changed({ a: '1' }, 2, 'https://y'));
    const erase = { type: 'EraseDeleted', data: {} } as const;
    const former = [changed({ a: '1' }, 1), changed({ a: '2' }, 2), changed({ a: '3' }, 3)];
    given(...former)
      .when(erase, { now: T0 + 30 * DAY - 1 })
      .thenNothing();
    const shredded = [1, 2].map((version) => DataKeyDestroyed({ key: `core/template/${version}`, reason: 'erased' }));
    given(...former)
      .when(erase, { now: T0 + 30 * DAY })
      .then(...shredded);
    given(...former, ...shredded)
      .when(erase, { now: T0 + 30 * DAY })
      .thenNothing();
  });

  it('does nothing for the same template', () => {
    given(changed({ a: '1', b: '2' }, 1))
      .when(change({ b: '2', a: '1' }))
      .thenNothing();
  });
});

describe('panel commands', () => {
  it('record starts, stops and an accepted loss', () => {
    given()
      .when({ type: 'RecordPanelStarted', data: { version: '1' } })
      .then(PanelStarted({ version: '1' }));
    given().when({ type: 'RecordPanelStopped', data: {} }).then(PanelStopped({}));
    const loss = { expectedPosition: 9, foundPosition: 7, previousGeneration: 'before' };
    given()
      .when({ type: 'AcceptLoss', data: { ...loss, destroyed: ['client:1/1'] } })
      .then(LogLossAccepted(loss), caused(0, DataKeyDestroyed({ key: 'client:1/1', reason: 'erased' })));
  });
});
