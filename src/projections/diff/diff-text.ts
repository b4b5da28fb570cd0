import { message, type Text, verbatim } from '../../messages/message.js';
import type { DiffReport, DocumentDiff, FieldChange } from './diff.js';

type Say = (text: Text) => string;

/** A report as lines for people: the moments, the numbers of documents, and each document with its fields and events. */
export function diffLines({ from, to, counts, documents, skipped }: DiffReport, say: Say): readonly string[] {
  const moments = { from: from.position, fromAt: from.at, to: to.position, toAt: to.at };
  const rest = counts.added + counts.removed + counts.changed - skipped - documents.length;
  return [
    say(message('diff.title', moments)),
    say(message('diff.counts', counts)),
    ...documents.flatMap((document) => ['', ...linesOf(document, say)]),
    ...(rest > 0 ? ['', say(message('diff.more', { count: rest }))] : []),
  ];
}

function linesOf(document: DocumentDiff, say: Say): readonly string[] {
  const { change, fields, events } = document;
  return [
    say(message(TITLES[change], { what: nameOf(document) })),
    ...fields.filter((field) => change === 'changed' || hasValue(field)).map((field) => `  ${say(fieldText(field))}`),
    ...events.map((event) => `  ${say(message('diff.event', event))}`),
  ];
}

/** Of a document that was added or removed, only the values that say something are shown. */
const hasValue = ({ before, after, secret }: FieldChange): boolean =>
  !secret && ![undefined, null, '', 0, false].some((empty) => empty === (after ?? before));

const TITLES = { added: 'diff.added', removed: 'diff.removed', changed: 'diff.changed' } as const;

/** What a difference is about. */
function nameOf({ noun, number, name }: DocumentDiff): Text {
  switch (noun) {
    case 'inbound':
      return message('diff.inbound', { name, number });
    case 'client':
      return message('diff.client', { name, number });
    case 'node':
      return message('diff.node', { name, number });
    case 'settings':
      return message('diff.settings');
    case 'core':
      return message('diff.core');
    case 'role':
      return message('diff.role', { name });
    case 'admin':
      return message('diff.admin', { name, number });
    case 'token':
      return message('diff.token', { name, number });
    case 'webhook':
      return message('diff.webhook', { name, number });
    case 'hold':
      return message('diff.hold', { number });
    case 'geoSource':
      return message('diff.geoSource', { name, number });
  }
}

function fieldText({ field, before, after, secret, erased }: FieldChange): Text {
  if (secret) return message(erased ? 'diff.secretErased' : 'diff.secret', { field });
  if (erased) return message('diff.valueErased', { field, value: jsonText(after ?? before) });
  if (before === undefined) return verbatim(`${field}: ${jsonText(after)}`);
  if (after === undefined) return verbatim(`${field}: ${jsonText(before)}`);
  return verbatim(`${field}: ${jsonText(before)} → ${jsonText(after)}`);
}

/** Longest value in a line, in characters. */
const MAX_VALUE = 200;

function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
