import { Rejection, reject } from '../../../commands/rejection.js';
import { message } from '../../../messages/message.js';
import { nameOf } from '../auth/peer.js';
import type { Needs } from '../context.js';
import type { panelRoutes } from '../contract/panel.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';

export const panelHandlers: Handlers<typeof panelRoutes, Needs<'read' | 'restartProblem' | 'restarting'>> = {
  /** The servers restart on the event, after the caller has its answer. */
  async restartPanel(_, { read, restarting, restartProblem }, { dispatch, requestHost }) {
    // A restart in progress has been checked already; the decider rejects a second one.
    const why = restarting() ? null : await restartProblem();
    if (why !== null) return reject('RESTART_REFUSED', { why });
    const done = dispatch({ type: 'RestartPanel', data: { underWay: restarting() } });
    if (done instanceof Rejection) return done;
    const { webDomain } = read.settings.current();
    const locked = webDomain !== '' && nameOf(webDomain) !== requestHost;
    return new Message(locked ? message('settings.panelRestartingOtherName') : message('settings.panelRestarting'));
  },
};
