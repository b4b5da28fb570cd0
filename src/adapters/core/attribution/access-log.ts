import { clientOfAccount } from '../../../lib/account-name.js';

/** A line of the access log about an accepted request. */
export interface Accepted {
  /** µs, comparable with other times of the same core's logs. */
  readonly at: number;
  /** Address and port of the client, in the format of `ss`. */
  readonly source: string;
  /** `tcp:host:port` or `udp:host:port`. */
  readonly target: string;
  readonly inbound: string;
  /** The number of the client; 0 for an account that does not belong to a client. */
  readonly client: number;
}

const line =
  /^(\S+ \S+) from (?:(?:tcp|udp):)?(\[?[0-9a-fA-F:.]+\]?):(\d+) accepted (\S*)(?: \[(?:(\S+) (?:->|>>|==>) )?([^\]]+)\])?.*?(?: email: (.+))?$/;

/** Null for every other line. */
export function readAccepted(text: string): Accepted | null {
  const found = line.exec(text);
  const [, at = '', host = '', port = '', target = '', inbound, , email = ''] = found ?? [];
  if (found === null || inbound === undefined) return null;
  return { at: timeOf(at), source: `${host}:${port}`, target, inbound, client: clientOfAccount(email) };
}

/** `2026/11/21 04:50:59.430160` in µs. The time zone is ignored: the times are only compared with each other. */
export function timeOf(text: string): number {
  const day = Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, Number(text.slice(8, 10)));
  const seconds = Number(text.slice(11, 13)) * 3600 + Number(text.slice(14, 16)) * 60 + Number(text.slice(17, 19));
  return (day + seconds * 1000) * 1000 + Number(text.slice(20, 26).padEnd(6, '0'));
}

/** The host of `host:port`, with the brackets of IPv6. */
export function hostOf(source: string): string {
  return source.slice(0, source.lastIndexOf(':'));
}

/** Which client uses which inbound from which address and port, according to the access log. */
export interface Sources {
  add(accepted: Accepted): void;
  /** The connections of these clients on this inbound. */
  of(inbound: string, clients: ReadonlySet<number>): readonly Accepted[];
  /** The clients of this inbound. */
  clientsOf(inbound: string): readonly number[];
  /** The connections of these clients on all inbounds. */
  all(clients: ReadonlySet<number>): readonly Accepted[];
  /** Whether `keep` should be called. */
  readonly isFull: boolean;
  /**
   * Drops closed TCP connections: those that are not among the `live` remote ends. UDP flows (`isDatagram`) cannot be
   * listed by the system; the oldest of them are dropped when there are too many.
   */
  keep(live: ReadonlySet<string>, isDatagram: (accepted: Accepted) => boolean): void;
}

/** The latest client counts: a source port may be reused by another client behind the same address. */
export function createSources(limit = 100_000): Sources {
  const owners = new Map<string, Accepted>();
  let fullAt = limit;
  return {
    add: (accepted) => {
      if (accepted.client === 0) return;
      const key = `${accepted.inbound}\n${accepted.source}`;
      owners.delete(key);
      owners.set(key, accepted);
      if (owners.size <= 2 * limit) return;
      const { value: oldest } = owners.keys().next();
      if (oldest !== undefined) owners.delete(oldest);
    },
    of: (inbound, clients) =>
      [...owners.values()].filter((owner) => owner.inbound === inbound && clients.has(owner.client)),
    clientsOf: (inbound) => [
      ...new Set([...owners.values()].filter((owner) => owner.inbound === inbound).map(({ client }) => client)),
    ],
    all: (clients) => [...owners.values()].filter(({ client }) => clients.has(client)),
    get isFull() {
      return owners.size > fullAt;
    },
    keep: (live, isDatagram) => {
      let datagrams = 0;
      for (const [key, owner] of [...owners].reverse()) {
        if (isDatagram(owner)) datagrams += 1;
        if (isDatagram(owner) ? datagrams > limit / 2 : !live.has(owner.source)) owners.delete(key);
      }
      // Live connections cannot be dropped, so checking again at every line would not help.
      fullAt = Math.max(limit, owners.size * 1.5);
    },
  };
}
