import type { Command } from 'commander';
import { OperatorError } from '../lib/operator-error.js';
import { timeText } from '../lib/words.js';
import { ReadModels } from '../projections/read-models.js';
import { type Chapter, chapterLine } from '../projections/story.js';
import { type Ended, endOf } from '../projections/why/ended.js';
import { type Explanation, explain } from '../projections/why/explain.js';
import type { Moment } from '../projections/why/why-facts.js';
import type { Journal } from '../store/journal.js';
import { clientsNamed, numberIn } from './clients-named.js';
import { print } from './output.js';
import { type Common, reading } from './reading.js';

/** `portolan events why CLIENT`: in which state a client is, by which rule, since when, by whom, and what would change it. */
export function whyCommand(events: Command, common: (command: Command) => Common): void {
  events
    .command('why')
    .argument('<client>', 'an email, or the number of a client as #12')
    .description('in which state a client is and why, what would change it, and the story of how it came there')
    .action((name: string, _options: object, command: Command) => {
      const { dataDir, json } = common(command);
      reading(dataDir, (journal) => {
        const { now, past } = found(journal, name);
        for (const one of now) print(json ? JSON.stringify(plain(one)) : nowText(one));
        for (const one of past) print(json ? JSON.stringify(one) : pastText(one));
      });
    });
}

/** Whoever has the name now, and whoever had it and was deleted. Throws a sentence when nobody ever had it. */
function found({ log, snapshots }: Journal, name: string): { now: readonly Explanation[]; past: readonly Ended[] } {
  const number = numberIn(name);
  const read = new ReadModels(log, snapshots);
  const email = number === null ? name : (read.clients.get(number)?.identity.email ?? '');
  const now = explain(read, log, email, Date.now()).filter(({ client }) => number === null || client.number === number);
  const past = (number === null ? clientsNamed(log, name) : [number]).flatMap((client) => endOf(log, client) ?? []);
  if (now.length + past.length === 0) throw new OperatorError(`The log knows no client ${name}`);
  return { now, past };
}

function plain({ client, inbound, ...rest }: Explanation): object {
  const { id, tag, remark } = inbound;
  return { client: client.number, email: client.identity.email, inbound: { id, tag, remark }, ...rest };
}

function nowText({ client, inbound, standing, mayConnect, rule, also, story, ...rest }: Explanation): string {
  return [
    `${client.identity.email} (client #${client.number}, inbound ${inbound.tag}): ${standing}`,
    `  ${connectText(mayConnect, rule)}.`,
    ...because(rest),
    ...also.flatMap((other) => [`  Also ${other.standing}: ${other.rule}.`, ...because(other)]),
    ...toldOf(story),
  ].join('\n');
}

/** A rule that lets a client in says so itself. */
function connectText(mayConnect: boolean, rule: string): string {
  if (rule.startsWith('it may connect')) return `I${rule.slice(1)}`;
  return `It ${mayConnect ? 'may' : 'may not'} connect: ${rule}`;
}

function because({ since, remedies }: { since: Moment | null; remedies: readonly string[] }): readonly string[] {
  return [
    ...(since ? [`  Since ${timeText(since.at)}, by ${since.by} (#${since.position}).`] : []),
    ...(remedies.length > 0 ? [`  What would change it: ${remedies.join('; ')}.`] : []),
  ];
}

function pastText({ client, since, story }: Ended): string {
  const end = `was deleted at ${timeText(since.at)} by ${since.by} (#${since.position})`;
  return [`Client #${client} ${end}`, ...toldOf(story)].join('\n');
}

const toldOf = (story: readonly Chapter[]): readonly string[] => ['  Its story:', ...story.map(chapterLine)];
