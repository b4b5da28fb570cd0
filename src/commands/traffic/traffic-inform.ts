import { TrafficInformFailed, TrafficInformRecovered } from '../../events/traffic-inform.js';
import type { Command, Decider } from '../command.js';

export type TrafficInformCommand =
  | Command<'RecordTrafficInformFailed', Parameters<typeof TrafficInformFailed>[0]>
  | Command<'RecordTrafficInformRecovered', Parameters<typeof TrafficInformRecovered>[0]>;

export const trafficInform: Decider<TrafficInformCommand> = {
  RecordTrafficInformFailed: (data) => [TrafficInformFailed(data)],
  RecordTrafficInformRecovered: (data) => [TrafficInformRecovered(data)],
};
