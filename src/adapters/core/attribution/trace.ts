import { type Accepted, timeOf } from './access-log.js';
import { createPairs } from './pairs.js';

/** A socket of the core to a destination that a client requested. */
export interface Outgoing {
  readonly network: 'tcp' | 'udp';
  /** As `ss` writes them. */
  readonly local: string;
  readonly remote: string;
}

/** A socket of the core, and the client that it serves. */
interface Flow extends Outgoing {
  /** Its number. */
  readonly client: number;
  readonly inbound: string;
  /** Address and port of the client. */
  readonly source: string;
}

interface Session {
  /** Requested targets that are not dispatched yet, with the time, µs. */
  readonly requested: Map<string, number>;
  dispatched: boolean;
  outgoing: Outgoing | null;
  /** The number of the client; 0 for an account that is not a client's. Null: several clients match. Undefined: no access line matches. */
  client: number | null | undefined;
  inbound: string | undefined;
  /** Address and port of the client; null: the account requested the same target from several addresses. */
  source: string | null;
  /** Requests whose owner is not known yet. */
  open: number;
}

/**
 * Finds the client behind each outgoing socket. The access log names the account but not the session; the trace has the
 * session, its target and its socket, but not the account. Both are written when a request is dispatched, so the same
 * target at the same time is the same request. Ambiguous requests are assigned to no client.
 */
export interface Trace {
  addLine(line: string): void;
  addAccepted(accepted: Accepted): void;
  /** Joins the lines of both logs up to `SETTLE_MS` ago; see `Pairs.decide`. */
  join(began: number, ended: number): void;
  /** Sockets of these clients through this inbound. `from` selects by the address and port of the client. */
  of(inbound: string, clients: ReadonlySet<number>, from?: (source: string) => boolean): readonly Outgoing[];
  /** All flows of these clients with a known source address. */
  all(clients: ReadonlySet<number>): readonly Flow[];
  /** UDP sockets without an access line: those of hysteria's UDP relay. */
  unknownUdp(): readonly Outgoing[];
}

const traced = /^(\S+ \S+) \[\w+\] \[(\d+)\] ([\w/]+): (.*)$/;
const dispatch = /^(?:default route for (\S+)$|.*?taking (?:platform initialized )?detour \[.*\] for \[(.+)\]$)/;
const opened = /^connection opened to ((tcp|udp):\S+), local endpoint (\S+), remote endpoint (\S+)$/;
const requested = /(?:tunnelling request to|received request for) ((?:tcp|udp):\S+)$/;

/** `limit`: sessions, and local addresses, that are remembered. */
export function createTrace(limit = 100_000): Trace {
  const sessions = new SessionTable(limit);
  return {
    addLine: (text) => addTraceLine(sessions, text),
    // Some inbounds leave out the network.
    addAccepted: (line) =>
      sessions.pairs.addLine(/^(tcp|udp):/.test(line.target) ? line : { ...line, target: `tcp:${line.target}` }),
    join: (began, ended) => sessions.pairs.decide(began, ended),
    of: (inbound, clients, from) =>
      sessions.outgoing(
        ({ inbound: through, client, source }) =>
          through === inbound &&
          typeof client === 'number' &&
          clients.has(client) &&
          (from === undefined || (source !== null && from(source))),
      ),
    all: (clients) => sessions.all().flatMap((session) => flowOf(session, clients)),
    unknownUdp: () =>
      sessions.outgoing(
        ({ client, open, outgoing }) => client === undefined && open === 0 && outgoing?.network === 'udp',
      ),
  };
}

function flowOf({ client, inbound, source, outgoing }: Session, clients: ReadonlySet<number>): readonly Flow[] {
  if (typeof client !== 'number' || !clients.has(client)) return [];
  return inbound === undefined || source === null || outgoing === null
    ? []
    : [{ client, inbound, source, ...outgoing }];
}

function addTraceLine(sessions: SessionTable, text: string): void {
  const [, at = '', id = '', from = '', message = ''] = traced.exec(text) ?? [];
  if (from === 'app/dispatcher') {
    const found = dispatch.exec(message);
    const target = found?.[1] ?? found?.[2];
    if (target !== undefined) sessions.dispatched(sessions.get(id), target, timeOf(at));
  } else if (from === 'proxy/freedom') {
    const [, target, network, local, remote] = opened.exec(message) ?? [];
    if ((network !== 'tcp' && network !== 'udp') || local === undefined || remote === undefined) return;
    const session = sessions.open(id, { network, local, remote });
    // The core dropped the line of its dispatcher, but the line in the access log still needs its session.
    if (!session.dispatched && target !== undefined) {
      sessions.dispatched(session, target, [...session.requested.values()].at(-1) ?? timeOf(at));
    }
  } else {
    const target = requested.exec(message)?.[1];
    if (target !== undefined) sessions.get(id).requested.set(target, timeOf(at));
  }
}

/** The sessions of the trace, oldest first, and the sockets they opened. */
class SessionTable {
  readonly #limit: number;
  readonly #sessions = new Map<string, Session>();
  readonly #byLocal = new Map<string, string>();
  readonly pairs = createPairs<Session>((session, owner) => {
    session.open -= 1;
    if (owner) Object.assign(session, owner);
    // Several requests of a session are of one account: an ambiguous request does not erase a known owner.
    else if (session.client === undefined) session.client = owner;
  });

  constructor(limit: number) {
    this.#limit = limit;
  }

  all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  outgoing(wanted: (session: Session) => boolean): Outgoing[] {
    return this.all().flatMap((session) => (session.outgoing !== null && wanted(session) ? [session.outgoing] : []));
  }

  get(id: string): Session {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const session: Session = {
      requested: new Map(),
      dispatched: false,
      outgoing: null,
      client: undefined,
      inbound: undefined,
      source: null,
      open: 0,
    };
    this.#sessions.set(id, session);
    if (this.#sessions.size > this.#limit) {
      const { value: oldest } = this.#sessions.keys().next();
      if (oldest !== undefined) this.#sessions.delete(oldest);
    }
    return session;
  }

  open(id: string, outgoing: Outgoing): Session {
    const key = `${outgoing.network} ${outgoing.local}`;
    // The kernel reuses a local port only after the session that had it has ended.
    const previous = this.#byLocal.get(key);
    if (previous !== undefined && previous !== id) this.#sessions.delete(previous);
    this.#byLocal.set(key, id);
    if (this.#byLocal.size > this.#limit) this.#byLocal.delete(this.#byLocal.keys().next().value ?? '');
    const session = this.get(id);
    session.outgoing = outgoing;
    return session;
  }

  /** A sniffer may have changed the target; the access log has the original one. */
  dispatched(session: Session, target: string, at: number): void {
    const asked = session.requested.has(target) ? target : ([...session.requested.keys()].at(-1) ?? target);
    session.requested.delete(asked);
    session.dispatched = true;
    session.open += 1;
    this.pairs.addSession(session, asked, at);
  }
}
