import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Subject } from 'rxjs';
import { type Core, type CoreConfig, CoreError, type CoreExit, type CoreRun } from '../../commands/ports/core.js';
import { isObject, type JsonObject } from '../../lib/json.js';
import type { Accepted } from './attribution/access-log.js';
import { cutUsers } from './attribution/cut.js';
import { flowFilter } from './attribution/flows.js';
import { type CoreLogs, followLogs } from './attribution/logs.js';
import { accountDigest } from './config/account.js';
import { assemble, logFiles } from './config/assembly.js';
import { checkSocketFolder, isDatagram, soloInbound, wholeInbound } from './config/inbound.js';
import { keyCommands } from './config/key-commands.js';
import { x25519 } from './config/keys.js';
import { outboundsOf, tagsIn } from './config/outbounds.js';
import { passedOver } from './config/passed-over.js';
import { refuseUsers, rulesOf } from './config/routing.js';
import { members } from './config/template.js';
import { groupCounters } from './control/counters.js';
import { type CoreApi, connectApi } from './control/grpc.js';
import { cutAddresses, holdAddresses, silenceOf } from './control/held.js';
import { addInbounds, addUser, onlineUsers, removeInbound, removeUser, usersOf } from './control/hot.js';
import { coreMetrics } from './control/metrics.js';
import { stillAnswers } from './process/answers.js';
import { type Binary, binaryOf } from './process/binary.js';
import { makeFolder, readJson, writeAtomically } from './process/files.js';
import { judge, type TrialCore } from './process/judge.js';
import { douse, type Lit, light } from './process/light.js';
import { memoryIn } from './process/memory.js';
import { checkMetrics, metricsFor } from './process/metrics-port.js';
import { missing } from './process/missing.js';
import { watchOutput } from './process/output.js';
import { type PlaceOptions, placeOf } from './process/place.js';
import { asItIsNow, end } from './process/proc.js';
import { complaints, type Ending, findCore, type RunningCore, reasonOf, watch } from './process/process.js';

export interface XrayOptions extends PlaceOptions {
  /** Path of the executable, or null when there is none. */
  readonly binary: string | null;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void;
}

/** A run that this adapter drives. */
interface Live {
  readonly core: RunningCore;
  readonly api: CoreApi;
  readonly logs: CoreLogs;
  readonly stopWatching: () => void;
}

