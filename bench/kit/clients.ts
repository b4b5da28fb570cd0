import { emailOf, idOf, subIdOf } from './fleet.js';

/** Client `n` as an element of `settings.clients`. */
export function clientText(n: number, over: object = {}): string {
  const client = { id: idOf(n), email: emailOf(n), subId: subIdOf(n), enable: true, flow: '', limitIp: 0, ...over };
  return JSON.stringify(client);
}
