import type { panelRoutes } from '../contract/panel.js';
import type { Handlers } from '../mount.js';
import { said } from './answers.js';

export const panelHandlers: Handlers<typeof panelRoutes> = {
  /** The servers follow the event; the caller has its answer long before. */
  restartPanel(_, { dispatch, restarting }) {
    const done = dispatch({ type: 'RestartPanel', data: { underWay: restarting() } });
    return said(done, 'The panel was successfully restarted.');
  },
};
