import type { PanelState } from './state.js';

/** A copy of the write state that can be changed on its own. The documents are shared, because folds replace them. */
export function forkState(state: PanelState): PanelState {
  return {
    ...state,
    inbounds: new Map(state.inbounds),
    clients: new Map(state.clients),
    clientsOf: new Map([...state.clientsOf].map(([inbound, clients]) => [inbound, new Set(clients)])),
    byEmail: state.byEmail.copy(),
    byCredential: new Map(state.byCredential),
    counters: {
      clients: new Map(state.counters.clients),
      inbounds: new Map(state.counters.inbounds),
      outbounds: new Map(state.counters.outbounds),
    },
    due: state.due.copy(),
    transferredTo: new Map(state.transferredTo),
    ipBlocks: new Map(state.ipBlocks),
    erasable: new Map(state.erasable),
    users: new Map(state.users),
    factors: new Map(state.factors),
    access: {
      ...state.access,
      admins: new Map(state.access.admins),
      roles: new Map(state.access.roles),
      owners: new Map(state.access.owners),
      tokens: new Map(state.access.tokens),
      secrets: new Map(state.access.secrets),
    },
    holds: new Map(state.holds),
    webhooks: { ...state.webhooks, byId: new Map(state.webhooks.byId) },
    nodes: new Map(state.nodes),
    geoSources: new Map(state.geoSources),
    secrets: new Map(state.secrets),
    usedCodes: new Map(state.usedCodes),
    refused: new Map(state.refused),
    undos: new Map(state.undos),
    proofs: {
      ...state.proofs,
      heads: [...state.proofs.heads],
      sinks: new Map(state.proofs.sinks),
      others: new Map(state.proofs.others),
    },
  };
}
