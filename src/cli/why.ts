import type { Command } from 'commander';
import { OperatorError } from '../lib/operator-error.js';
import { timeText } from '../lib/words.js';
import { message } from '../messages/message.js';
import { ReadModels } from '../projections/read-models.js';
import { type Chapter, chapterLine } from '../projections/story.js';
import { type Ended, endOf } from '../projections/why/ended.js';
import { type Explanation, explain } from '../projections/why/explain.js';
import type { Moment } from '../projections/why/why-facts.js';
import type { Journal } from '../store/journal.js';
import { clientsNamed, numberIn } from './clients-named.js';
import type { Say } from './language.js';
import { print } from './output.js';
import { type Common, reading } from './reading.js';

/** `portolan events why CLIENT`: in which state a client is, by which rule, since when, by whom, and what would change it. */
export function whyCommand(events: Command, common: (command: Command) => Common, say: Say): void {
  events
    .command('why')
    .argument('<client>', say(message('cli.argumentClient')))
    .description(say(message('cli.why')))
    .action((name: string, _options: object, command: Command) => {
      const { dataDir, json } = common(command);
      reading(dataDir, (journal) => {
        const { now, past } = found(journal, name);
        for (const one of now) print(json ? JSON.stringify(plain(one)) : nowText(one, say));
        for (const one of past) print(json ? JSON.stringify(one) : pastText(one, say));
      });
    });
}

/** The clients that have the name, and the deleted ones that had it. Throws `OperatorError` when there is none. */
function found({ log, snapshots }: Journal, name: string): { now: readonly Explanation[]; past: readonly Ended[] } {
  const number = numberIn(name);
  const read = new ReadModels(log, snapshots);
  const email = number === null ? name : (read.clients.get(number)?.identity.email ?? '');
  const now = explain(read, log, email, Date.now()).filter(({ client }) => number === null || client.number === number);
  const past = (number === null ? clientsNamed(log, name) : [number]).flatMap((client) => endOf(log, client) ?? []);
  if (now.length + past.length === 0) throw new OperatorError(message('cli.clientUnknown', { client: name }));
  return { now, past };
}

function plain({ client, inbound, ...rest }: Explanation): object {
  const { id, tag, remark } = inbound;
  return { client: client.number, email: client.identity.email, inbound: { id, tag, remark }, ...rest };
}

function nowText({ client, inbound, standing, mayConnect, rule, also, story, ...rest }: Explanation, say: Say): string {
  const title = { email: client.identity.email, client: client.number, inbound: inbound.tag, standing };
  return [
    say(message('cli.whyTitle', title)),
    `  ${connectText(mayConnect, rule, say)}.`,
    ...because(rest, say),
    ...also.flatMap((other) => [`  ${say(message('cli.whyAlso', other))}.`, ...because(other, say)]),
    ...storyLines(story, say),
  ].join('\n');
}

/** A rule that admits a client says so itself. */
function connectText(mayConnect: boolean, rule: string, say: Say): string {
  if (rule.startsWith('it may connect')) return `I${rule.slice(1)}`;
  return say(message(mayConnect ? 'cli.whyMay' : 'cli.whyMayNot', { rule }));
}

function because(
  { since, remedies }: { since: Moment | null; remedies: readonly string[] },
  say: Say,
): readonly string[] {
  return [
    ...(since ? [`  ${say(message('cli.whySince', { ...since, at: timeText(since.at) }))}`] : []),
    ...(remedies.length > 0 ? [`  ${say(message('cli.whyRemedies', { remedies }))}`] : []),
  ];
}

function pastText({ client, since, story }: Ended, say: Say): string {
  return [say(message('cli.whyDeleted', { client, ...since, at: timeText(since.at) })), ...storyLines(story, say)].join(
    '\n',
  );
}

const storyLines = (story: readonly Chapter[], say: Say): readonly string[] => [
  `  ${say(message('cli.whyStory'))}`,
  ...story.map(chapterLine),
];
