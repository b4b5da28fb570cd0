import { EMPTY, Subject } from 'rxjs';
import { createBus } from '../../../../src/commands/bus.js';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import type { GroupedCommand } from '../../../../src/commands/counter-commands.js';
import { CoreError } from '../../../../src/commands/ports/core.js';
import type { HostReading } from '../../../../src/commands/ports/host.js';
import type { Web } from '../../../../src/commands/ports/web.js';
import { Rejection } from '../../../../src/commands/rejection.js';
import { panelState } from '../../../../src/commands/state.js';
import { FULL_ACCESS } from '../../../../src/events/access/access-of.js';
import { eventType, type RecordedEvent } from '../../../../src/events/catalog.js';
import type { EventLog } from '../../../../src/events/log/log.js';
import { begin } from '../../../../src/events/log/replay.js';
import type { HttpRequest } from '../../../../src/http/panel/context.js';
import { JsonOf, JsonPages, type Route } from '../../../../src/http/panel/contract/route.js';
import { Message } from '../../../../src/http/panel/outcomes.js';
import { statusText } from '../../../../src/http/panel/status-text.js';
import { KeyedDigest } from '../../../../src/lib/secrets/keyed-digest.js';
import { textOfIssue } from '../../../../src/messages/issue.js';
import type { Text } from '../../../../src/messages/message.js';
import { verbatim } from '../../../../src/messages/message.js';
import { render } from '../../../../src/messages/render.js';
import { LogReadModels } from '../../../../src/projections/read-models.js';
import { changeBy } from '../../../kit/change.js';
import { type CoreStub, stubCore } from '../../../kit/stub-core.js';
import type { FlatServices } from '../../kit/services.js';

export const NOW = Date.UTC(2026, 7, 30, 12);
const actor = { kind: 'user', id: '1', name: 'admin', ip: null } as const;

export const reading: HostReading = {
  cpu: 12.5,
  cpuCores: 4,
  logicalPro: 8,
  cpuSpeedMhz: 2400.5,
  mem: { current: 1.4, total: 8 },
  swap: { current: 0, total: 0 },
  disk: { current: 5, total: 9 },
  netIO: { up: 10.6, down: 3 },
  netTraffic: { sent: 1, recv: 2 },
  tcpCount: 3,
  udpCount: 4,
  load: { load1: 0.5, load5: 0.4, load15: 0.3 },
  uptime: 100.9,
  publicIP: { ipv4: 'N/A', ipv6: 'N/A' },
  missing: [],
  appStats: { threads: 11, mem: 1000 },
};

/** A log in memory that validates events, as the real one does. */
function memoryLog(): EventLog & { readonly events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  const appended$ = new Subject<readonly RecordedEvent[]>();
  return {
    events,
    appended$,
    append(batch, context) {
      const recorded = batch.map(({ type, data }, index) => {
        const definition = eventType(type);
        if (!definition) throw new Error(`unknown event ${type}`);
        const checked = JSON.parse(JSON.stringify(definition.schema.parse(data))) as unknown;
        const position = events.length + index + 1;
        // The type of the event is known only at run time, and its schema has checked the data.
        const meta = { at: context.at, actor, correlationId: 'c', causationId: null, commandId: null };
        return {
          type,
          data: checked,
          position,
          id: String(position),
          stream: 's',
          version: position,
          meta,
        } as unknown as RecordedEvent;
      });
      events.push(...recorded);
      appended$.next(recorded);
      return recorded;
    },
    group: (work) => work(),
    read: (position, limit) => events.slice(position, position + limit),
    readStream: () => [],
    nextBy: () => null,
    outcomeOf: () => null,
    head: () => ({ position: events.length, hash: '' }),
    measuredRoot: () => ({ root: '', count: 0 }),
  };
}

const noRequest = async (): Promise<never> => {
  throw new Error('this test makes no request');
};

/** A `Web` that checks addresses and makes no request. */
export const webWith = (problem: Web['problem']): Web => ({ problem, request: noRequest, download: noRequest });

