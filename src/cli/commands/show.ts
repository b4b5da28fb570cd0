import type { Command } from 'commander';
import { UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { documentOf, sourcesOf } from '../../projections/diff/documents.js';
import { type Noun, nouns } from '../../projections/diff/moment-document.js';
import { readModelsAt } from '../../projections/moments.js';
import { positionAt } from '../option-values.js';
import { print } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

/** A document at a moment, without its secrets. */
interface ShownDocument {
  readonly noun: Noun;
  /** 0 for a document of which there is one. */
  readonly number: number;
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Fields whose data was erased since. */
  readonly erased: readonly string[];
}

/** `portolan show`: the inbounds, clients, nodes, settings or the core template, as they are or were. It only reads. */
export function showCommand(program: Command, globals: () => GlobalOptions, say: Say): void {
  program
    .command('show')
    .argument('<noun>')
    .description(say(message('cli.show')))
    .option('--at <position|time>', say(message('cli.optionShowAt')))
    .action((text: string, { at }: { readonly at?: string }) => {
      const { dataDir, json } = globals();
      const noun = nouns.find((one) => one === text);
      if (noun === undefined) throw new UsageError(message('cli.showNoun', { value: text, known: nouns }));
      const shown = reading(dataDir, ({ log }) => {
        const position = positionAt(log, '--at', at);
        const time = position === 0 ? null : (log.search.header(position)?.meta.at ?? null);
        return { position, at: time, documents: documentsAt(readModelsAt(log, position), noun) };
      });
      print(json ? JSON.stringify(shown) : shown.documents.map(textOf).join('\n'));
    });
}

function documentsAt(read: Parameters<typeof sourcesOf>[0], noun: Noun): readonly ShownDocument[] {
  return sourcesOf(read, noun).map(([, source]) => {
    const { number, name, shown } = documentOf(noun, source);
    const { values, erased } = shown();
    const kept = Object.entries(values).filter(([field]) => !erased.has(field));
    return { noun, number, name, values: Object.fromEntries(kept), erased: [...erased] };
  });
}

/** A line with the document, and one for each field. */
function textOf({ noun, number, name, values, erased }: ShownDocument): string {
  const title = [noun, ...(number === 0 ? [] : [String(number)]), name].filter(Boolean).join(' ');
  const fields = Object.entries(values).map(([field, value]) => `  ${field}: ${JSON.stringify(value)}`);
  return [title, ...fields, ...erased.map((field) => `  ${field}: (erased)`)].join('\n');
}
