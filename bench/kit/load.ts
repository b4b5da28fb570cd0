import { fork } from 'node:child_process';
import { join } from 'node:path';

/** What a load generator of its own process shall send, over plain sockets that stay open. */
export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  /** Whole requests as text. Each is sent once, or, with `seconds`, all in turn until the time is over. */
  readonly requests: readonly string[];
  readonly seconds?: number;
  /** Pause of each connection after an answer, in ms; otherwise it asks as fast as it is answered. */
  readonly pauseMs?: number;
  /** What a good answer holds besides its status 200. */
  readonly expect?: string;
}

export interface LoadResult {
  readonly count: number;
  readonly perSecond: number;
  /** Latencies in ms. */
  readonly median: number;
  readonly p99: number;
  readonly slowest: number;
  /** Answers that were not good, and one of them. */
  readonly bad: number;
  readonly example: string;
}

export function request(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(text)) } : {};
  const lines = Object.entries({ host: '127.0.0.1', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}

/** Runs a module of this folder in a process of its own, tells it something, and takes its one answer. */
export function inProcess<T>(file: string, plan: unknown): Promise<T> {
  const child = fork(join(import.meta.dirname, file));
  return new Promise<T>((resolve, reject) => {
    child.once('message', (answer) => {
      resolve(answer as T);
      child.kill();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.send(plan as object);
  });
}

export const load = (plan: LoadPlan): Promise<LoadResult> => inProcess<LoadResult>('load-process.ts', plan);

/** As `load`; an answer that was not good is an error. */
export async function goodLoad(plan: LoadPlan): Promise<LoadResult> {
  const result = await load(plan);
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.count} answers were not good: ${result.example}`);
  return result;
}