type Context = Partial<FlatServices & Omit<HttpRequest, 'dispatch'>> & { readonly auth?: object };
type Parts = Omit<Context, 'core'> & { readonly core?: CoreStub };

/** A panel without sockets and disks: `call` checks the input as the router does and returns the envelope. */
export function startPanel(parts: Parts = {}) {
  const log = memoryLog();
  let clock = NOW;
  const bus = createBus({ log, state: begin(panelState), now: () => clock, ownPorts: () => [], closed: () => null });
  const read = new LogReadModels(log);
  const core = stubCore(parts.core);
  const host = { latest: reading, readings$: EMPTY };
  const context = {
    read,
    host,
    status: statusText(read, host, () => clock),
    now: () => clock,
    version: '0.0.0',
    coreSettled: async () => undefined,
    outcome: async () => null,
    portProblem: async () => null,
    web: webWith(async () => null),
    serverPortProblem: async () => null,
    versions: new KeyedDigest(Buffer.alloc(32)),
    alarms: { notify: () => undefined, raised$: EMPTY },
    auth: { byToken: false },
    overrides: {},
    restarting: () => false,
    subPort: () => 10_882,
    certificateProblem: async () => null,
    certificateStatus: async () => ({ pair: null, problem: null }),
    servedSettings: () => read.settings.current(),
    pairProblem: async () => null,
    actor,
    access: FULL_ACCESS,
    wants: { counters: false, accept: '' },
    userId: 1,
    requestHost: 'panel.example',
    say: (text: Text) => render(text, 'en'),
    dispatch: (command: AnyCommand) => bus(command, { actor, correlationId: 'c' }),
    change: (make: () => GroupedCommand | Rejection) => changeBy(bus)(make, { actor, correlationId: 'c' }),
    refusalOf: (command: AnyCommand) => {
      const done = bus(command, { actor, correlationId: 'c', dryRun: true });
      return done instanceof Rejection ? done : null;
    },
    ...parts,
    core,
  } satisfies Context & { readonly dispatch: unknown };

  type Handler = (input: never, services: never, request: never) => unknown;
  async function call<T extends Readonly<Record<string, Route>>, K extends keyof T & string>(
    table: T,
    handlers: { readonly [N in K]: Handler },
    name: K,
    input: { readonly params?: unknown; readonly body?: unknown } = {},
  ): Promise<{ success: boolean; msg: string; obj: unknown }> {
    const route: Route | undefined = table[name];
    if (!route) throw new Error(`the table has no route ${name}`);
    const params = route.params.safeParse(input.params ?? {});
    const body = route.body.safeParse(input.body);
    const wrong = params.error ?? body.error;
    if (wrong) {
      return {
        success: false,
        msg: wrong.issues
          .map((problem) => `${problem.path.join('.')}: ${render(textOfIssue(problem), 'en')}`)
          .join('; '),
        obj: null,
      };
    }
    // The handlers of a table have different inputs and services, so TypeScript cannot pair them; `mount` does the same.
    const outcome = await handlers[name](
      { params: params.data, body: body.data } as never,
      context as never,
      context as never,
    );
    if (outcome instanceof Rejection) return { success: false, msg: outcome.message, obj: null };
    if (outcome instanceof JsonPages)
      return { success: true, msg: '', obj: JSON.parse(Buffer.concat(outcome.pieces).toString()) as unknown };
    if (outcome instanceof JsonOf) return { success: true, msg: '', obj: JSON.parse(outcome.text) as unknown };
    const [msg, obj] = outcome instanceof Message ? [render(outcome.text, 'en'), outcome.obj] : ['', outcome ?? null];
    return { success: true, msg, obj: JSON.parse(JSON.stringify(obj)) as unknown };
  }

  return {
    log,
    read,
    context,
    call,
    advance: (ms: number) => void (clock += ms),
    dispatch: (command: AnyCommand) => bus(command, { actor, correlationId: 'c' }),
  };
}

export const failing = (kind: CoreError['kind'], message: string) => async (): Promise<void> => {
  throw new CoreError(kind, verbatim(message));
};

export const invalid = (message: string) => failing('invalid', message);
