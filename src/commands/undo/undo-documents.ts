import type { AccessState } from '../../events/access/access-document.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { NodeSpec } from '../../events/node/node.js';
import type { Node } from '../../events/node/node-document.js';
import { sameJson } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import type { ClientDraft } from '../client/credentials.js';
import type { FormerOwner } from '../client/former-owners.js';
import type { InboundUsage } from '../inbound/restore.js';
import type { PanelState } from '../state.js';
import type { PastCommand } from './past-command.js';
import { DELETED_SINCE, KEY_DESTROYED, type Planning } from './planning.js';
import type { Step } from './steps.js';
import { holdersBack } from './undo-access.js';

/** The counters of the inbounds that a command deleted, and the access that there was then. */
export interface FormerInbounds {
  readonly inbounds: ReadonlyMap<number, InboundUsage>;
  readonly access: AccessState | null;
}

/** Returns the deleted inbounds that are added again, which bring their clients. */
export function inboundsBack(
  past: PastCommand,
  state: PanelState,
  planning: Planning,
  former: FormerInbounds,
): ReadonlySet<number> {
  const readded = new Set<number>();
  for (const [id, { before, after, erased }] of past.inbounds) {
    if (before === null) continue;
    const [document, name] = [`inbound-${id}`, before.remark || before.tag];
    if (after === null) {
      const clients = [...past.clients.values()].filter((step) => step.before?.inbound === id);
      if (erased || clients.some((step) => step.erased)) planning.cannot(document, name, KEY_DESTROYED);
      else if (before.node !== null && !state.nodes.has(before.node))
        planning.cannot(document, name, message('undo.nodeGone'));
      else {
        const drafts = clients.flatMap((step) => (step.before ? [draftOf(step.before)] : []));
        const data = { ...inboundDraftOf(before, drafts), owner: before.owner, node: before.node ?? undefined };
        const [used, givenTo] = [former.inbounds.get(id) ?? null, holdersBack(id, former.access, state, planning)];
        const owners = clients.flatMap((step) => ownerOf(past, step.before));
        planning.do(document, name, {
          type: 'RestoreInbound',
          data: { ...data, used, givenTo, owners, counters: [] },
        });
        readded.add(id);
      }
    } else inboundBack(document, name, { before, after, erased }, state, planning);
  }
  return readded;
}

function inboundBack(
  document: string,
  name: string,
  { before, after, erased }: Step<Inbound> & { readonly before: Inbound; readonly after: Inbound },
  state: PanelState,
  planning: Planning,
): void {
  const current = state.inbounds.get(before.id);
  if (!current) return planning.cannot(document, name, DELETED_SINCE);
  if (erased && !sameJson(before.config, after.config)) planning.cannot(document, name, KEY_DESTROYED, 'config');
  const shown = (inbound: Inbound) => ({
    ...inboundDraftOf(inbound, []).spec,
    enabled: inbound.enabled,
    ...(erased ? {} : { settings: inbound.config.settings, stream: inbound.config.stream }),
  });
  const next = planning.merged(document, name, { before: shown(before), after: shown(after) }, shown(current));
  const { enabled, settings = current.config.settings, stream = current.config.stream, ...spec } = next;
  if (sameJson(next, shown(current))) return;
  const { enabled: _, ...asNow } = shown(current);
  const { enabled: __, ...asNext } = next;
  if (sameJson(asNow, asNext))
    return planning.do(document, name, { type: 'SetInboundEnabled', data: { inbound: before.id, enabled } });
  const clients = [...(state.clientsOf.get(before.id) ?? [])].flatMap((number) => {
    const client = state.clients.get(number);
    const deleted = planning.compensations.some(
      ({ document: other, command }) => other === `client-${number}` && command.type === 'DeleteClients',
    );
    return client && !deleted ? [draftOf(client)] : [];
  });
  const data = { inbound: before.id, spec, enabled, config: { settings, stream }, clients };
  planning.do(document, name, { type: 'UpdateInbound', data });
}

