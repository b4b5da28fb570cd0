import type { OnlineUser } from '../../../commands/ports/core.js';
import { clientIn } from './counters.js';
import { FieldReader } from './field-reader.js';

/**
 * Reads a `GetUsersStatsResponse`, repeated field 1 of `{ email = 1, repeated ips = 2 of { ip = 1, last_seen = 2 } }`, for
 * accounts of clients. A client that was renamed is also listed under its previous name, while connections from before are
 * open.
 */
export function decodeOnline(bytes: Buffer): readonly OnlineUser[] {
  const online = new Map<number, OnlineUser['ips'][number][]>();
  const [answer, user, entry] = [new FieldReader(bytes), new FieldReader(bytes), new FieldReader(bytes)];
  while (answer.next()) {
    if (answer.field !== 1) continue;
    let client = 0;
    const ips: OnlineUser['ips'][number][] = [];
    user.enter(answer.start, answer.end);
    while (user.next()) {
      if (user.field === 1) client = clientIn(bytes, user.start, user.end);
      if (user.field === 2) ips.push(addressIn(bytes, entry.enter(user.start, user.end)));
    }
    if (client === 0) continue;
    const known = online.get(client);
    if (known) known.push(...ips);
    else online.set(client, ips);
  }
  return [...online].map(([client, ips]) => ({ client, ips }));
}

function addressIn(bytes: Buffer, entry: FieldReader): OnlineUser['ips'][number] {
  let ip = '';
  let seconds = 0;
  while (entry.next()) {
    if (entry.field === 1) ip = bytes.toString('utf8', entry.start, entry.end);
    else if (entry.field === 2) seconds = entry.value;
  }
  return { ip, at: seconds * 1000 };
}
