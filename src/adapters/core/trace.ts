import { type Accepted, hostOf, timeOf } from './access-log.js';

/** A socket by which the core fetches something for somebody. */
export interface Outgoing {
  readonly network: 'tcp' | 'udp';
  /** As `ss` writes them. */
  readonly local: string;
  readonly remote: string;
}

interface Session {
  dispatched: number | null;
  readonly targets: Set<string>;
  outgoing: Outgoing | null;
  /** Lower case; empty where accounts have no names. Null: one of several who asked for the same. Undefined: unknown. */
  email: string | null | undefined;
  inbound: string | undefined;
  /** Address and port of the client; null: several of the account asked for the same. */
  source: string | null;
}

/**
 * Whose outgoing socket is whose. The access log names the account but not the session; the trace has the session, its
 * target and its socket, but not the account. Both are written when a request is dispatched, so the same target within
 * the same millisecond is the same request, unless two accounts asked for it: those are nobody's.
 */
export interface Trace {
  addLine(line: string): void;
  addAccepted(accepted: Accepted): void;
  /** Joins what both logs told since the last time. */
  join(): void;
  /** Sockets of these emails (lower case), which came through this inbound; `from`: and from such an address and port. */
  of(inbound: string, emails: ReadonlySet<string>, from?: (source: string) => boolean): readonly Outgoing[];
  /** UDP sockets of which the access log does not speak: those of hysteria's UDP relay. */
  unknownUdp(): readonly Outgoing[];
}

const traced = /^(\S+ \S+) \[\w+\] \[(\d+)\] ([\w/]+): (.*)$/;
const dispatch = /^(?:default route for (\S+)$|.*?taking (?:platform initialized )?detour \[.*\] for \[(.+)\]$)/;
const opened = /^connection opened to (tcp|udp):\S+, local endpoint (\S+), remote endpoint (\S+)$/;
const requested = /(?:tunnelling request to|received request for) ((?:tcp|udp):\S+)$/;

/** µs between two lines about the same request. */
const sameMoment = 1000;
/** The same on a busy machine: each log has a writer of its own, which stamps a line when it gets to write it. */
const sameWhile = 50_000;
/** µs for which a line waits for its counterpart. */
const patience = 10_000_000;

export function createTrace(limit = 100_000): Trace {
  const sessions = new Map<string, Session>();
  const byLocal = new Map<string, string>();
  let accepted: Accepted[] = [];
  let unjoined = new Set<Session>();
  let newest = 0;

  const sessionOf = (id: string): Session => {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session: Session = {
      dispatched: null,
      targets: new Set(),
      outgoing: null,
      email: undefined,
      inbound: undefined,
      source: null,
    };
    sessions.set(id, session);
    if (sessions.size > limit) {
      const { value: oldest } = sessions.keys().next();
      if (oldest !== undefined) sessions.delete(oldest);
    }
    return session;
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
        if (target === undefined) return;
        const session = sessionOf(id);
        session.dispatched = timeOf(at);
        session.targets.add(target);
        unjoined.add(session);
        newest = Math.max(newest, session.dispatched);
      } else if (from === 'proxy/freedom') {
        const [, network, local, remote] = opened.exec(message) ?? [];
        if ((network !== 'tcp' && network !== 'udp') || local === undefined || remote === undefined) return;
        // The kernel gave the port to somebody else: the session that had it is over.
        const former = byLocal.get(`${network} ${local}`);
        if (former !== undefined) sessions.delete(former);
        byLocal.set(`${network} ${local}`, id);
        if (byLocal.size > limit) byLocal.delete(byLocal.keys().next().value ?? '');
        sessionOf(id).outgoing = { network, local, remote };
      } else {
        const target = requested.exec(message)?.[1];
        if (target !== undefined) sessionOf(id).targets.add(target);
      }
    },
    addAccepted: (line) => {
      // Some inbounds leave out the network.
      accepted.push(/^(tcp|udp):/.test(line.target) ? line : { ...line, target: `tcp:${line.target}` });
      newest = Math.max(newest, line.at);
    },
    join: () => {
      const joined = new Set(matches(accepted, unjoined));
      accepted = accepted.filter((line) => !joined.has(line) && newest - line.at < patience);
      unjoined = new Set(
        [...unjoined].filter((session) => session.email === undefined && newest - (session.dispatched ?? 0) < patience),
      );
    },
    of: (inbound, emails, from) =>
      chosen(
        ({ inbound: through, email, source }) =>
          through === inbound &&
          typeof email === 'string' &&
          emails.has(email) &&
          (from === undefined || (source !== null && from(source))),
      ),
    unknownUdp: () => chosen((session) => session.email === undefined && session.outgoing?.network === 'udp'),
  };
}

/** Gives sessions their accounts and yields the lines that were used up. */
function* matches(lines: readonly Accepted[], sessions: Iterable<Session>): Generator<Accepted> {
  const byTarget = new Map<string, Session[]>();
  for (const session of sessions) {
    for (const target of session.targets) {
      const others = byTarget.get(target);
      if (others === undefined) byTarget.set(target, [session]);
      else others.push(session);
    }
  }
  const within = (line: Accepted, span: number): Session[] =>
    (byTarget.get(line.target) ?? []).filter(({ dispatched }) => Math.abs((dispatched ?? 0) - line.at) <= span);
  const lonely: Accepted[] = [];
  for (const line of lines) {
    const near = within(line, sameMoment);
    for (const session of near) {
      const before = session.email === undefined ? null : { ...session };
      assign(session, line);
      if (before === null) continue;
      if (!isOf(before, line)) session.email = null;
      if (before.source === null || hostOf(before.source) !== hostOf(line.source)) session.source = null;
    }
    if (near.length > 0) yield line;
    else lonely.push(line);
  }
  // What is left of both and can only belong together.
  const pairs = lonely.map((line) => ({
    line,
    sessions: within(line, sameWhile).filter(({ email }) => email === undefined),
  }));
  const claims = new Map<Session, number>();
  for (const { sessions: some } of pairs) for (const one of some) claims.set(one, (claims.get(one) ?? 0) + 1);
  for (const { line, sessions: some } of pairs) {
    const [session, ...others] = some;
    if (session === undefined || others.length > 0 || claims.get(session) !== 1) continue;
    assign(session, line);
    yield line;
  }
}

function isOf({ email, inbound }: Session, line: Accepted): boolean {
  return email === line.email.toLowerCase() && inbound === line.inbound;
}

function assign(session: Session, { email, inbound, source }: Accepted): void {
  session.email = email.toLowerCase();
  session.inbound = inbound;
  session.source = source;
}
