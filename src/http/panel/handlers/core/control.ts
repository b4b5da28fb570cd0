import { Rejection, reject } from '../../../../commands/rejection.js';
import { message, type Text } from '../../../../messages/message.js';
import { readableConfig, runningConfig } from '../../codec/core-config.js';
import { coreRejection, runnable } from '../../codec/template.js';
import type { Needs } from '../../context.js';
import type { coreControlRoutes } from '../../contract/core/control.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';

/** How long the core may take to stop (it is killed after 5 s) and to start again. */
const TIMEOUT_MS = 15_000;

export const coreControlHandlers: Handlers<typeof coreControlRoutes, Needs<'alarms' | 'core' | 'outcome' | 'read'>> = {
  getConfigJson(_, { read, core }) {
    try {
      return readableConfig(core.config.assemble(runningConfig(read, core)));
    } catch (error) {
      return coreRejection(error);
    }
  },

  async stopCoreService(_, { read, outcome }, { dispatch }) {
    const running = read.records.core().process.run !== null;
    const done = dispatch({ type: 'StopCore', data: {} });
    if (done instanceof Rejection) return done;
    const position = done.events.at(-1)?.position;
    // The request counts in any case: a core that was about to start stays stopped.
    if (!running || position === undefined) return reject('CORE_NOT_RUNNING');
    const ended = await outcome(position, ['CoreStopped', 'CoreFailed'], TIMEOUT_MS);
    return ended ? new Message(message('core.stopped')) : late(message('core.notStopped', { timeout: TIMEOUT_MS }));
  },

  async restartCoreService(_, { read, core, outcome, alarms }, { dispatch }) {
    try {
      await core.config.test({ template: read.desired.template(), inbounds: runnable(read) });
    } catch (error) {
      const rejection = coreRejection(error);
      alarms.notify({ title: message('notifications.coreNotRestarted'), body: rejection.text, severity: 'error' });
      return rejection;
    }
    const done = dispatch({ type: 'RestartCore', data: {} });
    if (done instanceof Rejection) return done;
    const position = done.events.at(-1)?.position ?? 0;
    const started = await outcome(position, ['CoreStarted', 'CoreFailed'], TIMEOUT_MS);
    if (started?.type === 'CoreFailed') return reject('CORE_FAILED', { why: started.data.reason });
    return started ? new Message(message('core.restarted')) : late(message('core.notStarted', { timeout: TIMEOUT_MS }));
  },
};

const late = (why: Text): Rejection => reject('CORE_FAILED', { why });
