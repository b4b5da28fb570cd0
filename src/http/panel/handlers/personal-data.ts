import { Rejection, reject } from '../../../commands/rejection.js';
import type { ClientNumber } from '../../../events/ids.js';
import type { LegalHold } from '../../../events/personal-data/hold-document.js';
import { inSlices } from '../../../lib/time/slices.js';
import { message, type Text } from '../../../messages/message.js';
import { coded, rendered } from '../../../messages/rendered.js';
import { type Certificate, certificateLines, certificateOf } from '../../../projections/personal-data/certificate.js';
import { exportLines } from '../../../projections/personal-data/export-text.js';
import { personalDataOf } from '../../../projections/personal-data/personal-data.js';
import { statementOfNumbers } from '../../../projections/statement/statement-of-client.js';
import { statementOwner } from '../../../projections/why/deleted-clients.js';
import { eventsOfClients } from '../../../projections/why/history.js';
import { messageOf } from '../answers.js';
import type { HttpRequest, Needs } from '../context.js';
import type { personalDataRoutes } from '../contract/personal-data.js';
import type { Handlers } from '../mount.js';
import { Attachment } from '../outcomes.js';

type Services = Needs<'read' | 'now' | 'past' | 'ledger' | 'audit' | 'feed'>;
type Say = HttpRequest['say'];

const TEXT = 'text/plain';
const MAX_CERTIFICATES = 100;
const MAX_NAME_CHARS = 64;

export const personalDataHandlers: Handlers<typeof personalDataRoutes, Services> = {
  async export({ params: { email }, body: { client, mask, format } }, services, { say, dispatch }) {
    const { read, now, past, ledger, feed } = services;
    const owner = ownerOf(services, email, client);
    if (owner instanceof Rejection) return owner;
    const { name, clients } = owner;
    const position = feed.log.head().position;
    const head = { email: name, madeAt: now(), position, generation: feed.log.generation, masked: mask === true };
    const answer = await ledger((books) => {
      const first = Math.min(
        now(),
        ...clients.flatMap((one) => past.readStream(`client-${one}`, 0, 1)[0]?.meta.at ?? []),
      );
      const days = [books.days.of(first), books.days.of(now())] as const;
      return statementOfNumbers(read, books, past, clients, days, now());
    });
    if ('unavailable' in answer)
      return answer.unavailable === 'unready' ? reject('LEDGER_NOT_READY') : reject('LEDGER_WRONG');
    const histories = await inSlices(eventsOfClients(past, clients));
    const options = { mask: head.masked, now: head.madeAt, statement: answer.answer };
    const data = personalDataOf(read, histories, options);
    const done = dispatch({ type: 'RecordPersonalDataExport', data: { clients, masked: head.masked, position } });
    if (done instanceof Rejection) return done;
    if (format !== 'text') return coded({ ...head, ...data }, say);
    return new Attachment({ media: TEXT, name: `${fileName(name)}.txt`, text: textOf(exportLines(head, data), say) });
  },

  async erase({ params: { email }, body: { client, reason } }, services, { say, change }) {
    const owner = ownerOf(services, email, client);
    if (owner instanceof Rejection) return owner;
    // A person who asks for erasure does not know that the account was deleted and added again.
    const deleted = client === 0 ? services.read.clients.deleted(owner.name).map(({ number }) => number) : [];
    const clients = [...new Set([...owner.clients, ...deleted])];
    const done = await change(() => ({ type: 'EraseClients', data: { clients, reason } }));
    if (done instanceof Rejection) return done;
    const [certificate] = done.events.flatMap((event) => certificateOf(services.feed.log, event) ?? []);
    return certificate ? shown(certificate, say) : reject('CERTIFICATE_NOT_FOUND', { position: 0 });
  },

  certificates({ query: { before } }, { audit, feed }, { say }) {
    const found: Certificate[] = [];
    for (const event of audit.log.earlier('personal-data', Number.MAX_SAFE_INTEGER, ['PersonalDataErased'])) {
      const certificate = before === 0 || event.position < before ? certificateOf(feed.log, event) : null;
      if (certificate) found.push(certificate);
      if (found.length === MAX_CERTIFICATES) break;
    }
    return found.map((certificate) => shown(certificate, say));
  },

  certificate({ params: { position }, query: { format } }, { past, feed }, { say }) {
    const certificate = certificateOf(feed.log, past.at(position));
    if (!certificate) return reject('CERTIFICATE_NOT_FOUND', { position });
    if (format !== 'text') return shown(certificate, say);
    const text = textOf(certificateLines(certificate), say);
    return new Attachment({ media: TEXT, name: `erasure-${position}.txt`, text });
  },

  holds: (_, { read }) => [...read.records.legalHolds().values()].map((hold) => holdOf(hold, read)),

  hold({ body: { email, client, from, to, reason } }, services, { dispatch }) {
    const owner = email === '' ? { clients: [] } : ownerOf(services, email, client);
    if (owner instanceof Rejection) return owner;
    const done = dispatch({ type: 'PlaceLegalHold', data: { clients: owner.clients, from, to, reason } });
    if (done instanceof Rejection) return done;
    const [id = 0] = done.events.flatMap(({ data }) => ('hold' in data ? [data.hold] : []));
    return { id };
  },

  release: ({ params: { id }, body: { reason } }, _, { dispatch }) =>
    messageOf(dispatch({ type: 'ReleaseLegalHold', data: { hold: id, reason } }), message('personal.holdReleased')),
};

/** The clients that a request is about: all that have the email now, or one by its number. */
function ownerOf({ read, past }: Pick<Services, 'read' | 'past'>, email: string, client: number) {
  const owner = statementOwner(read, past, email, client);
  if (!owner) return reject('CLIENT_NOT_FOUND', { client: email });
  const numbers = owner.client === null ? read.clients.byEmail(email).map(({ number }) => number) : [owner.client];
  return { name: owner.email, clients: numbers as ClientNumber[] };
}

function shown(certificate: Certificate, say: Say) {
  const text = textOf(certificateLines(certificate), say);
  const { clients, keys, ...rest } = coded(certificate, say);
  return { ...rest, clients: [...clients], keys: [...keys], text };
}

function holdOf({ clients, ...hold }: LegalHold, read: Services['read']) {
  return {
    ...hold,
    clients: clients.map((client) => ({ client, email: read.clients.get(client)?.identity.email ?? '' })),
  };
}

const textOf = (lines: readonly Text[], say: Say): string => `${rendered(lines, say).join('\n')}\n`;
const fileName = (email: string): string =>
  `personal-data-${email.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, MAX_NAME_CHARS)}`;
