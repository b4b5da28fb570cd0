import { fork } from 'node:child_process';
import { join } from 'node:path';

/** WebSocket clients in a separate process. */
export interface ListenersPlan {
  readonly port: number;
  readonly path: string;
  /** Cookie headers of sessions, used in turn. */
  readonly cookies: readonly string[];
  readonly count: number;
  /** False: they never read. */
  readonly reads: boolean;
}

/** Times in ms of the process that listened. */
export interface Heard {
  readonly ticks: readonly { readonly first: number; readonly last: number; readonly count: number }[];
}

/** Connects all of them. `heard` returns the messages since the last call. */
export async function listeners(plan: ListenersPlan) {
  const child = fork(join(import.meta.dirname, 'listeners-process.ts'));
  const next = <T>(): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      child.once('message', (message) => resolve(message as T));
      child.once('exit', (code) => reject(new Error(`the listeners ended with ${code}`)));
    });
  child.send(plan);
  await next();
  return {
    heard(): Promise<Heard> {
      const answer = next<Heard>();
      child.send('heard');
      return answer;
    },
    stop: (): void => void child.kill(),
  };
}
