import { message, type Text, verbatim } from '../../messages/message.js';
import type { Statement } from '../statement/statement.js';
import type { PersonalData } from './personal-data.js';

/** Where and when an export was made. */
interface ExportHead {
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  /** The last event in it, and the identity of the log. */
  readonly position: number;
  readonly generation: string;
  readonly masked: boolean;
}

/** An export as lines for the person whom it concerns. */
export function exportLines(head: ExportHead, data: PersonalData): readonly Text[] {
  const { email, madeAt, position, generation, masked } = head;
  return [
    message('personal.exportTitle', { email }),
    message('personal.exportMade', { at: madeAt, position, generation }),
    message(masked ? 'personal.exportMasked' : 'personal.exportComplete'),
    verbatim(''),
    ...data.accounts.flatMap(accountLines),
    message(data.online ? 'personal.online' : 'personal.offline'),
    verbatim(''),
    message('personal.addresses', { count: data.addresses.length }),
    ...data.addresses.map(({ ip, lastSeenAt }) => message('personal.address', { ip, at: lastSeenAt })),
    verbatim(''),
    ...statementLines(data.statement),
    verbatim(''),
    message('personal.events', { count: data.events.length }),
    ...data.events.map(({ at, position: place, what, by }) =>
      message('personal.event', { at, position: place, what, by }),
    ),
  ];
}

function accountLines(account: PersonalData['accounts'][number]): readonly Text[] {
  const { client, inbound, identity, credential, spec, addedAt, changedAt, deletedAt, lastOnlineAt } = account;
  const field = (name: string, value: string | number): readonly Text[] =>
    value === '' || value === 0 ? [] : [verbatim(`  ${name}: ${value}`)];
  return [
    message('personal.account', { client, inbound, at: addedAt }),
    ...field('email', identity.email),
    ...field('subId', identity.subId),
    ...field('comment', identity.comment),
    ...field('tgId', identity.tgId),
    ...(Object.keys(identity.extra).length > 0 ? field('extra', JSON.stringify(identity.extra)) : []),
    ...field('id', credential.id),
    ...field('password', credential.password),
    ...field('auth', credential.auth),
    verbatim(`  enabled: ${spec.enabled}`),
    ...field('totalGB', spec.capBytes),
    ...field('limitIp', spec.limitIp),
    ...(spec.expiresAt > 0 ? [message('personal.expires', { at: spec.expiresAt })] : []),
    message('personal.changed', { at: changedAt }),
    ...(lastOnlineAt > 0 ? [message('personal.lastOnline', { at: lastOnlineAt })] : []),
    ...(deletedAt > 0 ? [message('personal.deleted', { at: deletedAt })] : []),
    verbatim(''),
  ];
}

function statementLines({ from, to, zone, used, changed, closing, days }: Statement): readonly Text[] {
  return [
    message('personal.statement', { from, to, zone }),
    ...days.flatMap(({ date, sources }) =>
      sources.map(({ source, up, down }) => message('personal.day', { date, source, up, down })),
    ),
    message('personal.used', { up: used.up, down: used.down }),
    message('personal.statementChanged', { up: changed.up, down: changed.down }),
    message('personal.closing', { up: closing.up, down: closing.down }),
  ];
}
