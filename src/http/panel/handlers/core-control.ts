import { Rejection, reject } from '../../../commands/rejection.js';
import { readableConfig, runningConfig } from '../codec/core-config.js';
import { coreRejection, runnable } from '../codec/template.js';
import { Message, type Needs } from '../context.js';
import type { coreControlRoutes } from '../contract/core-control.js';
import type { Handlers } from '../mount.js';

/** As long as the core may take to stop (5 s, then by force) and to start again. */
const PATIENCE_MS = 15_000;

export const coreControlHandlers: Handlers<typeof coreControlRoutes, Needs<'alarms' | 'core' | 'outcome' | 'read'>> = {
  getConfigJson(_, { read, core }) {
    try {
      return readableConfig(core.config.assemble(runningConfig(read, core)));
    } catch (error) {
      return coreRejection(error);
    }
  },

  async stopCoreService(_, { read, outcome }, { dispatch }) {
    const running = read.core().process.run !== null;
    const done = dispatch({ type: 'StopCore', data: {} });
    if (done instanceof Rejection) return done;
    const position = done.events.at(-1)?.position;
    // The wish stands in any case: a core that was about to start stays down.
    if (!running || position === undefined) return reject('CORE_NOT_RUNNING');
    const ended = await outcome(position, ['CoreStopped', 'CoreFailed'], PATIENCE_MS);
    return ended ? new Message('Xray has been successfully stopped.') : late('it has not stopped yet');
  },

  async restartCoreService(_, { read, core, outcome, alarms }, { dispatch }) {
    try {
      await core.config.test({ template: read.desired.template(), inbounds: runnable(read) });
    } catch (error) {
      const rejection = coreRejection(error);
      alarms.tell({ title: 'The core was not restarted', body: rejection.message, severity: 'error' });
      return rejection;
    }
    const done = dispatch({ type: 'RestartCore', data: {} });
    if (done instanceof Rejection) return done;
    const position = done.events.at(-1)?.position ?? 0;
    const started = await outcome(position, ['CoreStarted', 'CoreFailed'], PATIENCE_MS);
    if (started?.type === 'CoreFailed') return reject('CORE_FAILED', { why: started.data.reason });
    return started ? new Message('Xray has been successfully relaunched.') : late('it has not started yet');
  },
};

const late = (why: string): Rejection => reject('CORE_FAILED', { why: `${why} after ${PATIENCE_MS / 1000} seconds` });
