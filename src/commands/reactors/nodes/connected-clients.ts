import { emailKey } from '../../../events/client/client-document.js';
import type { NodeId } from '../../../events/ids.js';
import type { DesiredInbound } from '../../../events/node/desired-state.js';
import type { Node } from '../../../events/node/node-document.js';
import type { RequestTarget } from '../../ports/remote-panel.js';
import type { RemoteNodesParts } from './parts.js';

/** Clients whose addresses are read in one round, and the pause until each is read again in ms. */
const CLIENTS_PER_ROUND = 8;
const IP_INTERVAL_MS = 60_000;
/** An address that stays connected is recorded again after this time, in ms. */
const IP_REFRESH_MS = 3_600_000;

/** The clients that are connected to a node, and their addresses. */
export class ConnectedClients {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  readonly #ipsAsked = new Map<string, number>();

  constructor(parts: RemoteNodesParts, id: NodeId) {
    this.#parts = parts;
    this.#id = id;
  }

  /** Rejects with `NodeError`. `isCurrent`: whether the node still has the address and token of the request. */
  async update(
    node: Node & RequestTarget,
    inbounds: readonly DesiredInbound[],
    isCurrent: (queried: Node) => boolean,
  ): Promise<void> {
    const { panel, online, now } = this.#parts;
    const connectedKeys = new Set((await panel.onlines(node)).map(emailKey));
    if (!isCurrent(node)) return;
    const ours = inbounds.flatMap(({ clients }) =>
      connectedKeys.size === 0 ? [] : clients.filter(({ email }) => connectedKeys.has(emailKey(email))),
    );
    const byEmail = new Map(ours.toReversed().map(({ email, number }) => [email, number]));
    const emails = [...byEmail.keys()];
    online(this.#id, emails);
    const due = emails
      .filter((email) => now() - (this.#ipsAsked.get(email) ?? 0) >= IP_INTERVAL_MS)
      .slice(0, CLIENTS_PER_ROUND);
    for (const email of due) {
      this.#ipsAsked.set(email, now());
      const ips = await panel.clientIps(node, email);
      if (!isCurrent(node)) return;
      this.#recordIps(node, byEmail.get(email) ?? 0, ips);
    }
    const connected = new Set(emails);
    for (const email of this.#ipsAsked.keys()) if (!connected.has(email)) this.#ipsAsked.delete(email);
  }

  #recordIps(node: Node, client: number, ips: readonly string[]): void {
    const { records, now, dispatch } = this.#parts;
    // The node lists previous addresses too; of known ones only the newest is surely current.
    const fresh = ips.filter((ip, i) => {
      const at = records.ipSeen(client, ip);
      return at === 0 || (i === 0 && at <= now() - IP_REFRESH_MS);
    });
    if (fresh.length === 0) return;
    const seen = [{ client, ips: fresh.map((ip) => ({ ip, seenAt: now() })) }];
    dispatch({ type: 'RecordClientIps', data: { seen } }, node);
  }
}
