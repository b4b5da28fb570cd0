import type { RecordedEvent } from '../../events/catalog.js';
import type { Facts, NodeFacts, Rule } from './why-facts.js';

/** What the machine says that is to listen for the client: this one, or a node. */
export function placeRules(facts: Facts): readonly Rule[] {
  return facts.node === null ? coreRules(facts) : nodeRules(facts, facts.node);
}

function coreRules({ inbound, core, log }: Facts): readonly Rule[] {
  const { process, refused } = core;
  const stopped: readonly RecordedEvent['type'][] = process.wanted
    ? ['CoreFailed', 'CoreStopped']
    : ['CoreStopRequested'];
  return [
    {
      standing: 'inbound refused by the core',
      holds: refused.has(inbound.id),
      rule: `the core does not take inbound ${inbound.tag}: ${refused.get(inbound.id) ?? ''}`,
      since: () =>
        log.lastOf('core', ['InboundRejectedByCore'], ({ data }) => 'inbound' in data && data.inbound === inbound.id),
      remedies: ['correct the settings of the inbound'],
    },
    {
      standing: 'core not running',
      holds: process.run === null,
      rule: process.error === '' ? 'the core is stopped' : `the core is down: ${process.error}`,
      since: () => log.lastOf('core', stopped),
      remedies: [process.wanted ? 'restart the core' : 'start the core'],
    },
  ];
}

function nodeRules({ inbound, history, log }: Facts, { id, document, offline, outbox }: NodeFacts): readonly Rule[] {
  const name = document?.name ?? String(id);
  const waiting = outbox?.waiting ?? [];
  const isOfInbound = ({ data }: RecordedEvent): boolean => 'inbound' in data && data.inbound === inbound.id;
  const [unknown] = history.filter(({ position }) => waiting.includes(position));
  /** It came here together with the inbound, from a panel that had told the node of both. */
  const cameAlong = ({ meta }: RecordedEvent): boolean =>
    log.lastOf(`node-sync-${id}`, ['NodeInboundAdopted'], isOfInbound)?.meta.correlationId === meta.correlationId;
  const isThere = outbox !== undefined && (outbox.inherited || outbox.applied !== null);
  /** The node was told of the client at some time, and runs what it was told last. */
  const has = isThere && (unknown?.type !== 'ClientAdded' || (outbox.inherited && cameAlong(unknown)));
  const isRefused = outbox?.refused !== null && outbox?.refused !== undefined;
  const goesOn = has ? 'it goes on with what it was told last' : 'it does not know the client yet';
  return [
    {
      standing: 'node gone',
      holds: document === undefined,
      rule: `inbound ${inbound.tag} is bound to node ${name}, which was taken out of the register`,
      since: () => log.lastOf(`node-${id}`, ['NodeDeleted']),
      remedies: ['add the client to an inbound of another machine'],
    },
    {
      standing: 'inbound refused by the node',
      holds: isRefused && document !== undefined,
      rule: `node ${name} does not take inbound ${inbound.tag}: ${outbox?.refused?.reason ?? ''}`,
      since: () => log.lastOf(`node-sync-${id}`, ['NodeInboundRejected'], isOfInbound),
      remedies: ['correct the settings of the inbound', 'correct what the node says is in the way'],
    },
    {
      standing: 'node away',
      holds: document?.enabled === false,
      harmless: has,
      rule: `node ${name} is switched off here and told nothing: ${goesOn}`,
      since: () => log.lastOf(`node-${id}`, ['NodeDisabled', 'NodeAdded']),
      remedies: ['switch the node on'],
    },
    {
      standing: 'node away',
      holds: offline !== null && document?.enabled === true,
      harmless: has,
      rule: `node ${name} does not answer (${offline || 'no reason is known'}): ${goesOn}`,
      since: () => log.lastOf(`node-${id}`, ['NodeWentOffline']),
      remedies: ['see that the node runs and can be reached'],
    },
    {
      standing: 'node behind',
      // Where something stands in its way, that is what there is to change.
      holds: unknown !== undefined && document?.enabled === true && offline === null && !isRefused,
      harmless: has,
      rule: `node ${name} has not been told of the newest changes (${waiting.length} of this inbound wait): ${goesOn}`,
      since: () => unknown,
      remedies: ['wait until the node was told', 'see at the node why it takes so long'],
    },
  ];
}
