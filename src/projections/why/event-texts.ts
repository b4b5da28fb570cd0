import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { Depletion } from '../../events/inbound/inbound.js';
import { message, type Text } from '../../messages/message.js';

type ClientTerms = Client['spec'];

/** The effect of an event on its client, as a text; the name of the event if it does not concern a client. */
export function textOfEvent(event: RecordedEvent): Text {
  return (
    clientText(event) ??
    trafficText(event) ??
    addressText(event) ??
    inboundText(event) ??
    message('history.otherEvent', { type: event.type })
  );
}

/** IP addresses; those of an erased client are gone. */
export function addressList(ips: readonly string[]): Text {
  return ips.length === 0 ? message('history.erased') : message('common.list', { items: ips });
}

function clientText({ type, data }: RecordedEvent): Text | null {
  switch (type) {
    case 'ClientAdded': {
      const { inbound, identity, spec } = data;
      const terms = [capText(spec.capBytes), expiryText(spec.expiresAt), enabledText(spec.enabled)];
      return message('history.clientAdded', { inbound, email: identity.email, terms });
    }
    case 'ClientUpdated':
      return message('history.clientUpdated', {
        changes: Object.entries(data.changes).map(([name, value]) => changeText(name, value)),
      });
    case 'ClientIdentityChanged':
      return message('history.clientRenamed', { email: data.identity.email });
    case 'ClientCredentialRotated':
      return message('history.credentialRotated', { version: data.keyVersion });
    case 'ClientDeleted':
      return message('history.clientDeleted');
    case 'ClientDepleted':
      return message('history.clientDepleted', { reason: depletionText(data.depletion) });
    case 'ClientReactivated':
      return message('history.clientReactivated');
    case 'ClientExpiryStarted':
      return message('history.expiryStarted', { at: data.expiresAt });
    case 'ClientRenewed':
      return message('history.clientRenewed', { from: data.previousExpiresAt, to: data.expiresAt });
    default:
      return null;
  }
}

function trafficText({ type, data }: RecordedEvent): Text | null {
  switch (type) {
    case 'ClientTrafficReset':
      return message('history.trafficReset', { up: data.up, down: data.down });
    case 'ClientTrafficAdjusted':
      return message('history.trafficAdjusted', { up: data.up, down: data.down });
    case 'ClientTrafficTransferred':
      return message('history.trafficTransferred', { up: data.up, down: data.down, client: data.fromClient });
    case 'ClientHistoryImported':
      return message('history.clientImported', { up: data.up, down: data.down });
    default:
      return null;
  }
}

function addressText({ type, data }: RecordedEvent): Text | null {
  switch (type) {
    case 'ClientIpsSeen':
      return message('history.ipsSeen', { ips: addressList(data.ips.map(({ ip }) => ip)) });
    case 'ClientIpsCleared':
      return message('history.ipsCleared');
    case 'ClientIpsBlocked': {
      const { limit, ips } = data;
      const [allowed, blocked] = [addressList(ips.allowed), addressList(ips.blocked)];
      return message('history.ipsBlocked', { limit, allowed, blocked });
    }
    case 'ClientIpsUnblocked':
      return message('history.ipsUnblocked', { reason: message(UNBLOCKED[data.reason]) });
    default:
      return null;
  }
}

function inboundText({ type, data }: RecordedEvent): Text | null {
  switch (type) {
    case 'InboundDepleted':
      return message('history.inboundDepleted', { reason: depletionText(data.depletion) });
    case 'InboundTrafficPeriodStarted':
      return message('history.inboundPeriodStarted', { period: message(PERIODS[data.period]), at: data.startedAt });
    case 'InboundEnabled':
      return message('history.inboundEnabled');
    case 'InboundDisabled':
      return message('history.inboundDisabled');
    case 'InboundReactivated':
      return message('history.inboundReactivated');
    case 'InboundReconfigured':
      return message('history.inboundReconfigured');
    default:
      return null;
  }
}

/** The message of each traffic period. */
export const PERIODS = {
  hourly: 'history.hourly',
  daily: 'history.daily',
  weekly: 'history.weekly',
  monthly: 'history.monthly',
} as const;

const UNBLOCKED = {
  left: 'history.addressLeft',
  changed: 'history.limitChanged',
  reset: 'history.trafficWasReset',
  cleared: 'history.addressesCleared',
} as const;

/** The limit that was reached. */
export function depletionText(depletion: Depletion): Text {
  if (depletion.reason === 'expiry') return message('why.expired', { at: depletion.expiresAt });
  return message('why.capReached', { used: depletion.usedBytes, cap: depletion.capBytes });
}

function changeText(name: string, value: unknown): Text {
  const number = Number(value);
  switch (name) {
    case 'enabled' satisfies keyof ClientTerms:
      return enabledText(value === true);
    case 'capBytes' satisfies keyof ClientTerms:
      return capText(number);
    case 'expiresAt' satisfies keyof ClientTerms:
      return expiryText(number);
    case 'limitIp' satisfies keyof ClientTerms:
      return number === 0 ? message('history.noIpLimit') : message('history.ipLimit', { limit: number });
    default:
      return message('history.term', { name, value: JSON.stringify(value) });
  }
}

function enabledText(enabled: boolean): Text {
  return enabled ? message('history.enabled') : message('history.disabled');
}

function capText(cap: number): Text {
  return cap === 0 ? message('history.noCap') : message('history.cap', { cap });
}

/** A negative expiry is the length of a term that starts with the first use. */
function expiryText(expiresAt: number): Text {
  if (expiresAt === 0) return message('history.noExpiry');
  if (expiresAt > 0) return message('history.expiresAt', { at: expiresAt });
  return message('history.expiresAfterFirstUse', { term: -expiresAt });
}
