import { Rejection, reject } from '../../../commands/rejection.js';
import { nameOf } from '../auth/peer.js';
import { Message, type Needs } from '../context.js';
import type { panelRoutes } from '../contract/panel.js';
import type { Handlers } from '../mount.js';

export const panelHandlers: Handlers<typeof panelRoutes, Needs<'read' | 'restartProblem' | 'restarting'>> = {
  /** The servers follow the event; the caller has its answer long before. */
  async restartPanel(_, { read, restarting, restartProblem }, { dispatch, requestHost }) {
    // What is under way has been looked at; the decision says the rest.
    const why = restarting() ? null : await restartProblem();
    if (why !== null) return reject('RESTART_REFUSED', { why });
    const done = dispatch({ type: 'RestartPanel', data: { underWay: restarting() } });
    if (done instanceof Rejection) return done;
    const { webDomain } = read.settings.current();
    const locked = webDomain !== '' && nameOf(webDomain) !== requestHost;
    return new Message(
      locked
        ? 'The panel restarts in 3 seconds. Then it answers only under its domain, and no more under the name that you use now.'
        : 'The panel restarts in 3 seconds.',
    );
  },
};
