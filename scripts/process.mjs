// Child processes for the other scripts. Uses only Node, because it runs before the dependencies are installed.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** TypeScript 7 checks types four times as fast. TypeScript 6 has the same command; only tools that need its API use it. */
const TYPE_CHECKER = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');

/** The path of a tool from a development dependency. */
export const tool = (name) => (name === 'tsc' ? TYPE_CHECKER : join(root, 'node_modules', '.bin', name));

/** Runs a command and collects its output in order. Never rejects: a missing command has code 127. */
export function capture(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    const output = () => Buffer.concat(chunks).toString('utf8').trimEnd();
    child.on('error', (error) => resolve({ code: 127, output: `${command}: ${error.message}` }));
    child.on('close', (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal], output: output() }));
  });
}

/** Runs a command on this terminal, forwards signals, and resolves to its exit code. */
export function attach(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    const last = { SIGINT: 0, SIGTERM: 0, SIGHUP: 0, SIGUSR2: 0 };
    const forward = (signal) => {
      // A terminal sends Ctrl-C to the child as well, and npm repeats signals: the child would treat the second one as a
      // request to stop at once.
      const repeated = Date.now() - last[signal] < 500;
      last[signal] = Date.now();
      if (repeated || (signal === 'SIGINT' && process.stdin.isTTY)) return;
      child.kill(signal);
    };
    for (const signal of Object.keys(last)) process.on(signal, forward);
    const done = (code) => {
      for (const signal of Object.keys(last)) process.off(signal, forward);
      resolve(code);
    };
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      done(127);
    });
    child.on('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]));
  });
}
