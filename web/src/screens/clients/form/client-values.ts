import type { ClientInbound, WireClient } from '../../../model/clients';
import { localDate } from '../../../model/local-date';
import { randomWord } from '../../../model/random';

const GB = 1024 ** 3;
const DAY_MS = 86_400_000;

/** A client as the fields of its form have it. */
export interface Values {
  inbound: string;
  email: string;
  enable: boolean;
  /** Empty = no cap. */
  gigabytes: number | '';
  expires: 'never' | 'date' | 'use';
  /** As a date field has it. */
  date: string;
  days: number | '';
  limitIp: number | '';
  reset: number | '';
  subId: string;
  tgId: string;
  flow: string;
  comment: string;
}

/** `wire` null: a new client. */
export function valuesOf(wire: WireClient | null, inbound: ClientInbound | undefined): Values {
  const { totalGB = 0, expiryTime = 0, limitIp = 0, reset = 0, comment = '', enable = true } = wire ?? {};
  return {
    inbound: String(inbound?.id ?? ''),
    email: wire?.email ?? randomWord(8),
    enable,
    gigabytes: totalGB === 0 ? '' : Math.round((totalGB / GB) * 1000) / 1000,
    expires: expiryTime === 0 ? 'never' : expiryTime > 0 ? 'date' : 'use',
    date: expiryTime > 0 ? localDate(expiryTime) : '',
    days: expiryTime < 0 ? Math.round(-expiryTime / DAY_MS) : '',
    limitIp: limitIp === 0 ? '' : limitIp,
    reset: reset === 0 ? '' : reset,
    subId: wire?.subId ?? randomWord(16),
    tgId: wire?.tgId ? String(wire.tgId) : '',
    flow: wire?.flow ?? '',
    comment,
  };
}

/**
 * The client that the values describe. A cap or an expiry that the form shows rounded stays exactly as it was, unless its
 * field was changed.
 */
export function wireOfValues(values: Values, before: WireClient | null): WireClient {
  const { email, enable, limitIp, reset, subId, tgId, comment } = values;
  const shown = before && valuesOf(before, undefined);
  const sameCap = shown && shown.gigabytes === values.gigabytes;
  const sameEnd = shown && shown.expires === values.expires && shown.date === values.date && shown.days === values.days;
  return {
    email: email.trim(),
    enable,
    totalGB: sameCap ? (before.totalGB ?? 0) : Math.round(Number(values.gigabytes || 0) * GB),
    expiryTime: sameEnd ? (before.expiryTime ?? 0) : endOf(values),
    limitIp: Number(limitIp || 0),
    reset: Number(reset || 0),
    subId: subId.trim(),
    tgId: /^-?\d+$/.test(tgId.trim()) ? Number(tgId.trim()) : 0,
    comment,
  };
}

/** A client may connect until the end of its last day. */
function endOf({ expires, date, days }: Values): number {
  if (expires === 'date') return new Date(`${date}T23:59:59`).getTime();
  return expires === 'use' ? -Number(days) * DAY_MS : 0;
}
