import type { DesiredClient } from '../../../events/node/desired-state.js';
import { isText, type Text, verbatim } from '../../../messages/message.js';

/** A word of a sentence, with the punctuation after it. */
const WORD = /[^\s,;'"()[\]{}<>]+/g;
const CREDENTIALS = ['id', 'password', 'auth'];

/**
 * Removes personal data from the message of a node, which stays in the log and in sealed backups when a client is erased.
 * Emails of these clients become their numbers; ids and passwords are removed.
 */
export function redact(reason: Text, clients: readonly DesiredClient[]): Text {
  if ('verbatim' in reason) return verbatim(redactWords(reason.verbatim, clients));
  const params = Object.entries(reason.params).map(([name, value]) => [
    name,
    isText(value) ? redact(value, clients) : value,
  ]);
  return { ...reason, params: Object.fromEntries(params) };
}

function redactWords(reason: string, clients: readonly DesiredClient[]): string {
  const numbers = new Map(clients.map(({ email, number }) => [email.toLowerCase(), number]));
  const isCredential = (word: string): boolean =>
    word.length >= 8 &&
    clients.some(({ text }) => CREDENTIALS.some((name) => text.includes(`"${name}":${JSON.stringify(word)}`)));
  return reason.replace(WORD, (text) => {
    const word = text.replace(/[.:!?]+$/, '');
    const number = numbers.get(word.toLowerCase());
    if (number !== undefined) return `client ${number}${text.slice(word.length)}`;
    return isCredential(word) ? `…${text.slice(word.length)}` : text;
  });
}
