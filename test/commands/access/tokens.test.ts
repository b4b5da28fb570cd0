import { describe, it } from 'vitest';
import { AdminAccessChanged, AdminDeleted, RoleDefined } from '../../../src/events/access/access.js';
import { NO_QUOTAS } from '../../../src/events/access/access-of.js';
import { TokenCreated, TokenRevoked, TokenRotated, TokenUsed } from '../../../src/events/access/tokens.js';
import { TokenId } from '../../../src/events/ids.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { UserCreated } from '../../../src/events/user.js';
import { message } from '../../../src/messages/message.js';
import { inboundAdded, inboundId, one, otherInbound, T0, userId } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const root = UserCreated({ user: userId(1), epoch: 0, credentials: { username: 'root', passwordHash: 'hash' } });
const seller = UserCreated({ user: userId(2), epoch: 0, credentials: { username: 'seller', passwordHash: 'hash' } });
const sells = AdminAccessChanged({ user: userId(2), role: 'reseller', inbounds: [one], quotas: NO_QUOTAS });
const first = TokenId.parse(1);
const stored = { prefix: 'ptl_Ab3dEf9h', hash: 'a'.repeat(64) };
const other = { prefix: 'ptl_Zz8yXw7v', hash: 'b'.repeat(64) };
const wanted = {
  ...{ name: 'shop', role: 'support', inbounds: [], admin: null, expiresAt: 0, addresses: [], ...stored },
};
const created = ({ name, hash, ...rest } = wanted) =>
  TokenCreated({ token: first, label: { name }, secret: { hash }, ...rest });

describe('an access token', () => {
  const create = (over: object) =>
    given(root, seller, inboundAdded(), otherInbound(), sells).when({
      type: 'CreateToken',
      data: { ...wanted, ...over },
    });
  const refused = (over: object, why: ReturnType<typeof message>) => create(over).thenRejects('TOKEN_INVALID', { why });

  it('is created with a role, and for an admin with no more than that admin has', () => {
    create({}).then(created());
    const of = { role: 'reseller', inbounds: [one], admin: userId(2) };
    create({ ...of, expiresAt: T0 + 1, addresses: ['203.0.113.0/24', '2001:db8::1'] }).then(
      created({ ...wanted, ...of, expiresAt: T0 + 1, addresses: ['203.0.113.0/24', '2001:db8::1'] } as never),
    );
    refused(
      { role: 'operator', admin: userId(2) },
      message('access.tokenExceedsAdmin', { permission: 'clients:read' }),
    );
    refused({ ...of, inbounds: [one, inboundId(2)] }, message('access.tokenInboundOutside', { inbound: 2 }));
  });

  it('is refused with a reason', () => {
    refused({ name: '' }, message('access.tokenName', { most: 64 }));
    refused({ name: 'x'.repeat(65) }, message('access.tokenName', { most: 64 }));
    refused({ name: 'a\u200bb' }, message('access.tokenNameInvisible', { code: 'U+200B' }));
    refused({ role: '' }, message('access.tokenRoleMissing'));
    create({ role: 'captain' }).thenRejects('ROLE_NOT_FOUND', { role: 'captain' });
    create({ admin: userId(9) }).thenRejects('ADMIN_NOT_FOUND', { admin: 9 });
    create({ inbounds: [inboundId(9)] }).thenRejects('INBOUND_NOT_FOUND', { inbound: 9 });
    create({ role: 'reseller' }).thenRejects('ACCESS_INVALID', { why: message('access.noInbounds') });
    refused({ role: 'reseller', inbounds: [one] }, message('access.tokenAdminMissing', { role: 'reseller' }));
    refused({ expiresAt: T0 }, message('access.tokenExpiryPast', { at: T0 }));
    for (const address of ['10.0.0.1/8', '10.0.0.0/33', 'shop', ''])
      refused({ addresses: ['10.0.0.0/8', address] }, message('access.tokenAddress', { address }));
    refused(
      { addresses: Array.from({ length: 257 }, () => '10.0.0.1').map((one, i) => `${one}${i}`) },
      message('access.tokenAddresses', { most: 256 }),
    );
    given(root, created())
      .when({ type: 'CreateToken', data: { ...wanted, ...other } })
      .thenRejects('TOKEN_INVALID', { why: message('access.tokenNameTaken', { name: 'shop' }) });
  });

  it('is rotated with an overlap, used and revoked, and its number is not used again', () => {
    const rotate = (overlapHours: number) =>
      given(root, created()).when({ type: 'RotateToken', data: { token: first, overlapHours, ...other } });
    const { prefix, hash } = other;
    rotate(24).then(TokenRotated({ token: first, prefix, secret: { hash }, previousUntil: T0 + 24 * 3_600_000 }));
    rotate(721).thenRejects('TOKEN_INVALID', { why: message('access.tokenOverlap', { hours: 721, most: 720 }) });
    given(root, created())
      .when({ type: 'RecordTokenUse', data: { token: first, requests: 3 } })
      .then(TokenUsed({ token: first, requests: 3 }));
    given(root, created())
      .when({ type: 'RevokeToken', data: { token: first } })
      .then(TokenRevoked({ token: first }));
    const gone = given(root, created(), TokenRevoked({ token: first }));
    gone.when({ type: 'RevokeToken', data: { token: first } }).thenRejects('TOKEN_NOT_FOUND', { token: 1 });
    gone
      .when({ type: 'RotateToken', data: { token: first, overlapHours: 0, ...other } })
      .thenRejects('TOKEN_NOT_FOUND', { token: 1 });
    gone.when({ type: 'RecordTokenUse', data: { token: first, requests: 1 } }).thenNothing();
    gone
      .when({ type: 'CreateToken', data: wanted })
      .then({ ...created(), data: { ...created().data, token: 2 } } as never);
  });

  it('ends with its admin, and keeps its role from being deleted', () => {
    given(root, seller, inboundAdded(), created({ ...wanted, admin: userId(2) } as never))
      .when({ type: 'DeleteAdmin', data: { user: userId(2) } })
      .then(
        TokenRevoked({ token: first }),
        AdminDeleted({ user: userId(2) }),
        DataKeyDestroyed({ key: 'user:2/credentials/0', reason: 'erased' }),
      );
    const lead = RoleDefined({ role: 'lead', grants: [{ permission: 'logs:read', scope: 'all' }] });
    given(root, lead, created({ ...wanted, role: 'lead' }))
      .when({ type: 'DeleteRole', data: { role: 'lead' } })
      .thenRejects('ROLE_INVALID', { why: message('access.roleUsed', { role: 'lead', count: 1 }) });
  });
});
