import { describe, it } from 'vitest';
import { BackupDelivered, ClientWarningsSent } from '../../src/events/chat-bot.js';
import { clientAdded, clientNumber, first, inboundAdded } from '../kit/builders.js';
import { given } from '../kit/spec.js';

const warned = (expiring: readonly number[], nearCap: readonly number[]) =>
  ({
    type: 'RecordClientWarnings',
    data: { expiring: expiring.map(clientNumber), nearCap: nearCap.map(clientNumber) },
  }) as const;

describe('RecordClientWarnings', () => {
  it('records only clients that still exist', () => {
    given(inboundAdded(), clientAdded())
      .when(warned([1, 2], [1]))
      .then(ClientWarningsSent({ expiring: [first], nearCap: [first] }));
  });

  it('records nothing if none of them exists', () => {
    given()
      .when(warned([1], [2]))
      .then();
  });
});

describe('RecordBackupDelivered', () => {
  it('records the chats that received the backup', () => {
    const data = { position: 1, bytes: 2, encrypted: true, chats: [{ chatId: -3, error: null }] };
    given().when({ type: 'RecordBackupDelivered', data }).then(BackupDelivered(data));
  });
});
