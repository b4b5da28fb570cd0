import type { RecordedEvent } from '../../events/catalog.js';
import type { EventHeader, LogSearch } from '../../events/log/log-search.js';
import type { ReadModels } from '../read-models.js';
import { rejectedInbound } from './audit-search.js';

/** What an event is about. */
interface Subject {
  readonly kind: 'client' | 'inbound' | 'node' | 'user' | 'geoSource' | 'token';
  readonly number: number;
  /** Its name now, or the last one that it had; empty when that was erased. */
  readonly name: string;
  /** False when it was deleted. */
  readonly exists: boolean;
}

const STREAM = /^(client|inbound|node-sync|node|user|geo-source|token)-(\d+)$/;
const KINDS: Readonly<Record<string, Subject['kind']>> = {
  client: 'client',
  inbound: 'inbound',
  node: 'node',
  'node-sync': 'node',
  user: 'user',
  'geo-source': 'geoSource',
  token: 'token',
};

type Read = Pick<ReadModels, 'admins' | 'clients' | 'inbounds' | 'nodes' | 'records'>;

/** Finds the subjects of events. Keeps those of one answer, because events in a row are often about the same thing. */
export class Subjects {
  readonly #read: Read;
  readonly #log: Pick<LogSearch, 'earlier'>;
  readonly #known = new Map<string, Subject>();

  constructor(read: Read, log: Pick<LogSearch, 'earlier'>) {
    this.#read = read;
    this.#log = log;
  }

  /** Null for an event that is not about one thing. */
  of({ stream }: EventHeader, event: RecordedEvent | undefined): Subject | null {
    const inbound = rejectedInbound(event);
    const [, noun = '', digits = ''] = STREAM.exec(inbound === null ? stream : `inbound-${inbound}`) ?? [];
    const kind = KINDS[noun];
    if (kind === undefined) return null;
    const key = `${kind} ${digits}`;
    const subject = this.#known.get(key) ?? this.#find(kind, Number(digits));
    this.#known.set(key, subject);
    return subject;
  }

  #find(kind: Subject['kind'], number: number): Subject {
    const name = this.#nameOf(kind, number);
    return { kind, number, name: name ?? this.#formerName(kind, number), exists: name !== undefined };
  }

  #nameOf(kind: Subject['kind'], number: number): string | undefined {
    const { clients, inbounds, nodes, records } = this.#read;
    if (kind === 'client') return clients.get(number)?.identity.email;
    if (kind === 'node') return nodes.get(number)?.name;
    if (kind === 'user') return this.#read.admins.users().users.get(number)?.username;
    if (kind === 'token') return this.#read.admins.access().tokens.get(number)?.name;
    if (kind === 'geoSource') return records.geoSources().get(number)?.alias;
    const inbound = inbounds.get(number);
    return inbound && (inbound.remark || inbound.tag);
  }

  /** The last name that a deleted thing had. */
  #formerName(kind: Subject['kind'], number: number): string {
    const from = FORMER[kind];
    if (!from) return '';
    for (const event of this.#log.earlier(`${from.stream}-${number}`, Number.MAX_SAFE_INTEGER, from.types)) {
      const name = from.nameIn(event);
      if (name !== undefined && name !== '') return name;
    }
    return '';
  }
}

interface Former {
  readonly stream: string;
  readonly types: readonly RecordedEvent['type'][];
  readonly nameIn: (event: RecordedEvent) => string | undefined;
}

const FORMER: Readonly<Partial<Record<Subject['kind'], Former>>> = {
  client: {
    stream: 'client',
    types: ['ClientAdded', 'ClientIdentityChanged', 'ClientCredentialRotated'],
    nameIn: (event) => ('identity' in event.data ? event.data.identity.email : undefined),
  },
  inbound: {
    stream: 'inbound',
    types: ['InboundAdded', 'InboundUpdated'],
    nameIn(event) {
      if (event.type === 'InboundUpdated') return event.data.changes.remark ?? event.data.changes.tag;
      return event.type === 'InboundAdded' ? event.data.spec.remark || event.data.spec.tag : undefined;
    },
  },
  node: {
    stream: 'node',
    types: ['NodeAdded', 'NodeUpdated'],
    nameIn(event) {
      if (event.type === 'NodeUpdated') return event.data.changes.name;
      return event.type === 'NodeAdded' ? event.data.spec.name : undefined;
    },
  },
  geoSource: {
    stream: 'geo-source',
    types: ['GeoSourceAdded', 'GeoSourceUpdated'],
    nameIn: (event) => ('alias' in event.data ? event.data.alias : undefined),
  },
  token: {
    stream: 'token',
    types: ['TokenCreated'],
    nameIn: (event) => (event.type === 'TokenCreated' ? event.data.label.name : undefined),
  },
};
