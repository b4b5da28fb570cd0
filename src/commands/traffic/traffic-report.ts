import { TrafficReportFailed, TrafficReportRecovered } from '../../events/traffic/traffic-report.js';
import type { Command, Decider } from '../command.js';

export type TrafficReportCommand =
  | Command<'RecordTrafficReportFailed', Parameters<typeof TrafficReportFailed>[0]>
  | Command<'RecordTrafficReportRecovered', Parameters<typeof TrafficReportRecovered>[0]>;

export const trafficReport: Decider<TrafficReportCommand> = {
  RecordTrafficReportFailed: (data) => [TrafficReportFailed(data)],
  RecordTrafficReportRecovered: (data) => [TrafficReportRecovered(data)],
};
