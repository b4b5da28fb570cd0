import { describe, it } from 'vitest';
import { BackupDelivered, ClientsWarnedOf } from '../../src/events/chat-bot.js';
import { clientAdded, clientNumber, first, inboundAdded } from '../kit/builders.js';
import { given } from '../kit/spec.js';

const warned = (expiry: readonly number[], cap: readonly number[]) =>
  ({
    type: 'RecordClientsWarnedOf',
    data: { expiry: expiry.map(clientNumber), cap: cap.map(clientNumber) },
  }) as const;

describe('RecordClientsWarnedOf', () => {
  it('remembers those that are still there', () => {
    given(inboundAdded(), clientAdded())
      .when(warned([1, 2], [1]))
      .then(ClientsWarnedOf({ expiry: [first], cap: [first] }));
  });

  it('is nothing when nobody is', () => {
    given()
      .when(warned([1], [2]))
      .then();
  });
});

describe('RecordBackupDelivered', () => {
  it('says who got it', () => {
    const data = { position: 1, bytes: 2, sealed: true, chats: [{ chat: -3, error: null }] };
    given().when({ type: 'RecordBackupDelivered', data }).then(BackupDelivered(data));
  });
});
