import { onTestFinished, vi } from 'vitest';
import { createPanel, type Panel } from '../../../src/app/panel.js';
import type { AnyCommand } from '../../../src/commands/catalog.js';
import { Rejection } from '../../../src/commands/rejection.js';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import { admin, inboundDraft, one, userId } from '../../kit/builders.js';
import { Clock } from '../../kit/clock.js';
import { temporaryFolder } from '../../kit/log.js';
import { FakeCore } from './core/fake-core.js';

export const addInbound = (n: number, over: Parameters<typeof inboundDraft>[0] = {}): AnyCommand => ({
  type: 'AddInbound',
  data: { owner: userId(1), ...inboundDraft({ ...over, spec: { port: 1000 + n, tag: `in-${n}`, ...over.spec } }) },
});
export const addClients = (
  ...clients: NonNullable<Parameters<typeof inboundDraft>[0]>['clients'] & object
): AnyCommand => ({
  type: 'AddClients',
  data: { inbound: one, clients },
});

/** A panel with a real log, a fake core and a clock of the test. */
export class Place {
  readonly root = temporaryFolder();
  readonly clock = new Clock();
  readonly core: FakeCore;
  readonly warnings: string[] = [];
  panel!: Panel;

  constructor(core = new FakeCore()) {
    this.core = core;
  }

  /** Starts the panel and waits until its core has followed. */
  async open(): Promise<this> {
    this.panel = await this.#make();
    await this.panel.start();
    await this.calm();
    return this;
  }

  #make(): Promise<Panel> {
    const { root: dataDir, clock, core, warnings } = this;
    return createPanel({
      dataDir,
      version: '0',
      createCore: () => core,
      now: clock.now,
      warn: (message) => warnings.push(message),
      failed: (error) => warnings.push(error.message),
    });
  }

  /** The log has these events, but the panel exited before it updated the core. The core keeps running. */
  async diedAfter(...commands: readonly AnyCommand[]): Promise<void> {
    await this.close(true);
    const { left } = this.core;
    // Reactors that have not begun do nothing.
    this.panel = await this.#make();
    this.must(...commands);
    await this.close(true);
    this.core.left = left;
  }

  async close(keepCore: boolean): Promise<void> {
    await this.panel.stop(keepCore);
  }

  must(...commands: readonly AnyCommand[]): void {
    for (const command of commands) {
      const done = this.panel.dispatch(command, { actor: admin, correlationId: 'test' });
      if (done instanceof Rejection) throw new Error(done.message);
    }
  }

  /** Dispatches, and waits until the core has followed. */
  async done(...commands: readonly AnyCommand[]): Promise<string[]> {
    this.core.seen();
    this.must(...commands);
    await this.calm();
    return this.core.seen();
  }

  async calm(): Promise<void> {
    for (let i = 0; i < 12; i += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.panel.reactors.settled();
    }
  }

  /** Advances the timers by this duration. */
  async wait(ms: number): Promise<void> {
    this.clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
    await this.calm();
  }

  events(...types: readonly RecordedEvent['type'][]): readonly RecordedEvent[] {
    return this.panel.log.read(0, 10_000).filter(({ type }) => types.includes(type));
  }

  data(...types: readonly RecordedEvent['type'][]): readonly unknown[] {
    return this.events(...types).map(({ data }) => data);
  }
}

/** Only timers are faked: immediates and promises run as usual. */
export function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** A panel that has begun, with one inbound and the clients alice and bob in it. */
export async function started(core?: FakeCore, ...more: readonly AnyCommand[]): Promise<Place> {
  holdTimers();
  const place = await new Place(core).open();
  place.must(...more);
  await place.calm();
  place.core.seen();
  onTestFinished(() => place.close(false).catch(() => undefined));
  return place;
}
