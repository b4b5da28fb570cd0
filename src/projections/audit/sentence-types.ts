import type { RecordedEvent } from '../../events/catalog.js';
import type { Text } from '../../messages/message.js';

type TypeName = RecordedEvent['type'];
export type DataOf<T extends TypeName> = Extract<RecordedEvent, { type: T }>['data'];

/** The types of the streams of clients. Their sentences are those of the history of a client. */
type ClientType = Exclude<Extract<TypeName, `Client${string}`>, 'ClientWarningsSent' | `Clients${string}`>;

/** A sentence for each other event type. It leaves out the subject if the event has one, as in "was deleted". */
export type Sentences = { readonly [T in Exclude<TypeName, ClientType>]: (data: DataOf<T>) => Text };
