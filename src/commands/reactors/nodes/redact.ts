import type { WantedClient } from '../../ports/remote-panel.js';

/** A word of a sentence; a colon or a full stop behind it is none of it. */
const WORD = /[^\s,;'"()[\]{}<>]+/g;
const CREDENTIALS = ['id', 'password', 'auth'];

/**
 * What a node says without what it says of people: reasons stay in the log when a client is erased, and in sealed
 * backups. The emails of these clients become their numbers; their ids and passwords go.
 */
export function discreet(reason: string, clients: readonly WantedClient[]): string {
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
