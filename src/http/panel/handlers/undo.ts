import { Rejection, reject } from '../../../commands/rejection.js';
import { deletedBy, inboundsDeletedBy, type PastCommand, readCommand } from '../../../commands/undo/past-command.js';
import type { CompensatingCommand } from '../../../commands/undo/planning.js';
import { decideUndo, type FormerCounters, type Undo } from '../../../commands/undo/undo.js';
import type { ClientNumber } from '../../../events/ids.js';
import type { EventHeader, LogSearch } from '../../../events/log/log-search.js';
import type { PermissionName } from '../../../lib/permissions.js';
import { codeOf, message } from '../../../messages/message.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../../../projections/core/template.js';
import { countersBefore } from '../../../projections/statement/counters-before.js';
import { inboundsUsed } from '../../../projections/statement/inbounds-before.js';
import type { AuthRequest } from '../auth/auth-context.js';
import type { HttpRequest, Needs } from '../context.js';
import type { undoRoutes } from '../contract/undo.js';
import { isOwnActor, type LimitedView } from '../limited-view.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';

const BUILT_IN = { template: defaultTemplate, outboundTestUrl: defaultOutboundTestUrl };

export const undoHandlers: Handlers<
  typeof undoRoutes,
  Needs<'audit' | 'ledger' | 'moment' | 'rehearse'>,
  AuthRequest
> = {
  async undo({ params: { position } }, { audit, ledger, moment, rehearse }, request) {
    const { limits } = request.handling;
    const ownOnly = request.access.scopeOf('audit:undo') !== 'all';
    const known = { builtIn: BUILT_IN, undos: rehearse().state.undos };
    const past = await (ownOnly
      ? readOwnCommand(audit.log, position, known, request)
      : readCommand(audit.log, position, known));
    if (past === null && ownOnly) return reject('UNDO_NOT_OWN', { position });
    if (past === null) return reject('EVENT_UNKNOWN', { position, head: audit.log.head().position });
    const former = await formerCounters(past, ledger, moment);
    if (former instanceof Rejection) return former;
    const { actor, auth } = request;
    const context = { actor, correlationId: auth.correlationId, causationId: past.first.id };
    let undo: Undo = { commands: [], obstacles: [], forbidden: null };
    const done = await request.change(() => {
      undo = decideUndo(past, rehearse(), former, context);
      if (undo.forbidden) return undo.forbidden;
      // An own change concerns clients only, and each event about a client needs a permission of its own.
      const checked = ownOnly ? [] : undo.commands;
      const missing = checked
        .map(({ type }) => UNDO_PERMISSIONS[type])
        .find((permission) => request.access.scopeOf(permission) === null);
      if (missing) return reject('FORBIDDEN', { permission: missing });
      const [obstacle] = undo.obstacles;
      if (undo.commands.length === 0 && obstacle) return reject('UNDO_IMPOSSIBLE', { why: obstacle.why });
      return { type: 'Sequence', data: { commands: undo.commands } };
    }, past.first.id);
    if (done instanceof Rejection) return withHiddenPositions(done, past, limits);
    const text =
      undo.commands.length === 0 ? 'undo.nothingLeft' : undo.obstacles.length > 0 ? 'undo.donePartly' : 'undo.done';
    return new Message(
      message(text),
      reportOf(past, undo, request.say, (at) => limits?.hide(at) ?? at),
    );
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

/** Events about clients, and what follows from them. */
const ABOUT_CLIENTS = /^(Client[A-Z]\w+|OwnerAssigned|DataKeyDestroyed|CommandUndone)$/;

/**
 * The command at a position, for a caller who may only take back own changes: the caller gave it, it changed nothing but
 * clients, and the permission covers the clients that it deleted. Null for another command. `shown` is opaque for a caller who
 * sees only a part of the clients. Clients that were handed over since do not exist for the undo.
 */
async function readOwnCommand(
  log: LogSearch,
  shown: number,
  known: Parameters<typeof readCommand>[2],
  { access, actor, handling: { limits } }: HttpRequest,
): Promise<PastCommand | null> {
  const isOwn = (header: EventHeader): boolean => isOwnActor(access, actor, header.meta.actor);
  const position = limits ? limits.positions.reveal(shown) : shown;
  const header = position === null ? null : log.header(position);
  if (position === null || header === null || !isOwn(header)) return null;
  const past = await readCommand(log, position, known);
  // If the command was undone and done again, the last one that did it counts, which may be one of another admin.
  if (past === null || !isOwn(past.first) || !past.events.every(({ type }) => ABOUT_CLIENTS.test(type))) return null;
  const wasOwn = (number: ClientNumber): boolean => {
    const inbound = past.clients.get(number)?.before?.inbound ?? 0;
    const owner = past.owners.get(number)?.before ?? undefined;
    return (['clients:read', 'audit:undo'] as const).every((permission) => access.covers(permission, inbound, owner));
  };
  return deletedBy(past).every(wasOwn) ? past : null;
}

/** A rejection without positions that can be counted. */
function withHiddenPositions(refused: Rejection, { first }: PastCommand, limits: LimitedView | null): Rejection {
  if (limits === null || refused.code !== 'ALREADY_UNDONE') return refused;
  const by = 'by' in refused.details ? Number(refused.details.by) : 0;
  return reject('ALREADY_UNDONE', { from: limits.hide(first.position), by: limits.hide(by) });
}

function reportOf(
  { first, last }: PastCommand,
  { obstacles }: Undo,
  say: HttpRequest['say'],
  shown: (position: number) => number,
) {
  return {
    ...{ from: shown(first.position), to: shown(last.position) },
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
