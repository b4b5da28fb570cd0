import { LossAccepted, PanelStarted, PanelStopped } from '../events/panel.js';
import type { Command, Decider } from './command.js';

export type PanelCommand =
  | Command<'RecordPanelStarted', { readonly version: string }>
  | Command<'RecordPanelStopped', Record<never, never>>
  | Command<'AcceptLoss', { readonly expected: number; readonly found: number }>;

export const panel: Decider<PanelCommand> = {
  RecordPanelStarted: (data) => [PanelStarted(data)],
  RecordPanelStopped: () => [PanelStopped({})],
  AcceptLoss: (data) => [LossAccepted(data)],
};
