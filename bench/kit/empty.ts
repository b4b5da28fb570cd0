import { fork } from 'node:child_process';
import { join } from 'node:path';

/** A server that does nothing, in a separate process. */
export async function emptyServer(): Promise<{ port: number; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'empty-server.ts'));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', (code) => reject(new Error(`the empty server ended with ${code}`)));
  });
  return { port, stop: () => void child.kill() };
}
