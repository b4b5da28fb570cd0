import { begin } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';
import { baselines } from './core/baselines.js';
import { coreState } from './core/core-state.js';
import { access } from './models/access.js';
import { backups } from './models/backups.js';
import { warnedOf } from './models/chat-bot.js';
import { clientIps } from './models/client-ips.js';
import { clients } from './models/clients.js';
import { directory } from './models/directory.js';
import { geoSources } from './models/geo.js';
import { inbounds } from './models/inbounds.js';
import { legalHolds } from './models/legal-holds.js';
import { members } from './models/members.js';
import { proofs } from './models/proofs.js';
import { settings } from './models/settings.js';
import { traffic } from './models/traffic.js';
import { users } from './models/users.js';
import { webhooks } from './models/webhooks.js';
import { nodeBaselines } from './node/node-baselines.js';
import { nodeOutbox } from './node/node-outbox.js';
import { nodes } from './node/nodes.js';
import { timeline } from './timeline.js';

/** All read models, each from its snapshot or its initial state. */
export function startFolds(snapshots?: Pick<SnapshotStore, 'load'>) {
  return {
    inbounds: begin(inbounds, snapshots),
    clients: begin(clients, snapshots),
    traffic: begin(traffic, snapshots),
    clientIps: begin(clientIps, snapshots),
    baselines: begin(baselines, snapshots),
    coreState: begin(coreState, snapshots),
    settings: begin(settings, snapshots),
    users: begin(users, snapshots),
    access: begin(access, snapshots),
    timeline: begin(timeline, snapshots),
    directory: begin(directory, snapshots),
    warnedOf: begin(warnedOf, snapshots),
    geoSources: begin(geoSources, snapshots),
    backups: begin(backups, snapshots),
    nodes: begin(nodes, snapshots),
    nodeOutbox: begin(nodeOutbox, snapshots),
    proofs: begin(proofs, snapshots),
    nodeBaselines: begin(nodeBaselines, snapshots),
    legalHolds: begin(legalHolds, snapshots),
    webhooks: begin(webhooks, snapshots),
    members: begin(members, snapshots),
  };
}
export type Foldings = ReturnType<typeof startFolds>;
