import { ClientDepleted } from '../../../src/events/client/client.js';
import {
  bob,
  clientAdded,
  draft,
  first,
  inboundAdded,
  otherInbound,
  second,
  traffic,
  two,
} from '../../kit/builders.js';

/** Alice in the first inbound, and Bob in the other one. */
export const past = [inboundAdded(), otherInbound(), clientAdded(), clientAdded(bob, second, two)] as const;
/** Alice with a cap of 10 bytes. */
export const capped = draft('alice', 1, { spec: { capBytes: 10 } });
export const capReached = (client = first) =>
  ClientDepleted({ client, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } });
/** Alice has used more than her cap, and was disconnected. */
export const overCap = [inboundAdded(), clientAdded(capped), traffic({ clients: [[1, 6, 6]] }), capReached()] as const;
