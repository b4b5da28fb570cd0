import {
  CoreDriftRepaired,
  CoreFailed,
  CoreRestartRequested,
  CoreStarted,
  CoreStopped,
  CoreStopRequested,
  CoreTemplateChanged,
  InboundAcceptedByCore,
  InboundRefusedByCore,
} from '../events/core.js';
import type { InboundId } from '../events/ids.js';
import { KeyShredded } from '../events/panel.js';
import type { JsonObject } from '../lib/json.js';
import { sameJson } from '../lib/json.js';
import type { Command, Decider } from './command.js';
import { reject } from './rejection.js';

type Started = Parameters<typeof CoreStarted>[0];
type Stopped = Parameters<typeof CoreStopped>[0];

export type CoreCommand =
  | Command<'StopCore', Record<never, never>>
  | Command<'RestartCore', Record<never, never>>
  | Command<'ChangeCoreTemplate', { readonly template: JsonObject; readonly outboundTestUrl: string }>
  | Command<'RecordCoreStarted', Started>
  | Command<'RecordCoreStopped', Stopped>
  | Command<'RecordCoreFailed', { readonly run: string | null; readonly reason: string }>
  | Command<'RecordCoreDrift', { readonly inbounds: readonly string[]; readonly clients: number }>
  | Command<'RecordInboundRefused', { readonly inbound: InboundId; readonly reason: string }>
  | Command<'RecordInboundAccepted', { readonly inbound: InboundId }>;

export const core: Decider<CoreCommand> = {
  StopCore: (_, { core: { run, wanted } }) =>
    run === null && !wanted ? reject('CORE_NOT_RUNNING') : [CoreStopRequested({})],

  RestartCore: () => [CoreRestartRequested({})],

  ChangeCoreTemplate({ template, outboundTestUrl }, { template: current }) {
    if (current && current.url === outboundTestUrl && sameJson(current.template, template)) return [];
    const life = (current?.life ?? 0) + 1;
    const changed = CoreTemplateChanged({
      life,
      template: template as Parameters<typeof CoreTemplateChanged>[0]['template'],
      outboundTestUrl,
    });
    return current ? [changed, KeyShredded({ key: `core/template/${current.life}`, reason: 'rotated' })] : [changed];
  },

  RecordCoreStarted: (data) => [CoreStarted(data)],
  RecordCoreStopped: (data, { core: { run } }) => (run === data.run ? [CoreStopped(data)] : []),
  RecordCoreFailed: (data) => [CoreFailed(data)],
  RecordCoreDrift: ({ inbounds, clients }) => [CoreDriftRepaired({ inbounds: [...inbounds], clients })],
  RecordInboundRefused: (data, { refused }) =>
    refused.get(data.inbound) === data.reason ? [] : [InboundRefusedByCore(data)],
  RecordInboundAccepted: (data, { refused }) => (refused.has(data.inbound) ? [InboundAcceptedByCore(data)] : []),
};
