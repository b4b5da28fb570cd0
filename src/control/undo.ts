import { randomUUID } from 'node:crypto';
import { asSystem, type BusParts, type Change, type Dispatch, type Done } from '../commands/bus.js';
import { Rehearsal } from '../commands/rehearsal.js';
import { Rejection, reject } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import { deletedBy, inboundsDeletedBy, type PastCommand, readCommand } from '../commands/undo/past-command.js';
import { decideUndo, type FormerCounters, type Undo } from '../commands/undo/undo.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { Client } from '../events/client/client-document.js';
import type { EventLog } from '../events/log/log.js';
import type { LogSearch } from '../events/log/log-search.js';
import { begin, catchUp } from '../events/log/replay.js';
import { zero } from '../events/traffic/counters.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { sentenceOf } from '../projections/audit/sentences.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../projections/core/template.js';
import { type Moment, readModelsAt } from '../projections/moments.js';
import { countersBefore } from '../projections/statement/counters-before.js';
import { inboundsUsed } from '../projections/statement/inbounds-before.js';
import type { Ledger, LedgerAnswer } from '../projections/statement/ledger.js';

/** What an undo of the operator works on. */
export interface UndoTarget {
  readonly search: LogSearch;
  readonly rehearse: () => Rehearsal;
  readonly change: Change;
  /** The counters of the clients that the command deleted, when it did so. */
  readonly former: (past: PastCommand) => Promise<FormerCounters | Rejection>;
}

const BUILT_IN = { template: defaultTemplate, outboundTestUrl: defaultOutboundTestUrl };

/** `former` from the ledger of a running panel, and from the read models after a position. */
export const formerFrom =
  (
    ledger: <T>(question: (books: Ledger) => T) => Promise<LedgerAnswer<T>>,
    after: (position: number) => Promise<Pick<Moment, 'read'>>,
  ): UndoTarget['former'] =>
  async (past) => {
    const counters = await countersBefore(ledger, deletedBy(past), past.first.position);
    if (counters === 'unready') return reject('LEDGER_NOT_READY');
    if (counters === 'wrong') return reject('LEDGER_WRONG');
    const deleted = inboundsDeletedBy(past);
    const before = deleted.length > 0 ? await after(past.first.position - 1) : null;
    return {
      clients: counters,
      inbounds: before ? inboundsUsed(before.read, deleted) : new Map(),
      access: before ? before.read.admins.access() : null,
    };
  };

/** An undo in the log of a stopped panel. The counters of deleted clients are folded from the log. */
export function undoWithoutPanel(
  log: EventLog & { readonly search: LogSearch },
  parts: BusParts,
  dispatch: Dispatch,
): UndoTarget {
  return {
    search: log.search,
    rehearse: () => new Rehearsal(parts),
    async change(make, context) {
      const command = make();
      return command instanceof Rejection ? command : dispatch(command, context);
    },
    async former(past) {
      const state = begin(panelState);
      catchUp(log, [state], past.first.position - 1);
      const { counters } = state.state;
      const deleted = inboundsDeletedBy(past);
      return {
        clients: new Map(deletedBy(past).map((number) => [number, counters.clients.get(number) ?? zero])),
        inbounds: deleted.length > 0 ? inboundsUsed(readModelsAt(log, past.first.position - 1), deleted) : new Map(),
        access: state.state.access,
      };
    },
  };
}

/** Undoes the command that an event belongs to, or shows what that would do. Throws `OperatorError`. */
export async function undoAsOperator(
  { search, rehearse, change, former }: UndoTarget,
  { position, dryRun }: { readonly position: number; readonly dryRun: boolean },
) {
  const past = await readCommand(search, position, { builtIn: BUILT_IN, undos: rehearse().state.undos });
  if (past === null) throw new OperatorError(reject('EVENT_UNKNOWN', { position, head: search.head().position }).text);
  const counters = accepted(await former(past));
  const context = { ...asSystem('cli', past.first.id), correlationId: randomUUID() };
  let rehearsal = rehearse();
  let undo: Undo = { commands: [], obstacles: [], forbidden: null };
  const make = () => {
    rehearsal = rehearse();
    undo = decideUndo(past, rehearsal, counters, context);
    const [obstacle] = undo.obstacles;
    return undo.commands.length === 0 && obstacle
      ? reject('UNDO_IMPOSSIBLE', { why: obstacle.why })
      : ({ type: 'Sequence', data: { commands: undo.commands } } as const);
  };
  const rehearsed = (): Done => {
    const command = accepted(make());
    rehearsal = rehearse();
    return accepted(rehearsal.dispatch(command, context));
  };
  const { events } = dryRun ? rehearsed() : accepted(await change(make, context));
  const { disconnected, reconnected } = rehearsal.effects();
  return {
    ...{ from: past.first.position, to: past.last.position, dryRun },
    events: events.map(shown),
    ...{ disconnected: disconnected.map(emailOf), reconnected: reconnected.map(emailOf) },
    obstacles: undo.obstacles,
  };
}

const emailOf = ({ identity }: Client): string => identity.email;
const shown = (event: RecordedEvent) => ({ type: event.type, stream: event.stream, what: sentenceOf(event) });

function accepted<T>(outcome: T | Rejection): T {
  if (outcome instanceof Rejection) throw new OperatorError(outcome.text);
  return outcome;
}
