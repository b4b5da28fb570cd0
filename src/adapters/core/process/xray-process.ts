import { rmSync } from 'node:fs';
import { Subject } from 'rxjs';
import {
  type CoreConfig,
  CoreError,
  type CoreExit,
  type CoreProcess,
  type CoreRun,
  type InboundProblem,
} from '../../../commands/ports/core.js';
import { isObject, type JsonObject } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import type { Accepted } from '../attribution/access-log.js';
import type { FlowFilter } from '../attribution/flows.js';
import { type CoreLogs, followLogs } from '../attribution/logs.js';
import { assemble, logFiles } from '../config/assembly.js';
import { assembleForTrial, isDatagram } from '../config/inbound.js';
import { outboundTagsOf } from '../config/outbounds.js';
import { type CoreApi, connectApi } from '../control/grpc.js';
import type { AppliedConfig } from './applied-config.js';
import type { SelectedBinary } from './binary.js';
import { binaryMissing } from './binary-errors.js';
import { testAssembled } from './config-check.js';
import type { CoreFiles } from './core-files.js';
import { makeFolder, readJson, writeAtomically } from './files.js';
import { type LaunchedCore, launchCore, teardown } from './launch.js';
import { metricsFor } from './metrics-port.js';
import { limitOutput } from './output-limit.js';
import { refreshed, terminate } from './proc.js';
import { complaints, type Ending, findCore, type RunningCore, reasonOf, watch } from './process.js';
import { stillResponds } from './responds.js';
import { type TrialCore, trialInbounds } from './trial.js';

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void;

/** A run that this adapter controls. */
interface LiveCore {
  readonly core: RunningCore;
  readonly api: CoreApi;
  readonly logs: CoreLogs;
  readonly stopWatching: () => void;
}

export interface XrayProcessParts {
  readonly files: CoreFiles;
  readonly binary: SelectedBinary;
  /** The configuration that the running core has. */
  readonly config: AppliedConfig;
  /** Blocked UDP flows of clients. */
  readonly flows: FlowFilter;
}

/** Starts, adopts and stops the core, and gives the other parts of the adapter access to the live one. */
export class XrayProcess implements CoreProcess {
  readonly #files: CoreFiles;
  readonly #binary: SelectedBinary;
  readonly #log: Log;
  readonly #outputLimit;
  readonly #exited$ = new Subject<CoreExit>();
  readonly exited$ = this.#exited$.asObservable();
  readonly #config: AppliedConfig;
  readonly #flows: FlowFilter;
  #live: LiveCore | null = null;
  /** Where the core of this run serves its metrics; each run gets a new port, so that no two runs compete for one. */
  #metrics: string | null = null;

