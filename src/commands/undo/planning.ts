import type { Client } from '../../events/client/client-document.js';
import { sameJson } from '../../lib/json.js';
import { message, type Text } from '../../messages/message.js';
import type { SingleCommand } from '../catalog.js';

/** Something that cannot be taken back, or only by losing what was changed since. */
export interface Obstacle {
  /** Stream of the document: `client-17`. */
  readonly document: string;
  /** Its name at that time. */
  readonly name: string;
  /** The field; empty = the whole document. */
  readonly field: string;
  readonly why: Text;
}

/** The commands that an undo carries out. */
export type CompensatingCommand = Extract<
  SingleCommand,
  {
    readonly type:
      | ('RecordUndo' | 'AddClients' | 'UpdateClient' | 'MoveClients' | 'DeleteClients' | 'AdjustClientsTraffic')
      | ('RestoreInbound' | 'UpdateInbound' | 'SetInboundEnabled' | 'DeleteInbound' | 'RestoreOwners')
      | ('ResetInboundTraffic' | 'RestoreInboundTraffic' | 'ResetOutboundTraffic' | 'RestoreOutboundTraffic')
      | ('AddNode' | 'UpdateNode' | 'DeleteNode' | 'ChangeSettings' | 'ChangeCoreTemplate' | 'RestartCore')
      | ('DefineRole' | 'DeleteRole' | 'ChangeAdminAccess' | 'ChangeToken' | 'RevokeToken')
      | ('AddWebhook' | 'UpdateWebhook' | 'PauseWebhook' | 'ResumeWebhook' | 'DeleteWebhook')
      | ('PlaceLegalHold' | 'ReleaseLegalHold' | 'AddGeoSource' | 'UpdateGeoSource' | 'DeleteGeoSource');
  }
>;

/** One compensating command, for the document that it is about. */
interface Compensation {
  readonly document: string;
  readonly name: string;
  readonly command: CompensatingCommand;
}

/** What takes a command back, in an order that the rules accept. */
export interface UndoPlan {
  readonly compensations: readonly Compensation[];
  readonly obstacles: readonly Obstacle[];
  /** Deleted clients that are added again: their counters must be restored too. */
  readonly readded: readonly Client[];
}

export const KEY_DESTROYED = message('undo.keyDestroyed');
export const DELETED_SINCE = message('undo.deletedSince');
export const CHANGED_SINCE = message('undo.changedSince');

/** Collects the parts of a plan. */
export class Planning {
  readonly compensations: Compensation[] = [];
  readonly obstacles: Obstacle[] = [];

  do(document: string, name: string, command: CompensatingCommand): void {
    this.compensations.push({ document, name, command });
  }

  cannot(document: string, name: string, why: Text, field = ''): void {
    this.obstacles.push({ document, name, field, why });
  }

  /**
   * The current members with those set back that the command changed and that have stayed as it left them. A member that
   * was changed again since stays, and is an obstacle.
   */
  merged<D extends object>(document: string, name: string, step: { before: D; after: D }, current: D): D {
    const result: D = { ...current };
    for (const [field, before] of Object.entries(step.before)) {
      const { [field]: after } = step.after as Record<string, unknown>;
      const { [field]: now } = current as Record<string, unknown>;
      if (sameJson(before, after) || sameJson(before, now)) continue;
      if (sameJson(after, now)) Object.assign(result, { [field]: before });
      else this.cannot(document, name, CHANGED_SINCE, field);
    }
    return result;
  }
}
