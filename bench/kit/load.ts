import { fork } from 'node:child_process';
import { join } from 'node:path';

/** The requests that a separate load generator sends over persistent plain sockets. */
export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  /** Complete requests as text. Each is sent once, or, with `seconds`, all of them in a loop for that time. */
  readonly requests: readonly string[];
  readonly seconds?: number;
  /** Pause of each connection after an answer, in ms; by default none. */
  readonly pauseMs?: number;
  /** A new connection for each request. */
  readonly fresh?: boolean;
  readonly tls?: boolean;
  /** Text that a valid answer contains, besides status 200. */
  readonly expect?: string;
}

export interface LoadResult {
  readonly count: number;
  readonly perSecond: number;
  /** Latencies in ms. */
  readonly median: number;
  readonly p99: number;
  readonly slowest: number;
  /** The number of invalid answers, and one of them. */
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

/** Runs a module of this folder in a separate process, sends it a message, and resolves to its one reply. */
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

/** As `load`, but an invalid answer is an error. */
export async function goodLoad(plan: LoadPlan): Promise<LoadResult> {
  const result = await load(plan);
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.count} answers were invalid: ${result.example}`);
  return result;
}
