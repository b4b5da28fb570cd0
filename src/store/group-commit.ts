import type { Accepted, Bus, CommandContext, Done, Make, Submit } from '../commands/bus.js';
import { Rejection, refusedByStorage } from '../commands/rejection.js';
import type { PanelState } from '../commands/state.js';
import { eventType, type PanelEvent } from '../events/catalog.js';
import { withMany } from '../events/client/members.js';
import type { EventLog } from '../events/log/log.js';
import { advance, type Folding } from '../events/log/replay.js';

/** Commands in one transaction at most, so that it does not block the event loop for long. */
const GROUP_MAX = 32;

/** After these events another client may be meant by the same email or path. */
const RENAMING: ReadonlySet<string> = new Set(['ClientIdentityChanged', ...withMany(['ClientDeleted'])]);

interface Member {
  readonly make: Make;
  readonly context: CommandContext;
  readonly resolve: (answer: Done | Rejection) => void;
  readonly reject: (error: unknown) => void;
}

interface Parts {
  readonly log: EventLog;
  readonly state: Folding<PanelState>;
  readonly bus: Bus;
  /** Folds the write state again from the log, which does not have the events of a failed group. */
  readonly restore: () => void;
}

/**
 * Commits the commands of one turn of the event loop in one durable transaction. Each gets its own answer, after the commit.
 * The result is the same as if each was dispatched alone, in the order of their arrival.
 *
 * Only the write state sees events before their commit; read models and callers do not. So a command joins a group only if
 * it is accepted and no event before it in the group could have changed what it was made from. Any other command waits for
 * the commit and is then made and decided again.
 */
export class GroupCommit {
  readonly #parts: Parts;
  #waiting: Member[] = [];
  /** A group has failed: until a later turn finds that a change was accepted again, each command is committed alone. */
  #alone = false;
  #accepted = false;
  /** Whether the write state has seen events of the current group. */
  #folded = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly submit: Submit = (make, context) =>
    new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ make, context, resolve, reject });
    });

  #flush(): void {
    if (this.#accepted) this.#alone = false;
    const members = this.#waiting.splice(0, GROUP_MAX);
    if (this.#waiting.length > 0) setImmediate(() => this.#flush());
    while (members.length > 0) {
      const first = members[0];
      if (first && (members.length === 1 || this.#alone)) {
        members.shift();
        this.#commitAlone(first);
      } else {
        members.splice(0, this.#commitGroup(members));
      }
    }
  }

  #commitAlone({ make, context, resolve, reject }: Member): void {
    try {
      const command = make();
      const answer = command instanceof Rejection ? command : this.#parts.bus.dispatch(command, context);
      if (answer instanceof Rejection) this.#accepted &&= !refusedByStorage(answer);
      else this.#accepted ||= answer.events.length > 0;
      resolve(answer);
    } catch (error) {
      reject(error);
    }
  }

  /** Commits the first of `members`, as many as fit into one group. Returns how many were answered. */
  #commitGroup(members: readonly Member[]): number {
    const { log, bus, restore } = this.#parts;
    const answers: (Done | Rejection)[] = [];
    this.#folded = false;
    try {
      bus.exclusively('a group', () => log.group(() => this.#decideAll(members, answers)));
    } catch {
      // The cause is found again, and reported to the right caller, when each command is committed alone.
      if (this.#folded) restore();
      this.#alone = true;
      this.#accepted = false;
      return 0;
    }
    for (const [i, answer] of answers.entries()) members[i]?.resolve(answer);
    return answers.length;
  }

  #decideAll(members: readonly Member[], answers: (Done | Rejection)[]): void {
    const { bus, state } = this.#parts;
    const changed = new Set<string>();
    for (const { make, context } of members) {
      const command = make();
      const decision = command instanceof Rejection ? command : bus.decide(command, context);
      if (!('append' in decision)) {
        if (changed.size > 0) return;
        answers.push(decision);
        continue;
      }
      const streams = streamsOf(decision);
      if (changed.size > 0 && !streams.every((stream) => isOfClient(stream) && !changed.has(stream))) return;
      const done = bus.append(decision, context);
      this.#folded = true;
      advance(state, done.events);
      answers.push(done);
      for (const stream of streams) changed.add(stream);
      // Other commands may be made from anything else that it has changed.
      if (!streams.every(isOfClient) || decision.append.some(({ type }) => RENAMING.has(type))) return;
    }
  }
}

const isOfClient = (stream: string): boolean => stream.startsWith('client-');

const streamsOf = ({ append }: Accepted): readonly string[] =>
  append.map((event: PanelEvent) => eventType(event.type)?.stream(event.data) ?? '');
