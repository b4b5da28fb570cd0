import type { RecordedEvent } from '../../events/catalog.js';
import { message } from '../../messages/message.js';
import type { Facts, NodeFacts, Rule } from './why-facts.js';

/** The rules of the machine of the inbound: this one, or a node. */
export function placeRules(facts: Facts): readonly Rule[] {
  return facts.node === null ? coreRules(facts) : nodeRules(facts, facts.node);
}

function coreRules({ inbound: { id, tag }, core, log }: Facts): readonly Rule[] {
  const { process, refused } = core;
  const stopped: readonly RecordedEvent['type'][] = process.wanted
    ? ['CoreFailed', 'CoreStopped']
    : ['CoreStopRequested'];
  return [
    {
      status: 'inbound rejected by the core',
      holds: refused.has(id),
      rule: message('why.rejectedByCore', { tag, reason: refused.get(id) ?? message('why.reasonUnknown') }),
      since: () =>
        log.lastOf('core', ['InboundRejectedByCore'], ({ data }) => 'inbound' in data && data.inbound === id),
      remedies: [message('why.correctInbound')],
    },
    {
      status: 'core not running',
      holds: process.run === null,
      rule: process.error === null ? message('why.coreStopped') : message('why.coreFailed', { reason: process.error }),
      since: () => log.lastOf('core', stopped),
      remedies: [process.wanted ? message('why.restartCore') : message('why.startCore')],
    },
  ];
}

function nodeRules(facts: Facts, nodeFacts: NodeFacts): readonly Rule[] {
  const { inbound, log } = facts;
  const { id, document, offline, outbox } = nodeFacts;
  const place = { tag: inbound.tag, node: document?.name ?? String(id) };
  const waiting = outbox?.waiting ?? [];
  const { pending, isServed } = syncOf(facts, nodeFacts);
  const refused = outbox?.refused ?? null;
  const effect = isServed ? message('why.nodeKeepsRunning') : message('why.nodeLacksClient');
  return [
    {
      status: 'node deleted',
      holds: document === undefined,
      rule: message('why.nodeDeleted', place),
      since: () => log.lastOf(`node-${id}`, ['NodeDeleted']),
      remedies: [message('why.useOtherInbound')],
    },
    {
      status: 'inbound rejected by the node',
      holds: refused !== null && document !== undefined,
      rule: message('why.rejectedByNode', { ...place, reason: refused?.reason ?? message('why.reasonUnknown') }),
      since: () => log.lastOf(`node-sync-${id}`, ['NodeInboundRejected'], (event) => isOf(event, inbound.id)),
      remedies: [message('why.correctInbound'), message('why.correctOnNode')],
    },
    {
      status: 'node disabled',
      holds: document?.enabled === false,
      harmless: isServed,
      rule: message('why.nodeDisabled', { ...place, effect }),
      since: () => log.lastOf(`node-${id}`, ['NodeDisabled', 'NodeAdded']),
      remedies: [message('why.enableNode')],
    },
    {
      status: 'node unreachable',
      holds: offline !== null && document?.enabled === true,
      harmless: isServed,
      rule: message('why.nodeUnreachable', { ...place, reason: offline ?? message('why.reasonUnknown'), effect }),
      since: () => log.lastOf(`node-${id}`, ['NodeWentOffline']),
      remedies: [message('why.checkNode')],
    },
    {
      status: 'node outdated',
      // When the node is disabled, unreachable or rejects the inbound, that is the cause to remove.
      holds: pending !== undefined && document?.enabled === true && offline === null && refused === null,
      harmless: isServed,
      rule: message('why.nodeOutdated', { ...place, changes: waiting.length, effect }),
      since: () => pending,
      remedies: [message('why.waitForNode'), message('why.checkNodeDelay')],
    },
  ];
}

/**
 * The first change of the client that the node has not applied, and whether the node serves the client, perhaps with older
 * settings.
 */
function syncOf({ inbound, history, log }: Facts, { id, outbox }: NodeFacts) {
  const waiting = outbox?.waiting ?? [];
  const [pending] = history.filter(({ position }) => waiting.includes(position));
  /** It was imported together with the inbound, from a panel that had sent both to the node. */
  const isAdopted = ({ meta }: RecordedEvent): boolean => {
    const adopted = log.lastOf(`node-sync-${id}`, ['NodeInboundAdopted'], (event) => isOf(event, inbound.id));
    return adopted?.meta.correlationId === meta.correlationId;
  };
  const hasInbound = outbox !== undefined && (outbox.adopted || outbox.applied !== null);
  const hasClient = pending?.type !== 'ClientAdded' || (outbox?.adopted === true && isAdopted(pending));
  return { pending, isServed: hasInbound && hasClient };
}

function isOf({ data }: RecordedEvent, inbound: number): boolean {
  return 'inbound' in data && data.inbound === inbound;
}
