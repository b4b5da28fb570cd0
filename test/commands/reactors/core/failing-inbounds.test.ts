import { describe, expect, it, vi } from 'vitest';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { CoreError } from '../../../../src/commands/ports/core.js';
import { InboundId } from '../../../../src/events/ids.js';
import { verbatim } from '../../../../src/messages/message.js';
import { inboundDraft, one } from '../../../kit/builders.js';
import { addInbound, type Place, started } from '../kit.js';
import { FakeCore } from './fake-core.js';

const restart: AnyCommand = { type: 'RestartCore', data: {} };
const three = [addInbound(1), addInbound(2), addInbound(3)] as const;
const refusals = (place: Place) => place.data('InboundRejectedByCore');
const running = (place: Place) => Object.keys(place.core.served);
const switchOff = (n: number): AnyCommand => ({
  type: 'SetInboundEnabled',
  data: { inbound: InboundId.parse(n), enabled: false },
});

/** A core that is given `spoiled` inbounds among its three. */
function spoiled(...tags: readonly string[]): FakeCore {
  const core = new FakeCore();
  for (const tag of tags) core.spoils.set(tag, false);
  return core;
}

describe('an inbound with which the core passes its test but does not start', () => {
  it('is found by attempts if the core names none, and left out at each start, with one report', async () => {
    const place = await started(spoiled('in-1', 'in-3'), ...three);
    const asked = ['start in-1,in-2,in-3', 'trialInbounds in-1,in-2,in-3', 'start in-2'];
    expect(await place.done(restart)).toStrictEqual(['stop', ...asked]);
    place.core.crash('killed');
    await place.wait(1100);
    expect(place.core.seen()).toStrictEqual(asked);
    await place.done({ type: 'ChangeCoreTemplate', data: { template: { log: {} }, outboundTestUrl: '' } });
    expect(running(place)).toStrictEqual(['in-2']);
    await place.close(false);
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(asked);
    expect(refusals(place).slice(-2)).toStrictEqual([
      { inbound: 1, reason: verbatim('in-1 is at fault') },
      { inbound: 3, reason: verbatim('in-3 is at fault') },
    ]);
    // Once when it was added to the running core, and once in the words of the start.
    expect(refusals(place)).toHaveLength(4);
    expect(place.data('CoreFailed')).toStrictEqual([{ run: 'run-2', reason: verbatim('killed') }]);
  });

  it('is found beside others that the core names', async () => {
    const core = spoiled('in-3');
    core.refuses.add('in-1');
    const place = await started(core, ...three);
    expect(await place.done(restart)).toStrictEqual([
      'stop',
      'start in-1,in-2,in-3',
      'start in-2,in-3',
      'trialInbounds in-2,in-3',
      'start in-2',
    ]);
    expect(running(place)).toStrictEqual(['in-2']);
  });

  it('needs no attempt of its own among many: after two named ones, all are tried at once', async () => {
    const core = new FakeCore();
    const many = Array.from({ length: 20 }, (_, n) => n + 1);
    for (const n of many.slice(1)) core.refuses.add(`in-${n}`);
    const place = await started(core, ...many.map((n) => addInbound(n)));
    const calls = await place.done(restart);
    expect(calls.map((call) => call.split(' ')[0])).toStrictEqual([
      'stop',
      'start',
      'start',
      'start',
      'trialInbounds',
      'start',
    ]);
    expect(running(place)).toStrictEqual(['in-1']);
  });

  it('is tried again in turn among many', async () => {
    const core = new FakeCore();
    const many = Array.from({ length: 30 }, (_, n) => n + 1);
    for (const n of many) core.refuses.add(`in-${n}`);
    const place = await started(core, ...many.map((n) => addInbound(n)));
    await place.wait(60_000);
    const first = core.seen();
    expect(first).toHaveLength(20);
    await place.wait(60_000);
    expect(new Set([...first, ...core.seen()])).toStrictEqual(new Set(many.map((n) => `addInbound in-${n}`)));
  });

  it('is not tried in the running core before it is changed', async () => {
    const core = spoiled();
    core.spoils.set('in-2', true);
    const place = await started(core, ...three);
    await place.done(restart);
    await place.wait(180_000);
    expect(core.seen()).toStrictEqual([]);
    const two = InboundId.parse(2);
    core.spoils.clear();
    const draft = inboundDraft({ spec: { port: 1022, tag: 'in-2' } });
    expect(await place.done({ type: 'UpdateInbound', data: { inbound: two, ...draft } })).toStrictEqual([
      'addInbound in-2',
    ]);
    expect(place.data('InboundAcceptedByCore')).toStrictEqual([{ inbound: 2 }]);
  });
});

describe('a core that does not start at all', () => {
  /** It starts without in-2, and names no inbound in its error. */
  async function down(): Promise<Place> {
    const place = await started(spoiled('in-2'), ...three);
    vi.spyOn(place.core.process, 'trialInbounds').mockResolvedValue(new Map());
    await place.done(restart);
    expect(place.core.run).toBeNull();
    expect(place.data('CoreFailed')).toStrictEqual([{ run: null, reason: verbatim('no such thing') }]);
    return place;
  }

  it('is tried at once when one of its inbounds is disabled or deleted', async () => {
    const place = await down();
    expect(await place.done(switchOff(2))).toStrictEqual(['start in-1,in-3']);
    const other = await down();
    expect(await other.done({ type: 'DeleteInbound', data: { inbound: InboundId.parse(2) } })).toStrictEqual([
      'start in-1,in-3',
    ]);
  });

  it('is tried at once with another template, but not after an inbound was added', async () => {
    const place = await down();
    expect(await place.done(addInbound(4))).toStrictEqual([]);
    const template: AnyCommand = { type: 'ChangeCoreTemplate', data: { template: { log: {} }, outboundTestUrl: '' } };
    expect(await place.done(template)).toContain('start in-1,in-2,in-3,in-4');
  });

  it('for a reason other than its inbounds has that reason reported', async () => {
    const place = await started(spoiled('in-2'), ...three);
    vi.spyOn(place.core.process, 'trialInbounds').mockRejectedValue(
      new CoreError('invalid', verbatim('there is no outbound')),
    );
    await place.done(restart);
    expect(place.data('CoreFailed')).toStrictEqual([{ run: null, reason: verbatim('no such thing') }]);
    expect(refusals(place)).toStrictEqual([{ inbound: 2, reason: verbatim('inbound in-2 is refused') }]);
  });
});

describe('a rejected inbound that runs again', () => {
  it('is recorded after a start', async () => {
    const place = await started(spoiled('in-1'), addInbound(1));
    await place.done(restart);
    place.core.spoils.clear();
    await place.done(restart);
    expect(place.data('InboundAcceptedByCore')).toStrictEqual([{ inbound: one }]);
    await place.done(restart);
    expect(place.data('InboundAcceptedByCore')).toHaveLength(1);
  });

  it('is recorded when the next panel process finds it running', async () => {
    const place = await started(spoiled('in-1'), addInbound(1));
    await place.close(true);
    place.core.spoils.clear();
    await place.open();
    expect(running(place)).toStrictEqual(['in-1']);
    expect(place.data('InboundAcceptedByCore')).toStrictEqual([{ inbound: one }]);
  });

  it('is recorded when it is enabled again', async () => {
    const place = await started(spoiled('in-1'), addInbound(1));
    await place.done(switchOff(1));
    place.core.spoils.clear();
    await place.done({ type: 'SetInboundEnabled', data: { inbound: one, enabled: true } });
    expect(place.data('InboundAcceptedByCore')).toStrictEqual([{ inbound: one }]);
  });
});
