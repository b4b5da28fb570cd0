import type { RecordedEvent } from '../../events/catalog.js';
import { message, type Text } from '../../messages/message.js';
import { depletionText, PERIODS, textOfEvent } from '../why/event-texts.js';
import { nodeSentences } from './node-sentences.js';
import { operationSentences } from './operation-sentences.js';
import { outsideSentences } from './outside-sentences.js';
import type { DataOf, Sentences } from './sentence-types.js';
import { systemSentences } from './system-sentences.js';

const inboundSentences = {
  InboundAdded: ({ spec: { protocol, port } }: DataOf<'InboundAdded'>) =>
    message('audit.inboundAdded', { protocol, port }),
  InboundUpdated: ({ changes }: DataOf<'InboundUpdated'>) =>
    message('audit.inboundUpdated', { fields: Object.keys(changes) }),
  InboundReconfigured: () => message('audit.inboundReconfigured'),
  InboundEnabled: () => message('audit.inboundEnabled'),
  InboundDisabled: () => message('audit.inboundDisabled'),
  InboundDeleted: () => message('audit.inboundDeleted'),
  InboundDepleted: ({ depletion }: DataOf<'InboundDepleted'>) =>
    message('audit.inboundDepleted', { reason: depletionText(depletion) }),
  InboundReactivated: () => message('audit.inboundReactivated'),
  InboundTrafficReset: ({ up, down }: DataOf<'InboundTrafficReset'>) => message('history.trafficReset', { up, down }),
  InboundTrafficPeriodStarted: ({ period, startedAt }: DataOf<'InboundTrafficPeriodStarted'>) =>
    message('audit.inboundPeriodStarted', { period: message(PERIODS[period]), at: startedAt }),
  InboundHistoryImported: ({ up, down }: DataOf<'InboundHistoryImported'>) =>
    message('audit.inboundImported', { up, down }),
  InboundRejectedByCore: ({ reason }: DataOf<'InboundRejectedByCore'>) => message('audit.inboundRejected', { reason }),
  InboundAcceptedByCore: () => message('audit.inboundAccepted'),
};

const sentences: Sentences = {
  ...inboundSentences,
  ...systemSentences,
  ...operationSentences,
  ...nodeSentences,
  ...outsideSentences,
};

/** What happened, for people. The subject of the event, if there is one, is left out. */
export function sentenceOf(event: RecordedEvent): Text {
  const sentence = (sentences as Partial<Record<string, (data: unknown) => Text>>)[event.type];
  return sentence ? sentence(event.data) : textOfEvent(event);
}
