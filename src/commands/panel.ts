import type { ServerName } from '../events/certificate.js';
import {
  DataKeyDestroyed,
  LogLossAccepted,
  PanelRestarted,
  PanelRestartFailed,
  PanelRestartRequested,
  PanelStarted,
  PanelStopped,
  type ServerPlace,
} from '../events/panel.js';
import type { Text } from '../messages/message.js';
import type { Command, Decider } from './command.js';
import { reject } from './rejection.js';

export type PanelCommand =
  | Command<'RecordPanelStarted', { readonly version: string }>
  | Command<'RecordPanelStopped', Record<never, never>>
  /** `underWay`: an earlier restart has not finished. */
  | Command<'RestartPanel', { readonly underWay: boolean }>
  | Command<'RecordPanelRestarted', { readonly panel: ServerPlace; readonly subscription: ServerPlace }>
  | Command<'RecordPanelRestartFailed', { readonly server: ServerName; readonly reason: Text }>
  /** `destroyed`: keys whose destruction was among the lost events. */
  | Command<'AcceptLoss', Parameters<typeof LogLossAccepted>[0] & { readonly destroyed: readonly string[] }>;

export const panel: Decider<PanelCommand> = {
  RecordPanelStarted: (data) => [PanelStarted(data)],
  RecordPanelStopped: () => [PanelStopped({})],
  RestartPanel: ({ underWay }) => (underWay ? reject('RESTART_UNDER_WAY') : [PanelRestartRequested({})]),
  RecordPanelRestarted: (data) => [PanelRestarted(data)],
  RecordPanelRestartFailed: (data) => [PanelRestartFailed(data)],
  AcceptLoss: ({ destroyed, ...loss }) => [
    LogLossAccepted(loss),
    ...destroyed.map((key) => ({ ...DataKeyDestroyed({ key, reason: 'erased' as const }), cause: 0 })),
  ],
};
