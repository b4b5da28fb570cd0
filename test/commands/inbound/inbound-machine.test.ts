import { describe, expect, it } from 'vitest';
import { panelState } from '../../../src/commands/state.js';
import {
  LeaderElected,
  LeadershipHandedOver,
  MemberAddressChanged,
  MemberApproved,
  MemberRemoved,
} from '../../../src/events/cluster.js';
import { InboundUpdated } from '../../../src/events/inbound/inbound.js';
import { message } from '../../../src/messages/message.js';
import { inboundAdded, inboundDraft, one, two, userId } from '../../kit/builders.js';
import { folded, given } from '../../kit/spec.js';

const elected = LeaderElected({ member: 'north', former: null, reason: 'first' });
const approved = MemberApproved({ member: 'south', fingerprint: 'AAAA' });
const members = [elected, approved] as const;
/** A change that is decided at `north`, which leads. */
const at = (asked: string, ownPorts: readonly { port: number; listen: string; server: 'panel' }[] = []) => ({
  cluster: { here: 'north', asked },
  ownPorts,
});
const add = (over: object = {}) =>
  ({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ spec: { tag: 'in-2', ...over } }) } }) as const;
const update = (over: object) =>
  ({ type: 'UpdateInbound', data: { inbound: one, ...inboundDraft({ spec: over }) } }) as const;
const homed = (machine: string) => inboundAdded({ spec: { machine } });

describe('the machine of an inbound', () => {
  it('is the member at which it was added', () => {
    given(...members)
      .when(add(), at('south'))
      .then(inboundAdded({ id: one, spec: { tag: 'in-2', machine: 'south' } }));
    given(...members)
      .when(add(), at('north'))
      .then(inboundAdded({ id: one, spec: { tag: 'in-2', machine: 'north' } }));
  });

  it('may be named, also another one than where it was added', () => {
    given(...members)
      .when(add({ machine: 'north' }), at('south'))
      .then(inboundAdded({ id: one, spec: { tag: 'in-2', machine: 'north' } }));
  });

  it('is not in the event without a cluster', () => {
    given()
      .when(add())
      .then(inboundAdded({ id: one, spec: { tag: 'in-2' } }));
  });

  it('must be a member', () => {
    given(...members)
      .when(add({ machine: 'west' }), at('north'))
      .thenRejects('MACHINE_UNKNOWN', { machine: 'west', known: ['north', 'south'] });
    given(...members, homed('south'))
      .when(update({ machine: 'west' }), at('north'))
      .thenRejects('MACHINE_UNKNOWN', { machine: 'west', known: ['north', 'south'] });
    given(...members, MemberRemoved({ member: 'south' }))
      .when(add({ machine: 'south' }), at('north'))
      .thenRejects('MACHINE_UNKNOWN', { machine: 'south', known: ['north'] });
  });

  it('changes with an update that names another one, and stays without', () => {
    given(...members, homed('north'))
      .when(update({ machine: 'south' }), at('north'))
      .then(InboundUpdated({ inbound: one, changes: { machine: 'south' } }));
    given(...members, homed('south'))
      .when(update({}), at('north'))
      .thenNothing();
    given(...members, homed('gone'))
      .when(update({ remark: 'other' }), at('north'))
      .then(InboundUpdated({ inbound: one, changes: { remark: 'other' } }));
  });

  it('is that of the first leader for inbounds from before the cluster', () => {
    const state = folded(panelState, inboundAdded(), elected, LeaderElected({ member: 'south' }));
    expect(state.inbounds.get(one)?.machine).toBe('north');
  });

  it('has its own ports', () => {
    const same = { port: 443, tag: 'in-2' };
    given(...members, inboundAdded({ spec: { machine: 'north', port: 443 } }))
      .when(add(same), at('south'))
      .then(inboundAdded({ id: two, spec: { ...same, machine: 'south' } }));
    given(...members, inboundAdded({ spec: { machine: 'south', port: 443 } }))
      .when(add(same), at('south'))
      .thenRejects('PORT_TAKEN', { port: 443, by: message('inbound.name', { tag: 'in-1' }) });
    const panel = { port: 443, listen: '', server: 'panel' } as const;
    given(...members)
      .when(add(same), at('south', [panel]))
      .then(inboundAdded({ id: one, spec: { ...same, machine: 'south' } }));
    given(...members)
      .when(add(same), at('north', [panel]))
      .thenRejects('PORT_TAKEN');
    // A panel that has left its cluster runs all of them.
    given(...members, inboundAdded({ spec: { machine: 'south', port: 443 } }))
      .when(add(same))
      .thenRejects('PORT_TAKEN');
  });
});

describe('a member', () => {
  const remove = (force: boolean) => ({ type: 'RemoveMember', data: { member: 'south', force } }) as const;

  it('with inbounds is removed only by force', () => {
    given(...members, homed('south'))
      .when(remove(false))
      .thenRejects('CLUSTER_MEMBER_HAS_INBOUNDS', { member: 'south', inbounds: ['in-1'] });
    given(...members, homed('south'))
      .when(remove(true))
      .then(MemberRemoved({ member: 'south' }));
    given(...members, homed('north'))
      .when(remove(false))
      .then(MemberRemoved({ member: 'south' }));
  });

  it('has the address that it reports', () => {
    const report = { type: 'RecordMemberAddress', data: { member: 'south', address: 'south.example.com' } } as const;
    const changed = MemberAddressChanged(report.data);
    given(...members)
      .when(report)
      .then(changed);
    given(...members, changed, LeadershipHandedOver({ member: 'north' }))
      .when(report)
      .thenNothing();
  });
});
