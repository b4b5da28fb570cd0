import { Rejection, reject } from '../../../commands/rejection.js';
import { deletedBy, inboundsDeletedBy, type PastCommand, readCommand } from '../../../commands/undo/past-command.js';
import type { CompensatingCommand } from '../../../commands/undo/planning.js';
import { decideUndo, type FormerCounters, type Undo } from '../../../commands/undo/undo.js';
import type { PermissionName } from '../../../lib/permissions.js';
import { codeOf, message } from '../../../messages/message.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../../../projections/core/template.js';
import { countersBefore } from '../../../projections/statement/counters-before.js';
import { inboundsUsed } from '../../../projections/statement/inbounds-before.js';
import type { AuthRequest } from '../auth/auth-context.js';
import type { HttpRequest, Needs } from '../context.js';
import type { undoRoutes } from '../contract/undo.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';

const BUILT_IN = { template: defaultTemplate, outboundTestUrl: defaultOutboundTestUrl };

export const undoHandlers: Handlers<
  typeof undoRoutes,
  Needs<'audit' | 'ledger' | 'moment' | 'rehearse'>,
  AuthRequest
> = {
  async undo({ params: { position } }, { audit, ledger, moment, rehearse }, request) {
    const past = await readCommand(audit.log, position, { builtIn: BUILT_IN, undos: rehearse().state.undos });
    if (past === null) return reject('EVENT_UNKNOWN', { position, head: audit.log.head().position });
    const former = await formerCounters(past, ledger, moment);
    if (former instanceof Rejection) return former;
    const { actor, auth } = request;
    const context = { actor, correlationId: auth.correlationId, causationId: past.first.id };
    let undo: Undo = { commands: [], obstacles: [], forbidden: null };
    const done = await request.change(() => {
      undo = decideUndo(past, rehearse(), former, context);
      if (undo.forbidden) return undo.forbidden;
      const missing = undo.commands
        .map(({ type }) => UNDO_PERMISSIONS[type])
        .find((permission) => request.access.scopeOf(permission) === null);
      if (missing) return reject('FORBIDDEN', { permission: missing });
      const [obstacle] = undo.obstacles;
      if (undo.commands.length === 0 && obstacle) return reject('UNDO_IMPOSSIBLE', { why: obstacle.why });
      return { type: 'Sequence', data: { commands: undo.commands } };
    }, past.first.id);
    if (done instanceof Rejection) return done;
    const text =
      undo.commands.length === 0 ? 'undo.nothingLeft' : undo.obstacles.length > 0 ? 'undo.donePartly' : 'undo.done';
    return new Message(message(text), reportOf(past, undo, request.say));
  },
};

/** What a compensating command needs: the permission of the route that does the same. The rules may need more. */
export const UNDO_PERMISSIONS: Readonly<Record<CompensatingCommand['type'], PermissionName>> = {
  RecordUndo: 'audit:undo',
  AddClients: 'clients:create',
  UpdateClient: 'clients:extend',
  MoveClients: 'clients:extend',
  DeleteClients: 'clients:delete',
  AdjustClientsTraffic: 'clients:reset',
  RestoreOwners: 'admins:update',
  RestoreInbound: 'inbounds:create',
  UpdateInbound: 'inbounds:update',
  SetInboundEnabled: 'inbounds:update',
  DeleteInbound: 'inbounds:delete',
  ResetInboundTraffic: 'inbounds:reset',
  RestoreInboundTraffic: 'inbounds:reset',
  ResetOutboundTraffic: 'core:update',
  RestoreOutboundTraffic: 'core:update',
  AddNode: 'nodes:create',
  UpdateNode: 'nodes:update',
  DeleteNode: 'nodes:delete',
  ChangeSettings: 'settings:update',
  ChangeCoreTemplate: 'core:update',
  RestartCore: 'core:run',
  DefineRole: 'admins:update',
  DeleteRole: 'admins:delete',
  ChangeAdminAccess: 'admins:update',
  ChangeToken: 'tokens:update',
  RevokeToken: 'tokens:delete',
  AddWebhook: 'webhooks:create',
  UpdateWebhook: 'webhooks:update',
  PauseWebhook: 'webhooks:update',
  ResumeWebhook: 'webhooks:update',
  DeleteWebhook: 'webhooks:delete',
  PlaceLegalHold: 'personalData:hold',
  ReleaseLegalHold: 'personalData:hold',
  AddGeoSource: 'geo:create',
  UpdateGeoSource: 'geo:update',
  DeleteGeoSource: 'geo:delete',
};

function reportOf({ first, last }: PastCommand, { obstacles }: Undo, say: HttpRequest['say']) {
  return {
    ...{ from: first.position, to: last.position },
    obstacles: obstacles.map(({ why, ...rest }) => ({ ...rest, why: say(why), whyCode: codeOf(why) })),
  };
}

/** The counters of the clients and inbounds that a command deleted, when it did so. */
async function formerCounters(
  past: PastCommand,
  ledger: Needs<'ledger'>['ledger'],
  moment: Needs<'moment'>['moment'],
): Promise<FormerCounters | Rejection> {
  const counters = await countersBefore(ledger, deletedBy(past), past.first.position);
  if (counters === 'unready') return reject('LEDGER_NOT_READY');
  if (counters === 'wrong') return reject('LEDGER_WRONG');
  const deleted = inboundsDeletedBy(past);
  const before = deleted.length > 0 ? await moment(String(past.first.position - 1)) : null;
  if (before instanceof Rejection) return before;
  return {
    clients: counters,
    inbounds: before ? inboundsUsed(before.read, deleted) : new Map(),
    access: before ? before.read.admins.access() : null,
  };
}
