import { setImmediate as nextTurn } from 'node:timers/promises';
import { Rejection, reject } from '../../../commands/rejection.js';
import { type PastCommand, readCommand } from '../../../commands/undo/past-command.js';
import { decideUndo, type FormerCounters, type Undo } from '../../../commands/undo/undo.js';
import type { Counter } from '../../../events/counters.js';
import type { ClientNumber } from '../../../events/ids.js';
import { codeOf, message } from '../../../messages/message.js';
import { defaultOutboundTestUrl, defaultTemplate } from '../../../projections/core/template.js';
import type { AuthRequest } from '../auth/auth-context.js';
import { type HttpRequest, Message, type Needs } from '../context.js';
import type { undoRoutes } from '../contract/undo.js';
import type { Handlers } from '../mount.js';

const BUILT_IN = { template: defaultTemplate, outboundTestUrl: defaultOutboundTestUrl };
/** Clients whose counters are summed up before other work gets a turn. */
const CLIENTS_PER_TURN = 20;

export const undoHandlers: Handlers<typeof undoRoutes, Needs<'audit' | 'ledger' | 'rehearse'>, AuthRequest> = {
  async undo({ params: { position } }, { audit, ledger, rehearse }, request) {
    const past = await readCommand(audit.log, position, BUILT_IN);
    if (past === null) return reject('EVENT_UNKNOWN', { position, head: audit.log.head().position });
    const former = await formerCounters(past, ledger);
    if (former instanceof Rejection) return former;
    const { actor, auth } = request;
    const context = { actor, correlationId: auth.correlationId, causationId: past.first.id };
    let undo: Undo = { commands: [], obstacles: [] };
    const done = await request.change(() => {
      undo = decideUndo(past, rehearse(), former, context);
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

function reportOf({ first, last }: PastCommand, { obstacles }: Undo, say: HttpRequest['say']) {
  return {
    ...{ from: first.position, to: last.position },
    obstacles: obstacles.map(({ why, ...rest }) => ({ ...rest, why: say(why), whyCode: codeOf(why) })),
  };
}

/** The counters of the clients that a command deleted, when it did so: the sum of their lines in the ledger before that. */
async function formerCounters(
  { clients, first }: PastCommand,
  ledger: Needs<'ledger'>['ledger'],
): Promise<FormerCounters | Rejection> {
  const deleted = [...clients].flatMap(([number, { before, after }]) => (before && !after ? [number] : []));
  const counters = new Map<ClientNumber, Counter>();
  for (let at = 0; at < deleted.length; at += CLIENTS_PER_TURN) {
    const some = deleted.slice(at, at + CLIENTS_PER_TURN);
    const asked = await ledger((books) =>
      some.map((number) => {
        const lines = [...books.flowsOf(number), ...books.entriesOf(number)];
        const sum = { up: 0, down: 0 };
        for (const { position, up, down } of lines) {
          if (position >= first.position) continue;
          sum.up += up;
          sum.down += down;
        }
        return [number, sum] as const;
      }),
    );
    if ('unavailable' in asked)
      return asked.unavailable === 'unready' ? reject('LEDGER_NOT_READY') : reject('LEDGER_WRONG');
    for (const [number, sum] of asked.answer) counters.set(number, sum);
    await nextTurn();
  }
  return counters;
}