export function nodeBack(
  document: string,
  { before, after, erased }: Step<Node>,
  state: PanelState,
  planning: Planning,
): void {
  if (before === null) return;
  const { name } = before;
  if (after === null) {
    if (erased) planning.cannot(document, name, KEY_DESTROYED, 'token');
    const spec = nodeSpecOf(before);
    planning.do(document, name, {
      type: 'AddNode',
      data: { spec, enabled: before.enabled, token: erased ? '' : before.token },
    });
    const bound = [...state.inbounds.values()].filter(({ node }) => node === before.id).length;
    if (bound > 0) planning.cannot(document, name, message('undo.nodeInbounds', { count: bound }));
    return;
  }
  const current = state.nodes.get(before.id);
  if (!current) return planning.cannot(document, name, DELETED_SINCE);
  if (before.keyVersion !== after.keyVersion) planning.cannot(document, name, KEY_DESTROYED, 'token');
  const shown = (node: Node) => ({ ...nodeSpecOf(node), enabled: node.enabled });
  const { enabled, ...changes } = planning.merged(
    document,
    name,
    { before: shown(before), after: shown(after) },
    shown(current),
  );
  if (sameJson({ ...changes, enabled }, shown(current))) return;
  planning.do(document, name, { type: 'UpdateNode', data: { node: before.id, changes, enabled, token: '' } });
}

/** Returns the deleted clients that are added again. */
export function clientsBack(
  past: PastCommand,
  state: PanelState,
  planning: Planning,
  done: { readonly moved: ReadonlySet<ClientNumber>; readonly readdedInbounds: ReadonlySet<number> },
): readonly Client[] {
  const readded: Client[] = [];
  for (const [number, step] of past.clients) {
    const { before, after, erased } = step;
    if (before === null || done.moved.has(number)) continue;
    const [document, name] = [`client-${number}`, before.identity.email];
    if (after !== null) clientBack(document, { before, after, erased }, past.events, state, planning);
    else if (done.readdedInbounds.has(before.inbound)) readded.push(before);
    else if (past.inbounds.get(before.inbound)?.after === null)
      continue; // its inbound says why
    else if (erased) planning.cannot(document, name, KEY_DESTROYED);
    else if (!state.inbounds.has(before.inbound)) planning.cannot(document, name, message('undo.inboundGone'));
    else {
      const data = { inbound: before.inbound, clients: [draftOf(before)], owners: ownerOf(past, before) };
      planning.do(document, name, { type: 'AddClients', data });
      readded.push(before);
    }
  }
  return readded;
}

/** The owner that a deleted client had. */
const ownerOf = ({ owners }: PastCommand, client: Client | null): readonly FormerOwner[] =>
  client ? [{ email: client.identity.email, owner: owners.get(client.number)?.before ?? null }] : [];

function clientBack(
  document: string,
  { before, after, erased }: Step<Client> & { readonly before: Client; readonly after: Client },
  events: readonly RecordedEvent[],
  state: PanelState,
  planning: Planning,
): void {
  const { email: name } = after.identity;
  const current = state.clients.get(before.number);
  if (!current) return planning.cannot(document, name, DELETED_SINCE);
  const rotated = events.some(
    (event) => event.type === 'ClientCredentialRotated' && event.data.client === before.number,
  );
  if (rotated) planning.cannot(document, name, KEY_DESTROYED, 'credential');
  else if (erased && !sameJson(before.identity, after.identity))
    planning.cannot(document, name, KEY_DESTROYED, 'identity');
  const spec = planning.merged(document, name, { before: before.spec, after: after.spec }, current.spec);
  const personal = rotated || erased;
  const identity = personal
    ? current.identity
    : planning.merged(document, name, { before: before.identity, after: after.identity }, current.identity);
  const draft = { spec, identity, credential: current.credential };
  if (sameJson(draft, draftOf(current))) return;
  const data = { inbound: current.inbound, client: { email: current.identity.email }, draft };
  planning.do(document, name, { type: 'UpdateClient', data });
}

const draftOf = ({ spec, identity, credential }: Client): ClientDraft => ({ spec, identity, credential });

function nodeSpecOf({ name, remark, scheme, host, port, basePath, allowPrivateAddress }: Node): NodeSpec {
  return { name, remark, scheme, host, port, basePath, allowPrivateAddress };
}

function inboundDraftOf(inbound: Inbound, clients: readonly ClientDraft[]) {
  const { remark, listen, port, protocol, tag, capBytes, expiresAt, trafficReset, sniffing, machine } = inbound;
  const place = machine === undefined ? {} : { machine };
  const spec = { remark, listen, port, protocol, tag, capBytes, expiresAt, trafficReset, sniffing, ...place };
  return { spec, enabled: inbound.enabled, config: inbound.config, clients };
}
