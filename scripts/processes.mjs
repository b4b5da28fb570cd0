// The processes of a cluster on this machine.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './setup.mjs';

/** How long one step of the start may take, in ms. */
const STEP_MS = 180_000;
/** How long a panel may take to end, in ms. Then it is killed. */
const STOP_MS = 20_000;
/** After this time, in ms, a process that has ended is started again, as systemd does. Long enough to see a failover. */
export const RESTART_MS = 15_000;

/** The operator has asked for the end during the start. */
export class Stopped extends Error {}

/** Each process is the leader of a process group of its own, so Ctrl-C in a terminal reaches only this script. */
export class Processes {
  #folder;
  #panels;
  #running = new Map();
  #isReady = false;
  #stopped = false;

  /** `panels`: the names of those that end in an orderly way. */
  constructor(folder, panels) {
    [this.#folder, this.#panels] = [folder, panels];
  }

  /** Starts a process, and starts it again if it ends later. Its output is in `NAME.log`, its process group in `NAME.pid`. */
  start(name, command, args, env) {
    const log = openSync(this.logOf(name), 'a');
    const child = spawn(command, args, { cwd: this.#folder, env, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    const exited = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    const entry = { child, ended: null, exited };
    this.#running.set(name, entry);
    if (child.pid !== undefined) writeFileSync(join(this.#folder, `${name}.pid`), String(child.pid));
    void exited.then(async (reason) => {
      entry.ended = reason;
      if (!this.#isReady || this.#stopped) return;
      console.log(`${name} ended (${reason}). It starts again in ${RESTART_MS / 1000} seconds.`);
      await sleep(RESTART_MS, undefined, { ref: false });
      if (!this.#stopped) this.start(name, command, args, env);
    });
  }

  /** From now on, a process that ends is started again. */
  ready() {
    this.#isReady = true;
  }

  /** Ends one process in an orderly way. */
  async end(name) {
    const { child, exited } = this.#running.get(name);
    child.kill('SIGTERM');
    if (!(await Promise.race([exited, sleep(STOP_MS, undefined, { ref: false })]))) child.kill('SIGKILL');
    await exited;
    this.#running.delete(name);
  }

  /** Waits until `check` returns a value. Rejects when a process ends, when the caller stops, or after `STEP_MS`. */
  async until(what, check) {
    for (const deadline = Date.now() + STEP_MS; ; await sleep(200)) {
      if (this.#stopped) throw new Stopped();
      for (const [name, { ended }] of this.#running)
        if (ended !== null)
          throw new SetupError(`${this.#endOfLog(name)}\n\n${name} did not start (${ended}), see above.`);
      const found = await check();
      if (found) return found;
      if (Date.now() > deadline) throw new SetupError(`${what}: this did not happen within ${STEP_MS / 1000} seconds.`);
    }
  }

  stop() {
    this.#stopped = true;
  }

  /** Ends everything: the panels in an orderly way, then whatever is left. */
  async endAll() {
    this.stop();
    await Promise.all(this.#panels.filter((name) => this.#running.has(name)).map((name) => this.end(name)));
    for (const { child, ended } of this.#running.values()) if (ended === null) killGroup(child.pid);
    // The core of a panel that was killed is in the group of its former process.
    for (const pid of processesIn(this.#folder)) kill(pid);
    await Promise.all([...this.#running.values()].map(({ exited }) => exited));
  }

  logOf(name) {
    return join(this.#folder, `${name}.log`);
  }

  #endOfLog(name) {
    return readFileSync(this.logOf(name), 'utf8').trimEnd().split('\n').slice(-20).join('\n');
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

const killGroup = (pid) => kill(-pid);

/** Processes that work in a folder, or have a path in it on their command line. Only Linux has a list of them. */
function processesIn(folder) {
  const places = (pid) => {
    try {
      return `${readFileSync(`/proc/${pid}/cmdline`, 'utf8')}\0${readlinkSync(`/proc/${pid}/cwd`)}/`;
    } catch {
      return '';
    }
  };
  const all = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return all.map(Number).filter((pid) => pid !== process.pid && places(pid).includes(`${folder}/`));
}
