import type { Command } from 'commander';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { message, type Text } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { LogReadModels } from '../../projections/read-models.js';
import { accessStatusText } from '../../projections/why/access-status-texts.js';
import { type DeletedClient, deletedClient } from '../../projections/why/deleted-clients.js';
import { type Explanation, explain } from '../../projections/why/explain.js';
import { entryText, type HistoryEntry } from '../../projections/why/history.js';
import type { Moment } from '../../projections/why/why-facts.js';
import type { Journal } from '../../store/journal.js';
import { clientsNamed, numberIn } from '../clients-named.js';
import { inEnglish, print } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

/** `portolan events why CLIENT`: the state of a client, the rule behind it, since when, by whom, and how to fix it. */
export function whyCommand(events: Command, globals: () => GlobalOptions, say: Say): void {
  events
    .command('why')
    .argument('<client>', say(message('cli.argumentClient')))
    .description(say(message('cli.why')))
    .action((name: string) => {
      const { dataDir, json } = globals();
      reading(dataDir, (journal) => {
        const { now, past } = found(journal, name);
        for (const one of now) print(json ? JSON.stringify(inEnglish(plain(one))) : nowText(one, say));
        for (const one of past) print(json ? JSON.stringify(inEnglish(one)) : pastText(one, say));
      });
    });
}

/** The clients that have the name, and the deleted ones that had it. Throws `OperatorError` when there is none. */
function found(
  { log, snapshots }: Journal,
  name: string,
): { now: readonly Explanation[]; past: readonly DeletedClient[] } {
  const number = numberIn(name);
  const read = new LogReadModels(log, snapshots);
  const email = number === null ? name : (read.clients.get(number)?.identity.email ?? '');
  const now = explain(read, log, email, Date.now()).filter(({ client }) => number === null || client.number === number);
  const past = (number === null ? clientsNamed(log.stored, name) : [number]).flatMap(
    (client) => deletedClient(log, client) ?? [],
  );
  if (now.length + past.length === 0) throw new OperatorError(message('cli.clientUnknown', { client: name }));
  return { now, past };
}

function plain({ client, inbound, ...rest }: Explanation): object {
  const { id, tag, remark } = inbound;
  return { client: client.number, email: client.identity.email, inbound: { id, tag, remark }, ...rest };
}

function nowText({ client, inbound, status, mayConnect, rule, also, story, ...rest }: Explanation, say: Say): string {
  const title = {
    email: client.identity.email,
    client: client.number,
    inbound: inbound.tag,
    status: accessStatusText(status),
  };
  return [
    say(message('cli.whyTitle', title)),
    `  ${say(message(mayConnect ? 'cli.whyMay' : 'cli.whyMayNot', { rule }))}.`,
    ...because(rest, say),
    ...also.flatMap((other) => {
      const shown = { status: accessStatusText(other.status), rule: other.rule };
      return [`  ${say(message('cli.whyAlso', shown))}.`, ...because(other, say)];
    }),
    ...storyLines(story, say),
  ].join('\n');
}

function because(
  { since, remedies }: { since: Moment | null; remedies: readonly Text[] },
  say: Say,
): readonly string[] {
  return [
    ...(since ? [`  ${say(message('cli.whySince', since))}`] : []),
    ...(remedies.length > 0 ? [`  ${say(message('cli.whyRemedies', { remedies }))}`] : []),
  ];
}

function pastText({ client, since, story }: DeletedClient, say: Say): string {
  return [say(message('cli.whyDeleted', { client, ...since })), ...storyLines(story, say)].join('\n');
}

const storyLines = (story: readonly HistoryEntry[], say: Say): readonly string[] => [
  `  ${say(message('cli.whyStory'))}`,
  ...story.map((entry) => say(entryText(entry))),
];
