import {
  CoreDriftRepaired,
  CoreFailed,
  CoreRestartRequested,
  CoreStarted,
  CoreStopped,
  CoreStopRequested,
  CoreTemplateChanged,
  InboundAcceptedByCore,
  InboundRejectedByCore,
} from '../events/core.js';
import type { InboundId } from '../events/ids.js';
import { type JsonObject, sameJson } from '../lib/json.js';
import type { Text } from '../messages/message.js';
import type { Command, Decider } from './command.js';
import { reject } from './rejection.js';

type Started = Parameters<typeof CoreStarted>[0];
type Stopped = Parameters<typeof CoreStopped>[0];

/** The member of the cluster whose core it is; absent without a cluster. */
type OfMachine = { readonly machine?: string | undefined };

export type CoreCommand =
  | Command<'StopCore', Record<never, never>>
  | Command<'RestartCore', Record<never, never>>
  | Command<'ChangeCoreTemplate', { readonly template: JsonObject; readonly outboundTestUrl: string }>
  | Command<'RecordCoreStarted', Started>
  | Command<'RecordCoreStopped', Stopped>
  | Command<'RecordCoreFailed', OfMachine & { readonly run: string | null; readonly reason: Text }>
  | Command<'RecordCoreDrift', OfMachine & { readonly inboundTags: readonly string[]; readonly clientCount: number }>
  | Command<'RecordInboundRejected', { readonly inbound: InboundId; readonly reason: Text }>
  | Command<'RecordInboundAccepted', { readonly inbound: InboundId }>;

export const core: Decider<CoreCommand> = {
  StopCore: (_, { core: { runs, wanted } }) =>
    runs.size === 0 && !wanted ? reject('CORE_NOT_RUNNING') : [CoreStopRequested({})],

  RestartCore: () => [CoreRestartRequested({})],

  ChangeCoreTemplate({ template, outboundTestUrl }, { template: current }) {
    if (current && current.url === outboundTestUrl && sameJson(current.template, template)) return [];
    const keyVersion = (current?.keyVersion ?? 0) + 1;
    const next = template as Parameters<typeof CoreTemplateChanged>[0]['template'];
    return [CoreTemplateChanged({ keyVersion, template: next, outboundTestUrl })];
  },

  RecordCoreStarted: (data) => [CoreStarted(data)],
  RecordCoreStopped: (data, { core: { runs } }) => ([...runs.values()].includes(data.run) ? [CoreStopped(data)] : []),
  RecordCoreFailed: (data) => [CoreFailed(data)],
  RecordCoreDrift: ({ inboundTags: inbounds, ...data }) => [CoreDriftRepaired({ inboundTags: [...inbounds], ...data })],
  RecordInboundRejected: (data, { refused }) =>
    sameJson(refused.get(data.inbound), data.reason) ? [] : [InboundRejectedByCore(data)],
  RecordInboundAccepted: (data, { refused }) => (refused.has(data.inbound) ? [InboundAcceptedByCore(data)] : []),
};
