import { OwnerAssigned } from '../../events/access/access.js';
import type { PanelEvent } from '../../events/catalog.js';
import { ClientAdded, ClientDeleted, ClientDepleted, ClientTrafficTransferred } from '../../events/client/client.js';
import { ClientNumber, type InboundId, UserId } from '../../events/ids.js';
import { zero } from '../../events/traffic/counters.js';
import type { Command, Decider } from '../command.js';
import { reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { UsedNames } from './client-rules.js';
import { type ClientDraft, clientProblem, hasClients } from './credentials.js';

/** A client that goes to another inbound, as it will be there. */
export interface ClientMove {
  readonly client: ClientNumber;
  readonly inbound: InboundId;
  readonly draft: ClientDraft;
}

/** Moves clients in one append. A client that is gone, or on the inbound already, is skipped. */
export type MoveCommand = Command<'MoveClients', { readonly moves: readonly ClientMove[] }>;

export const clientMoves: Decider<MoveCommand> = {
  MoveClients({ moves }, state, { owner: adding }) {
    const names = new Map<InboundId, UsedNames>();
    const moved = new Set<ClientNumber>();
    const events: PanelEvent[] = [];
    let number = state.lastClient;
    for (const move of moves) {
      const current = state.clients.get(move.client);
      if (!current || current.inbound === move.inbound || moved.has(current.number)) continue;
      moved.add(current.number);
      const target = state.inbounds.get(move.inbound);
      if (!target) return reject('INBOUND_NOT_FOUND', { inbound: move.inbound });
      const { protocol, config } = target;
      if (!hasClients(protocol)) return reject('CLIENTS_NOT_SUPPORTED', { protocol });
      const taken = names.get(target.id) ?? new UsedNames();
      names.set(target.id, taken);
      const problem =
        clientProblem(protocol, config.settings, move.draft, current.identity) ??
        taken.problem(state, target, move.draft, current);
      if (problem) return problem;
      number += 1;
      const to = ClientNumber.parse(number);
      events.push(...moveEvents(state, current.number, to, move));
      const owner = state.access.owners.get(current.number) ?? null;
      if (owner !== adding)
        events.push(OwnerAssigned({ clients: [to], owner: owner === null ? null : UserId.parse(owner) }));
    }
    return events;
  },
};

/** It gets another number, because its inbound is part of a client; counters, cap and expiry go along. */
function moveEvents(state: PanelState, from: ClientNumber, to: ClientNumber, move: ClientMove): PanelEvent[] {
  const current = state.clients.get(from);
  if (!current) return [];
  const { up, down } = state.counters.clients.get(from) ?? zero;
  return [
    ClientAdded({ client: to, inbound: move.inbound, keyVersion: 1, ...move.draft }),
    ...(current.depletion ? [ClientDepleted({ client: to, depletion: current.depletion })] : []),
    ClientTrafficTransferred({ client: to, fromClient: from, up, down }),
    ClientDeleted({ client: from, inbound: current.inbound }),
  ];
}