/** The `Core` port over a real Xray. */
export function createXrayCore(options: XrayOptions): Core {
  const place = placeOf(options);
  const { paths, dataDir, configFile, pidFile, memoryFile, outputFile, environment } = place;
  const { runDir } = paths;
  const executable = (path: string | null) =>
    binaryOf({ path: path === null ? null : resolve(path), runDir, environment });
  let binary = executable(options.binary);
  const memory = memoryIn(memoryFile);
  const exited$ = new Subject<CoreExit>();
  const flows = flowFilter(runDir);
  const output = watchOutput(outputFile, () =>
    options.log('warn', 'The core prints more than a core should; only the end of it is kept', { file: outputFile }),
  );
  let live: Live | null = null;
  /** Where the core of this run tells its metrics; a port of its own for each run, so that none is fought for. */
  let metrics: string | null = null;

  const needed = (): Live => {
    if (live === null) throw new CoreError('not-running', 'The core does not run');
    return live;
  };

  const drive = (core: RunningCore, api: CoreApi, ended: Promise<Ending>, stopWatching: () => void): CoreRun => {
    const files = logFiles(memory.template ?? {}, paths);
    const overUdp = ({ inbound, target }: Accepted) => isDatagram(memory.inbounds.get(inbound) ?? {}, target);
    const logs = followLogs(files, paths.trace, overUdp, (error) =>
      options.log('warn', 'The logs of the core cannot be read', { error }),
    );
    const mine: Live = { core, api, logs, stopWatching };
    live = mine;
    output.start();
    void ended.then((ending) => {
      if (live !== mine) return;
      letGo();
      memory.clear();
      rmSync(pidFile, { force: true });
      exited$.next({ run: core.run, ...reasonOf(complaints(outputFile), ending) });
    });
    return runOf(core);
  };

  const letGo = (): void => {
    output.stop();
    live?.logs.stop();
    live?.stopWatching();
    live?.api.close();
    live = null;
  };

  const test = async (config: CoreConfig, by = binary): Promise<void> => {
    // Callers have often just assembled the same: thousands of clients are not gone through twice in one turn.
    await nextTurn();
    return testAssembled(assemble(config, paths), by);
  };

  const testTemplate = async (config: CoreConfig): Promise<void> => {
    await test(config);
    // The ports of the inbounds are in use, and a second end of a reverse proxy would take connections of the first.
    const { reverse: _reverse, ...rest } = harmless(assemble({ ...config, inbounds: new Map() }, paths));
    await binary.boot(rest);
  };

  const testAssembled = async (assembled: JsonObject, by: Binary): Promise<void> => {
    await nextTurn();
    await by.test(harmless(assembled));
  };

  const templateRules = async (): Promise<readonly Buffer[]> =>
    rulesOf(
      await binary.convert({
        routing: assemble({ template: memory.template ?? {}, inbounds: new Map() }, paths)['routing'] ?? {},
      }),
    );

  const stop = async (): Promise<void> => {
    const core = live?.core ?? null;
    letGo();
    if (core !== null) await end(core);
    // A core of a panel that died between start and adoption counts as ours too.
    const other = await findCore(pidFile, configFile);
    if (other !== null) await end(other);
    await flows.clear();
    memory.clear();
    rmSync(pidFile, { force: true });
    rmSync(configFile, { force: true });
    rmSync(paths.socket, { force: true });
  };

  /**
   * Tests, writes and starts; resolves when it answers, and leaves nothing when it rejects. `coming`: what is to be added
   * to it besides.
   */
  const ignite = async (config: CoreConfig, coming: CoreConfig['inbounds'] = new Map()): Promise<Lit> => {
    // Another one may be chosen meanwhile.
    const using = binary;
    if (using.path === null) throw missing();
    const version = await using.neededVersion();
    metrics = await metricsFor({ ...config, inbounds: new Map([...config.inbounds, ...coming]) });
    const assembled = assemble(config, { ...paths, metrics });
    await testAssembled(assembled, using);
    await stop();
    return light({ place, path: using.path, version, output }, config, assembled);
  };

  /** A core on which these inbounds are tried; nothing of it is remembered. */
  const trialCore = async ({ template, inbounds }: CoreConfig): Promise<TrialCore> => {
    const lit = await ignite({ template, inbounds: new Map() }, inbounds);
    return { api: lit.api, end: () => douse({ place, output }, lit) };
  };

  const start = async (config: CoreConfig): Promise<CoreRun> => {
    const { started, api } = await ignite(config);
    memory.begin(
      started.core.run,
      config.template,
      new Map([...config.inbounds].map(([tag, inbound]) => [tag, inbound.config])),
    );
    const driven = asItIsNow(started.core);
    writeAtomically(pidFile, driven);
    return drive(driven, api, started.ended, () => undefined);
  };

  return {
    version: () => binary.version(),
    test: (config) => test(config),
    testTemplate,
    use: (path) => void (binary = executable(path)),
    trial: async (path, config) => {
      const other = executable(path);
      const version = await other.version();
      if (version !== null) await test(config, other);
      return version;
    },
    testInbound: async (inbound) => {
      checkSocketFolder(inbound);
      await binary.testInbounds({ inbounds: [wholeInbound(inbound, dataDir)] });
    },
    start,
    stop,
    judge: async ({ template, inbounds }) => {
      const taken = tagsIn(outboundsOf(members(template)['outbounds'], null));
      return judge([...inbounds.values()], {
        open: () => trialCore({ template, inbounds }),
        whole: (inbound) => soloInbound(inbound, dataDir, taken),
        convert: (config) => binary.convert(config),
      });
    },
    adopt: async () => {
      if (live !== null) return runOf(live.core);
      makeFolder(runDir);
      const core = await findCore(pidFile, configFile);
      // What a panel that was killed has blocked: the connections of that time are over.
      await flows.clear();
      if (core === null) return null;
      const api = connectApi(paths.socket);
      if (!(await stillAnswers(api, core)) || !memory.recall(core.run)) {
        options.log('warn', 'A core that an earlier panel left running cannot be used; it is ended', { pid: core.pid });
        api.close();
        await stop();
        return null;
      }
      metrics = metricsOf(readJson(configFile));
      const watching = watch(core);
      return drive(core, api, watching.ended, watching.stop);
    },
    release: async () => {
      await live?.logs.read().catch(() => undefined);
      letGo();
      memory.leave();
    },
    get running() {
      return live === null ? null : runOf(live.core);
    },
    exited$: exited$.asObservable(),
    answers: async () => live !== null && stillAnswers(live.api, live.core),

    addInbounds: async (inbounds) => {
      const taken = tagsIn(outboundsOf(members(memory.template ?? {})['outbounds'], null));
      const refused = await addInbounds(needed().api, binary, inbounds, (inbound) => {
        checkMetrics(inbound, metrics);
        return wholeInbound(inbound, dataDir, taken);
      });
      memory.add(inbounds.filter(({ tag }) => !refused.has(tag)));
      return refused;
    },
    removeInbound: async (inbound) => {
      const { api, core } = needed();
      await removeInbound(api, core.pid, inbound);
      memory.remove(inbound.tag);
    },
    addUser: async (inbound, user) => addUser(needed().api, inbound, user),
    removeUser: async (inbound, user) => removeUser(needed().api, inbound, user),
    cut: async (inbound, clients) => {
      if (clients.length === 0) return [];
      const { api, logs } = needed();
      return cutUsers(inbound, clients, {
        logs,
        flows,
        readings: () => api.call('StatsService/QueryStats', { pattern: 'user>>>', reset: false }),
        refuse: (tag, some) => refuseUsers(api, tag, some, templateRules),
      });
    },
    hold: async (held) => holdAddresses(needed().api, held, templateRules),
    cutAddresses: async (held, last) =>
      cutAddresses(held, last, { logs: needed().logs, flows, configOf: (tag) => memory.inbounds.get(tag) ?? {} }),
    silence: async (asked) => silenceOf(asked, needed().logs, (tag) => memory.inbounds.get(tag) ?? {}),

    inboundTags: async () =>
      (await needed().api.call('HandlerService/ListInbounds', { isOnlyTags: true })).inbounds.map(({ tag }) => tag),
    users: async (inbound) => usersOf(needed().api, inbound),
    accountDigest,
    appliedInbounds: () => memory.inbounds,
    appliedTemplate: () => memory.template,

    counters: async () =>
      groupCounters(await needed().api.call('StatsService/QueryStats', { pattern: '', reset: false }, 15_000)),
    online: async () => onlineUsers(needed().api),
    assemble: (config) => assemble(config, { ...paths, metrics }, 'people'),
    passedOver,
    output: () => complaints(outputFile),
    metrics: coreMetrics({
      api: () => needed().api,
      listen: () => (live === null ? null : metrics),
      template: () => memory.template,
    }),
    x25519,
    keys: keyCommands((args) => binary.ask(args)),
  };
}

/** A configuration without what binds, writes or listens for us: only the core's opinion of the rest matters. */
function harmless({ api: _api, log: _log, metrics: _metrics, ...rest }: JsonObject): JsonObject {
  return { ...rest, log: { loglevel: 'warning', access: 'none' } };
}

function runOf({ run, version, pid }: RunningCore): CoreRun {
  return { run, version, pid };
}

function metricsOf(config: unknown): string | null {
  const block = isObject(config) ? config['metrics'] : undefined;
  return isObject(block) && typeof block['listen'] === 'string' ? block['listen'] : null;
}
