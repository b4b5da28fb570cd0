import type { RecordedEvent } from '../../events/catalog.js';
import { message, type Text, verbatim } from '../../messages/message.js';
import { actorText } from '../why/history.js';

/** A certificate of erasure: a `PersonalDataErased` event with its place in the log. */
export interface Certificate {
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
  /** Chain hash of the event, hex. */
  readonly hash: string;
  readonly generation: string;
  readonly by: Text;
  readonly clients: readonly number[];
  /** Names of the destroyed keys. */
  readonly keys: readonly string[];
  readonly reason: string;
}

interface Log {
  readonly generation: string;
  hashAt(position: number): string | null;
}

/** Null for another event. */
export function certificateOf(log: Log, event: RecordedEvent | undefined): Certificate | null {
  if (event?.type !== 'PersonalDataErased') return null;
  const { position, id, meta, data } = event;
  const { clients, keys, details } = data;
  return {
    ...{ position, at: meta.at, id, hash: log.hashAt(position) ?? '', generation: log.generation },
    ...{ by: actorText(meta), clients, keys, reason: details.reason },
  };
}

/** The certificate as a document. It names no person except the admin. */
export function certificateLines({ position, at, id, hash, generation, by, clients, keys, reason }: Certificate) {
  const numbers = clients.map((client) => `#${client}`);
  const lines: readonly Text[] = [
    message('personal.certificateTitle'),
    verbatim(''),
    message('personal.certificateWhat', { clients: numbers, at }),
    message('personal.certificateBy', { by }),
    ...(reason === '' ? [] : [message('personal.certificateReason', { given: reason })]),
    message('personal.certificateKeys'),
    ...keys.map((key) => verbatim(`  ${key}`)),
    verbatim(''),
    message('personal.certificateKept'),
    message('personal.certificateCopies'),
    verbatim(''),
    message('personal.certificateEvent', { position, id }),
    message('personal.certificateHash', { hash, generation }),
    message('personal.certificateVerify'),
  ];
  return lines;
}
