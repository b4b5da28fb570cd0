import { type Accepted, timeOf } from './access-log.js';
import { createPairs } from './pairs.js';

/** A socket by which the core fetches something for somebody. */
export interface Outgoing {
  readonly network: 'tcp' | 'udp';
  /** As `ss` writes them. */
  readonly local: string;
  readonly remote: string;
}

/** A socket of the core, and for whom it is. */
export interface Flow extends Outgoing {
  /** Its number. */
  readonly client: number;
  readonly inbound: string;
  /** Address and port of the client. */
  readonly source: string;
}

interface Session {
  /** When it asked for what, µs, as long as the dispatcher did not tell that it was let through. */
  readonly asked: Map<string, number>;
  dispatched: boolean;
  outgoing: Outgoing | null;
  /** The number of the client; 0 where the account is no client's. Null: it may be of several. Undefined: no access line is about it. */
  client: number | null | undefined;
  inbound: string | undefined;
  /** Address and port of the client; null: several addresses of the account asked for the same. */
  source: string | null;
  /** How often it is still to be found out whose it is. */
  open: number;
}

/**
 * Whose outgoing socket is whose. The access log names the account but not the session; the trace has the session, its
 * target and its socket, but not the account. Both are written when a request is dispatched, so the same target at the
 * same time is the same request, unless it could be somebody else's too: those are nobody's.
 */
export interface Trace {
  addLine(line: string): void;
  addAccepted(accepted: Accepted): void;
  /** Joins what both logs told up to `settling` ms ago; see `Pairs.decide`. */
  join(began: number, ended: number): void;
  /** Sockets of these clients, which came through this inbound; `from`: and from such an address and port. */
  of(inbound: string, clients: ReadonlySet<number>, from?: (source: string) => boolean): readonly Outgoing[];
  /** All of these clients of which the address is known. */
  all(clients: ReadonlySet<number>): readonly Flow[];
  /** UDP sockets of which the access log does not speak: those of hysteria's UDP relay. */
  unknownUdp(): readonly Outgoing[];
}

const traced = /^(\S+ \S+) \[\w+\] \[(\d+)\] ([\w/]+): (.*)$/;
const dispatch = /^(?:default route for (\S+)$|.*?taking (?:platform initialized )?detour \[.*\] for \[(.+)\]$)/;
const opened = /^connection opened to ((tcp|udp):\S+), local endpoint (\S+), remote endpoint (\S+)$/;
const requested = /(?:tunnelling request to|received request for) ((?:tcp|udp):\S+)$/;

export function createTrace(limit = 100_000): Trace {
  const sessions = new Map<string, Session>();
  const byLocal = new Map<string, string>();
  const pairs = createPairs<Session>((session, owner) => {
    session.open -= 1;
    if (owner) Object.assign(session, owner);
    // Several requests of a session are of one account: what is known of one is not forgotten over another.
    else if (session.client === undefined) session.client = owner;
  });

  const sessionOf = (id: string): Session => {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session: Session = {
      asked: new Map(),
      dispatched: false,
      outgoing: null,
      client: undefined,
      inbound: undefined,
      source: null,
      open: 0,
    };
    sessions.set(id, session);
    if (sessions.size > limit) {
      const { value: oldest } = sessions.keys().next();
      if (oldest !== undefined) sessions.delete(oldest);
    }
    return session;
  };

  /** A sniffer may have changed the target; the access log has the one that was asked for. */
  const pass = (session: Session, target: string, at: number): void => {
    const asked = session.asked.has(target) ? target : ([...session.asked.keys()].at(-1) ?? target);
    session.asked.delete(asked);
    session.dispatched = true;
    session.open += 1;
    pairs.addSession(session, asked, at);
  };

  const chosen = (wanted: (session: Session) => boolean): Outgoing[] =>
    [...sessions.values()].flatMap((session) =>
      session.outgoing !== null && wanted(session) ? [session.outgoing] : [],
    );

  return {
    addLine: (text) => {
      const [, at = '', id = '', from = '', message = ''] = traced.exec(text) ?? [];
      if (from === 'app/dispatcher') {
        const found = dispatch.exec(message);
        const target = found?.[1] ?? found?.[2];
        if (target !== undefined) pass(sessionOf(id), target, timeOf(at));
      } else if (from === 'proxy/freedom') {
        const [, target, network, local, remote] = opened.exec(message) ?? [];
        if ((network !== 'tcp' && network !== 'udp') || local === undefined || remote === undefined) return;
        // The kernel gave the port to somebody else: the session that had it is over.
        const former = byLocal.get(`${network} ${local}`);
        if (former !== undefined && former !== id) sessions.delete(former);
        byLocal.set(`${network} ${local}`, id);
        if (byLocal.size > limit) byLocal.delete(byLocal.keys().next().value ?? '');
        const session = sessionOf(id);
        session.outgoing = { network, local, remote };
        // The core dropped the line of its dispatcher; the one in the access log looks for it all the same.
        if (!session.dispatched && target !== undefined) {
          pass(session, target, [...session.asked.values()].at(-1) ?? timeOf(at));
        }
      } else {
        const target = requested.exec(message)?.[1];
        if (target !== undefined) sessionOf(id).asked.set(target, timeOf(at));
      }
    },
    addAccepted: (line) => {
      // Some inbounds leave out the network.
      pairs.addLine(/^(tcp|udp):/.test(line.target) ? line : { ...line, target: `tcp:${line.target}` });
    },
    join: (began, ended) => pairs.decide(began, ended),
    of: (inbound, clients, from) =>
      chosen(
        ({ inbound: through, client, source }) =>
          through === inbound &&
          typeof client === 'number' &&
          clients.has(client) &&
          (from === undefined || (source !== null && from(source))),
      ),
    all: (clients) =>
      [...sessions.values()].flatMap(({ client, inbound, source, outgoing }) =>
        typeof client === 'number' &&
        clients.has(client) &&
        inbound !== undefined &&
        source !== null &&
        outgoing !== null
          ? [{ client, inbound, source, ...outgoing }]
          : [],
      ),
    unknownUdp: () =>
      chosen(({ client, open, outgoing }) => client === undefined && open === 0 && outgoing?.network === 'udp'),
  };
}
