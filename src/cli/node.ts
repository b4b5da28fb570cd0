import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import { nodeUrl } from '../commands/ports/nodes.js';
import type { ClientNumber } from '../events/ids.js';
import { begin, catchUp } from '../events/log/replay.js';
import type { Node } from '../events/node/node-document.js';
import { OperatorError } from '../lib/operator-error.js';
import { timeText } from '../lib/words.js';
import { clients } from '../projections/clients.js';
import { inbounds } from '../projections/inbounds.js';
import { nodeOutbox, type OutboxEntry, outboxOf } from '../projections/node/node-outbox.js';
import { type NodeRestart, nodes } from '../projections/node/nodes.js';
import { openJournal } from '../store/journal.js';
import { print, printEither } from './output.js';
import type { Common } from './reading.js';

/** `portolan node …`: what the log knows of the nodes, beside a running panel or without one. */
export function nodeCommands(program: Command, common: () => Common): void {
  const node = program.command('node').description('remote panels that this one manages');
  node
    .command('list')
    .description('every node: where it is, whether it answers, and what waits for it')
    .action(() => {
      const { dataDir, json } = common();
      const known = readNodes(dataDir);
      if (known.length === 0 && !json) print('There is no node');
      for (const one of known) printEither(json, one, listLine(one));
    });
  node
    .command('why')
    .argument('<name>', 'the name of a node, or its number as #2')
    .description('what keeps a node from having what is wanted there')
    .action((name: string) => {
      const { dataDir, json } = common();
      const wanted = name.toLowerCase();
      const found = readNodes(dataDir).find((one) => one.name.toLowerCase() === wanted || `#${one.id}` === name);
      if (!found) throw new OperatorError(`There is no node ${name}`);
      printEither(json, found, whyLines(found).join('\n'));
    });
}

type Told = ReturnType<typeof readNodes>[number];

/** Without tokens. Times are ms since 1970. */
function readNodes(dataDir: string) {
  const directory = dataDirectory(dataDir);
  if (!existsSync(directory.database)) throw new OperatorError(`There is no ${directory.database}`);
  const { log } = openJournal(directory, { readonly: true });
  try {
    const [register, outbox, listeners] = [begin(nodes), begin(nodeOutbox), begin(inbounds)] as const;
    const accounts = begin(clients);
    catchUp(log, [register, outbox, listeners, accounts]);
    const { byNumber } = accounts.state;
    const nameOf = (number: number): string => byNumber.get(number as ClientNumber)?.identity.email ?? `#${number}`;
    return [...register.state.documents.values()].map((node) => {
      const entries = outboxOf(outbox.state, node.id).map((entry) =>
        toldEntry(entry, outbox.state.waiting.get(entry.inbound) ?? []),
      );
      return {
        ...toldNode(node),
        standing: register.state.standings.get(node.id) ?? null,
        failing: register.state.failings.get(node.id) ?? null,
        bound: [...listeners.state.values()].filter((inbound) => inbound.node === node.id).length,
        lag: entries.reduce((sum, { waiting }) => sum + waiting, 0),
        inbounds: entries,
        unmanaged: outbox.state.unmanaged.get(node.id) ?? null,
        restart: toldRestart(register.state.restarts.get(node.id), nameOf),
      };
    });
  } finally {
    log.close();
  }
}

function toldNode(node: Node) {
  const { id, name, enabled, identity, token } = node;
  return { id, name, enabled, url: nodeUrl(node), hasApiToken: token !== '', identity };
}

function toldEntry({ inbound, tag, applied, refused, deleted }: OutboxEntry, waiting: readonly number[]) {
  return { inbound, tag, waiting: waiting.length, since: waiting[0] ?? null, applied, refused, deleted };
}

/** The last restart of its core by this panel. */
function toldRestart(restart: NodeRestart | undefined, nameOf: (client: number) => string) {
  if (!restart) return null;
  return { at: restart.at, clients: restart.clients.map(nameOf), inbounds: restart.inbounds };
}

function listLine({ id, name, url, lag, bound, ...node }: Told): string {
  return `#${id}  ${name}  ${url}  ${stateOf(node)}  ${counted(bound, 'inbound')}, ${counted(lag, 'change')} on the way`;
}

/** What nothing was said of answers, as far as the log knows. */
function stateOf({
  enabled,
  identity,
  standing,
  failing,
}: Pick<Told, 'enabled' | 'identity' | 'standing' | 'failing'>) {
  if (!enabled) return 'switched off';
  if (failing && standing?.online !== false)
    return `answers, and cannot be told anything since ${timeText(failing.since)}`;
  if (standing) return `${standing.online ? 'online' : 'offline'} since ${timeText(standing.since)}`;
  return identity === null ? 'never answered' : 'answers';
}

function whyLines(node: Told): readonly string[] {
  const { id, name, url, standing, failing, identity, hasApiToken, inbounds: entries, unmanaged, restart } = node;
  const stuck = entries.filter(({ waiting, refused }) => waiting > 0 || refused !== null);
  const reason = standing?.reason || failing?.reason;
  const state = `  ${stateOf(node)}${reason ? `: ${reason}` : ''}`;
  return [
    `Node #${id} ${name}, ${url}`,
    state,
    ...(identity === null ? [] : [`  it is a panel of ${identity.kind} ${identity.panelId}`.trimEnd()]),
    ...(hasApiToken ? [] : ['  it has no API token, so it can neither be asked nor told anything']),
    `  ${lagLine(node)}`,
    ...stuck.map(entryLine),
    ...(unmanaged === null ? [] : [`  only it has: ${unmanagedText(unmanaged)}`]),
    ...(restart === null ? [] : [`  ${restartText(restart)}`]),
  ];
}

/** What was wrong after it was told last, nobody has seen yet. */
function lagLine({ lag, standing, failing, inbounds: entries }: Told): string {
  if (lag > 0) return `${counted(lag, 'change')} on the way`;
  if (entries.some(({ refused }) => refused !== null)) return 'nothing is on the way; what it does not take is below';
  return failing || standing?.online === false
    ? 'it had everything that is wanted there when it was last seen'
    : 'it has everything that is wanted there';
}

function entryLine({ inbound, tag, waiting, since, refused, applied, deleted }: Told['inbounds'][number]): string {
  const what = deleted ? 'to be deleted there' : `${counted(waiting, 'change')} on the way`;
  const from = since === null ? '' : `, the first is event ${since}`;
  const had = applied === null ? 'it was not seen there yet' : `last brought up to date ${timeText(applied.at)}`;
  const why = refused === null ? '' : `; refused since ${timeText(refused.since)}: ${refused.reason}`;
  return `  inbound #${inbound} ${tag}: ${what}${from}; ${had}${why}`;
}

function unmanagedText({ inboundTags: tags, clients, omitted: more }: NonNullable<Told['unmanaged']>): string {
  const named = [
    ...tags.map((tag) => `inbound ${tag}`),
    ...clients.map(({ inboundTag: inbound, email }) => `client ${email} in ${inbound}`),
  ];
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function restartText({ at, clients: emails, inbounds: ids }: NonNullable<Told['restart']>): string {
  const named = [...emails.map((email) => `client ${email}`), ...ids.map((id) => `inbound #${id}`)];
  return `its core was restarted ${timeText(at)}, because it did not end connections that should be cut: ${named.join(', ')}`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
