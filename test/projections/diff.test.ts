import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/events/client/client-document.js';
import { canonicalJson } from '../../src/lib/json.js';
import { atOnce } from '../../src/lib/time/slices.js';
import { type DiffReport, type DocumentDiff, diffSteps } from '../../src/projections/diff/diff.js';
import { documentOf, isSameClient, sourcesOf } from '../../src/projections/diff/documents.js';
import { nouns } from '../../src/projections/diff/moment-document.js';
import { readModelsAt } from '../../src/projections/moments.js';
import type { ReadModels } from '../../src/projections/read-models.js';
import { playedLogs, steps } from '../kit/history/history.js';

type Fields = Readonly<Record<string, unknown>>;
const EVERYTHING = { noun: '', client: '' } as const;

/** What a diff may show of a moment: the fields of each document, by stream. */
function shownOf(read: ReadModels): Map<string, Fields> {
  const shown = new Map<string, Fields>();
  for (const noun of nouns)
    for (const [, source] of sourcesOf(read, noun)) {
      const document = documentOf(noun, source);
      const { values, erased } = document.shown();
      shown.set(document.stream, Object.fromEntries(Object.entries(values).filter(([field]) => !erased.has(field))));
    }
  return shown;
}

const STREAMS: Readonly<Record<string, string>> = { admin: 'user', geoSource: 'geo-source' };
function streamOf({ noun, number, name }: DocumentDiff): string {
  if (noun === 'role') return `role-${name}`;
  return number === 0 ? noun : `${STREAMS[noun] ?? noun}-${number}`;
}

/** Applies the reported fields to the documents of the earlier moment. */
function applied(before: ReadonlyMap<string, Fields>, { documents }: DiffReport): Map<string, Fields> {
  const after = new Map(before);
  for (const document of documents) {
    const stream = streamOf(document);
    if (document.change === 'removed') {
      after.delete(stream);
      continue;
    }
    const fields: Record<string, unknown> = { ...after.get(stream) };
    for (const { field, secret, ...change } of document.fields) {
      if (secret) continue;
      if (change.after === undefined) delete fields[field];
      else fields[field] = change.after;
    }
    after.set(stream, fields);
  }
  return after;
}

describe('a diff of two moments', () => {
  it('turns the documents of the first into those of the second, for random histories', () => {
    const played = playedLogs();
    fc.assert(
      fc.property(steps(40), fc.nat(), fc.nat(), (history, one, other) => {
        const { journal, player } = played();
        player.play(history);
        const head = journal.log.head().position;
        const [from = 0, to = 0] = [one % (head + 1), other % (head + 1)].toSorted((a, b) => a - b);
        const [before, after] = [readModelsAt(journal.log, from), readModelsAt(journal.log, to)];
        const report = atOnce(
          diffSteps({ position: from, at: 0, read: before }, { position: to, at: 0, read: after }, EVERYTHING, {
            part: { skip: 0, limit: 10_000 },
            search: journal.log.search,
          }),
        );
        expect(applied(shownOf(before), report)).toStrictEqual(shownOf(after));
        const { added, removed, changed } = report.counts;
        expect(added + removed + changed).toBe(report.documents.length);
        for (const { events, change, number } of report.documents) {
          expect(events.every(({ position }) => position > from && position <= to)).toBe(true);
          if (change !== 'changed' && number > 0) expect(events).not.toStrictEqual([]);
        }
        journal.log.close();
      }),
      { numRuns: 60 },
    );
  });

  it('finds two versions of a client equal exactly when their documents show the same', () => {
    const gone: ReadonlySet<string> = new Set(['client:1/1']);
    const shown = (client: Client, destroyed?: ReadonlySet<string>) => documentOf('client', client, destroyed).shown();
    const played = playedLogs();
    fc.assert(
      fc.property(steps(30), (history) => {
        const { journal, player } = played();
        player.play(history);
        const clients = [...readModelsAt(journal.log, journal.log.head().position).clients.all()];
        journal.log.close();
        const versions = clients.flatMap((client): Client[] => [
          client,
          { ...client, updatedAt: client.updatedAt + 1 },
          { ...client, spec: { ...client.spec, capBytes: client.spec.capBytes + 1 } },
          { ...client, identity: { ...client.identity, subId: 'another' } },
          { ...client, credential: { ...client.credential, password: 'another' } },
        ]);
        for (const one of versions.slice(0, 20))
          for (const other of versions.slice(0, 20))
            for (const destroyed of [undefined, gone]) {
              const isSame = JSON.stringify(sorted(shown(one))) === JSON.stringify(sorted(shown(other, destroyed)));
              expect(isSameClient([one], [other, destroyed])).toBe(isSame);
            }
      }),
      { numRuns: 10 },
    );
  });
});

const sorted = ({ values, secrets, erased }: ReturnType<ReturnType<typeof documentOf>['shown']>) => {
  return JSON.parse(canonicalJson([values, secrets, erased.size > 0])) as unknown;
};
