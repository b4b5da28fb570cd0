import { describe, it } from 'vitest';
import {
  AdminAccessChanged,
  AdminDeleted,
  OwnerAssigned,
  RoleDefined,
  RoleDeleted,
} from '../../../src/events/access/access.js';
import { NO_QUOTAS } from '../../../src/events/access/access-of.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { UserCreated } from '../../../src/events/user.js';
import { message } from '../../../src/messages/message.js';
import { alice, bob, clientAdded, first, inboundAdded, inboundId, one, second, userId } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const credentials = (username: string) => ({ username, passwordHash: 'hash' });
const root = UserCreated({ user: userId(1), epoch: 0, credentials: credentials('root') });
const helper = UserCreated({ user: userId(2), epoch: 0, credentials: credentials('helper') });
const access = { role: 'support', inbounds: [], quotas: NO_QUOTAS };
const isSupport = AdminAccessChanged({ user: userId(2), ...access });
const lead = RoleDefined({ role: 'lead', grants: [{ permission: 'logs:read', scope: 'all' }] });

describe('roles', () => {
  const save = (role: string, grants: readonly { permission: string; scope: 'all' | 'own' | 'inbounds' }[]) =>
    given(root, lead).when({ type: 'DefineRole', data: { role, grants } });
  const all = (...names: readonly string[]) => names.map((permission) => ({ permission, scope: 'all' as const }));
  const own = (...names: readonly string[]) => names.map((permission) => ({ permission, scope: 'own' as const }));

  it('are defined, redefined and deleted', () => {
    save('checker', all('nodes:read')).then(RoleDefined({ role: 'checker', grants: all('nodes:read') }));
    save('lead', all('logs:read')).thenNothing();
    given(root, lead)
      .when({ type: 'DeleteRole', data: { role: 'lead' } })
      .then(RoleDeleted({ role: 'lead' }));
  });

  it('are refused with a reason', () => {
    const refused = (role: string, grants: Parameters<typeof save>[1], why: ReturnType<typeof message>) =>
      save(role, grants).thenRejects('ROLE_INVALID', { why });
    refused('Lead!', all('logs:read'), message('access.roleName', { role: 'Lead!' }));
    refused('owner', all('logs:read'), message('access.roleBuiltIn', { role: 'owner' }));
    refused('x', [], message('access.roleEmpty'));
    refused('x', all('logs:write'), message('access.permissionUnknown', { permission: 'logs:write' }));
    refused('x', all('logs:read', 'logs:read'), message('access.permissionTwice', { permission: 'logs:read' }));
    refused('x', all('admins:update'), message('access.permissionReserved', { permission: 'admins:update' }));
    refused('x', own('nodes:read'), message('access.scopeUnsupported', { permission: 'nodes:read' }));
    refused('x', own('clients:create'), message('access.readMissing'));
    const wider = [...own('clients:read'), ...all('clients:delete')];
    refused('x', wider, message('access.scopeWider', { permission: 'clients:delete' }));
    const other = [...own('clients:read'), ...all('inbounds:read')];
    refused('x', other, message('access.showsOthers', { permission: 'inbounds:read' }));
    const hasLead = AdminAccessChanged({ user: userId(2), ...access, role: 'lead' });
    given(root, helper, lead, hasLead)
      .when({ type: 'DeleteRole', data: { role: 'lead' } })
      .thenRejects('ROLE_INVALID', { why: message('access.roleUsed', { role: 'lead', count: 1 }) });
  });
});

describe('admins', () => {
  it('get a role when they are created, and a number that was never used', () => {
    given(root, helper, AdminDeleted({ user: userId(2) }))
      .when({ type: 'CreateUser', data: { ...credentials('third'), access } })
      .then(
        UserCreated({ user: userId(3), epoch: 0, credentials: credentials('third') }),
        AdminAccessChanged({ user: userId(3), ...access }),
      );
  });

  it('do not get an unknown role, unknown inbounds, or a role for inbounds without any', () => {
    const change = (over: object) =>
      given(root, helper, inboundAdded()).when({
        type: 'ChangeAdminAccess',
        data: { user: userId(2), ...access, ...over },
      });
    change({ role: 'captain' }).thenRejects('ROLE_NOT_FOUND', { role: 'captain' });
    change({ inbounds: [inboundId(9)] }).thenRejects('INBOUND_NOT_FOUND', { inbound: 9 });
    change({ role: 'reseller' }).thenRejects('ACCESS_INVALID', { why: message('access.noInbounds') });
    change({ role: 'reseller', inbounds: [one] }).then(
      AdminAccessChanged({ user: userId(2), ...access, role: 'reseller', inbounds: [one] }),
    );
  });

  it('do not get quotas below what they own', () => {
    const owned = OwnerAssigned({ clients: [first, second], owner: userId(2) });
    given(root, helper, inboundAdded(), clientAdded(), clientAdded(bob, second), owned)
      .when({
        type: 'ChangeAdminAccess',
        data: { user: userId(2), ...access, quotas: { ...NO_QUOTAS, clients: 1 } },
      })
      .thenRejects('ACCESS_INVALID', { why: message('access.quotaBelowClients', { most: 1, present: 2 }) });
  });

  it('are not locked out: the last owner stays', () => {
    const demote = { type: 'ChangeAdminAccess', data: { user: userId(1), ...access } } as const;
    given(root, helper, isSupport).when(demote).thenRejects('LAST_OWNER');
    given(root, helper)
      .when(demote)
      .then(AdminAccessChanged({ user: userId(1), ...access }));
    given(root, helper, isSupport)
      .when({ type: 'DeleteAdmin', data: { user: userId(1) } })
      .thenRejects('LAST_OWNER');
  });

  it('leave their clients without an owner when they are deleted', () => {
    const owned = OwnerAssigned({ clients: [first], owner: userId(2) });
    given(root, helper, inboundAdded(), clientAdded(alice), owned)
      .when({ type: 'DeleteAdmin', data: { user: userId(2) } })
      .then(
        OwnerAssigned({ clients: [first], owner: null }),
        AdminDeleted({ user: userId(2) }),
        DataKeyDestroyed({ key: 'user:2/credentials/0', reason: 'erased' }),
      );
  });
});
