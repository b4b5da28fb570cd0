import { appendFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogFiles } from '../config/assembly.js';
import { empty, removeUnlessPlain } from '../process/files.js';
import { type Accepted, createSources, readAccepted, type Sources } from './access-log.js';
import { SETTLE_MS } from './pairs.js';
import { livePeers } from './sockets.js';
import { tailOf } from './tail.js';
import { createTrace, type Trace } from './trace.js';

/** The logs of a running core, followed as long as it runs. */
export interface CoreLogs {
  readonly sources: Sources;
  readonly trace: Trace;
  /** Reads everything that was written up to now. */
  read(): Promise<void>;
  /** As `read`, and also waits until both logs can be joined. */
  settle(): Promise<void>;
  stop(): void;
}

const MAX_ACCESS_BYTES = 32 * 1024 * 1024;
const MAX_TRACE_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 8 * 1024 * 1024;
const LEVELS = ['Debug', 'Info', 'Warning', 'Error'];

/**
 * Reads the logs of the core periodically, keeps them small, and copies the entries for the admin from the trace to the
 * error log. `isDatagram`: whether a request arrived over UDP.
 */
export function followLogs(
  files: LogFiles,
  traceFile: string,
  isDatagram: (accepted: Accepted) => boolean,
  onError: (error: unknown) => void,
): CoreLogs {
  const sources = createSources();
  const trace = createTrace();
  let complaints = '';
  const onAccess = (line: string): void => {
    const accepted = readAccepted(line);
    if (accepted === null) return;
    sources.add(accepted);
    trace.addAccepted(accepted);
  };
  const access = tailOf(files.access, MAX_ACCESS_BYTES, onAccess, files.accessKept);
  const least =
    files.level === 'none' ? LEVELS.length : LEVELS.findIndex((level) => level.toLowerCase() === files.level);
  const traced = tailOf(traceFile, MAX_TRACE_BYTES, (line) => {
    trace.addLine(line);
    if (LEVELS.indexOf(/^\S+ \S+ \[(\w+)\]/.exec(line)?.[1] ?? '') >= least) complaints += `${line}\n`;
  });

  const readOnce = async (): Promise<void> => {
    const began = performance.now();
    await traced.read();
    await access.read();
    trace.join(began, performance.now());
    if (complaints !== '') {
      if ((statSync(files.error, { throwIfNoEntry: false })?.size ?? 0) > MAX_ERROR_BYTES) empty(files.error);
      // Opening a pipe without a reader would block the panel.
      removeUnlessPlain(files.error);
      appendFileSync(files.error, complaints, { mode: 0o600 });
      complaints = '';
    }
    if (sources.isFull) {
      const live = await livePeers();
      if (live !== null) sources.keep(live, isDatagram);
    }
  };
  // One reader at a time; a caller sees at least what was written before its call.
  let last = Promise.resolve();
  const read = (): Promise<void> => {
    const next = last.then(readOnce);
    last = next.catch(onError);
    return next;
  };
  const settle = async (): Promise<void> => {
    await read();
    await sleep(SETTLE_MS + 1);
    await read();
  };
  const timer = setInterval(() => void read().catch(() => undefined), 1000);
  timer.unref();
  return { sources, trace, read, settle, stop: () => clearInterval(timer) };
}