  constructor({ files, binary, config, flows }: XrayProcessParts, log: Log) {
    this.#files = files;
    this.#binary = binary;
    this.#log = log;
    this.#config = config;
    this.#flows = flows;
    this.#outputLimit = limitOutput(files.outputFile, () =>
      log('warn', 'The core prints too much; only the end of its output is kept', { file: files.outputFile }),
    );
  }

  get running(): CoreRun | null {
    return this.#live === null ? null : runOf(this.#live.core);
  }

  /** Throws `CoreError` 'not-running'. */
  get live(): LiveCore {
    if (this.#live === null) throw new CoreError('not-running', message('core.notRunning'));
    return this.#live;
  }

  /** `host:port` of the metrics of the last run; null = it serves none. */
  get metricsAddress(): string | null {
    return this.#metrics;
  }

  appliedTemplate(): JsonObject | null {
    return this.#config.template;
  }

  output(): string {
    return complaints(this.#files.outputFile);
  }

  async responds(): Promise<boolean> {
    return this.#live !== null && stillResponds(this.#live.api, this.#live.core);
  }

  async start(config: CoreConfig): Promise<CoreRun> {
    const { started, api } = await this.#launch(config);
    const inbounds = new Map([...config.inbounds].map(([tag, inbound]) => [tag, inbound.config]));
    this.#config.begin(started.core.run, config.template, inbounds);
    const core = refreshed(started.core);
    writeAtomically(this.#files.pidFile, core);
    return this.#attach(core, api, started.ended, () => undefined);
  }

  async adopt(): Promise<CoreRun | null> {
    if (this.#live !== null) return runOf(this.#live.core);
    const { paths, pidFile, configFile } = this.#files;
    makeFolder(paths.runDir);
    const core = await findCore(pidFile, configFile);
    // Blocks that a killed panel left behind: the connections they were for have ended.
    await this.#flows.clear();
    if (core === null) return null;
    const api = connectApi(paths.socket);
    if (!(await stillResponds(api, core)) || !this.#config.recall(core.run)) {
      this.#log('warn', 'The core that an earlier panel left running cannot be used; it is stopped', { pid: core.pid });
      api.close();
      await this.stop();
      return null;
    }
    this.#metrics = metricsOf(readJson(configFile));
    const watching = watch(core);
    return this.#attach(core, api, watching.ended, watching.stop);
  }

  async stop(): Promise<void> {
    const { pidFile, configFile, paths } = this.#files;
    const core = this.#live?.core ?? null;
    this.#detach();
    if (core !== null) await terminate(core);
    // The core of a panel that died between start and adoption is ours too.
    const other = await findCore(pidFile, configFile);
    if (other !== null) await terminate(other);
    await this.#flows.clear();
    this.#config.clear();
    for (const file of [pidFile, configFile, paths.socket]) rmSync(file, { force: true });
  }

  async release(): Promise<void> {
    await this.#live?.logs.read().catch(() => undefined);
    this.#detach();
    this.#config.leave();
  }

  trialInbounds({ template, inbounds }: CoreConfig): Promise<ReadonlyMap<string, InboundProblem>> {
    const taken = outboundTagsOf(template);
    return trialInbounds([...inbounds.values()], {
      open: () => this.#trialCore({ template, inbounds }),
      whole: (inbound) => assembleForTrial(inbound, this.#files.dataDir, taken),
      convert: (config) => this.#binary.current.convert(config),
    });
  }

  /** A core to which these inbounds are added for a test. It is not recorded as running. */
  async #trialCore({ template, inbounds }: CoreConfig): Promise<TrialCore> {
    const launched = await this.#launch({ template, inbounds: new Map() }, inbounds);
    return { api: launched.api, end: () => teardown(this.#files, this.#outputLimit, launched) };
  }

  /**
   * Tests, writes and starts; resolves when the core answers, and leaves nothing when it rejects. `later`: inbounds that
   * are added after the start.
   */
  async #launch(config: CoreConfig, later: CoreConfig['inbounds'] = new Map()): Promise<LaunchedCore> {
    // `use` may select another executable meanwhile.
    const binary = this.#binary.current;
    if (binary.path === null) throw binaryMissing();
    const version = await binary.neededVersion();
    this.#metrics = await metricsFor({ ...config, inbounds: new Map([...config.inbounds, ...later]) });
    const assembled = assemble(config, { ...this.#files.paths, metrics: this.#metrics });
    await testAssembled(assembled, binary);
    await this.stop();
    const executable = { path: binary.path, version };
    return launchCore({ files: this.#files, executable, outputLimit: this.#outputLimit }, config, assembled);
  }

  #attach(core: RunningCore, api: CoreApi, ended: Promise<Ending>, stopWatching: () => void): CoreRun {
    const { paths, pidFile, outputFile } = this.#files;
    const overUdp = ({ inbound, target }: Accepted) => isDatagram(this.#config.inbounds.get(inbound) ?? {}, target);
    const logs = followLogs(logFiles(this.#config.template ?? {}, paths), paths.trace, overUdp, (error) =>
      this.#log('warn', 'The logs of the core could not be read', { error }),
    );
    const live: LiveCore = { core, api, logs, stopWatching };
    this.#live = live;
    this.#outputLimit.start();
    void ended.then((ending) => {
      if (this.#live !== live) return;
      this.#detach();
      this.#config.clear();
      rmSync(pidFile, { force: true });
      this.#exited$.next({ run: core.run, ...reasonOf(complaints(outputFile), ending) });
    });
    return runOf(core);
  }

  #detach(): void {
    this.#outputLimit.stop();
    this.#live?.logs.stop();
    this.#live?.stopWatching();
    this.#live?.api.close();
    this.#live = null;
  }
}

function runOf({ run, version, pid }: RunningCore): CoreRun {
  return { run, version, pid };
}

function metricsOf(config: unknown): string | null {
  const block = isObject(config) ? config['metrics'] : undefined;
  return isObject(block) && typeof block['listen'] === 'string' ? block['listen'] : null;
}
