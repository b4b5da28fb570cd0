/** What a caller was told of a change. `unknown`: the answer was lost, or said that the change may still take effect. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** A change that a writer asked for. Times in ms of one clock. */
export interface Write {
  /** Of the client that it adds; no two writes share it. */
  readonly email: string;
  readonly began: number;
  readonly ended: number;
  readonly outcome: Outcome;
  /** Of its last event, and the hash of the chain there; only when acknowledged. */
  readonly position: number;
  readonly hash: string;
}

/** A read of one client at a member that was asked to have at least one position. Only reads that were answered. */
export interface Read {
  readonly member: string;
  readonly email: string;
  readonly atLeast: number;
  /** That the member said it had. */
  readonly position: number;
  readonly found: boolean;
}

export interface History {
  readonly writes: readonly Write[];
  readonly reads: readonly Read[];
}

/** The state in the end: the hash of the chain at each position, and the emails of all clients. */
export interface FinalState {
  readonly hashes: ReadonlyMap<number, string>;
  readonly emails: readonly string[];
}

/**
 * What in a history no sequence of single changes explains; empty = it is linearizable. The log is the sequence, so each
 * acknowledged change must be in it where its answer said, in an order that agrees with real time, and reads must agree with it.
 */
export function violations({ writes, reads }: History, { hashes, emails }: FinalState): readonly string[] {
  const found: string[] = [];
  const times = new Map<string, number>();
  for (const email of emails) times.set(email, (times.get(email) ?? 0) + 1);
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged');
  for (const { email, position, hash } of acknowledged) {
    if (times.get(email) !== 1) found.push(`${email} was acknowledged and is there ${times.get(email) ?? 0} times`);
    if (hashes.get(position) !== hash) found.push(`the event of ${email} is not at position ${position}`);
  }
  for (const { email, outcome } of writes)
    if (outcome !== 'acknowledged' && (times.get(email) ?? 0) > (outcome === 'refused' ? 0 : 1))
      found.push(`${email} was ${outcome} and is there ${times.get(email)} times`);
  return [...found, ...againstRealTime(acknowledged), ...wrongReads(acknowledged, reads)];
}

/** Changes that began after another one had been acknowledged, and are before it in the log. */
function againstRealTime(writes: readonly Write[]): string[] {
  const found: string[] = [];
  const ends = writes.toSorted((a, b) => a.ended - b.ended);
  let [next, highest] = [0, { email: '', position: 0 }];
  for (const write of writes.toSorted((a, b) => a.began - b.began)) {
    for (let end = ends[next]; end !== undefined && end.ended < write.began; next += 1, end = ends[next])
      if (end.position > highest.position) highest = end;
    if (write.position <= highest.position) found.push(`${write.email} began after ${highest.email} and is before it`);
  }
  return found;
}

function wrongReads(writes: readonly Write[], reads: readonly Read[]): string[] {
  const positions = new Map(writes.map(({ email, position }) => [email, position]));
  return reads.flatMap(({ member, email, atLeast, position, found }) => {
    if (position < atLeast) return [`${member} answered with position ${position}, not ${atLeast}`];
    const written = positions.get(email) ?? Number.POSITIVE_INFINITY;
    return found || written > position ? [] : [`${member} did not show ${email} at position ${position}`];
  });
}
