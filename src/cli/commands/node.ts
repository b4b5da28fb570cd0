import type { Command } from 'commander';
import { nodeUrl } from '../../commands/ports/remote-panel.js';
import type { ClientNumber } from '../../events/ids.js';
import { begin, catchUp } from '../../events/log/replay.js';
import type { Node } from '../../events/node/node-document.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { timeText } from '../../lib/words.js';
import { message, type Text, verbatim } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { clients } from '../../projections/models/clients.js';
import { inbounds } from '../../projections/models/inbounds.js';
import { nodeOutbox, type OutboxEntry, outboxOf } from '../../projections/node/node-outbox.js';
import { type NodeRestart, nodes } from '../../projections/node/nodes.js';
import { inEnglish, print, printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

/** `portolan node …`: the nodes as the log has them, whether a panel runs or not. */
export function nodeCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const node = program.command('node').description(say(message('cli.node')));
  node
    .command('list')
    .description(say(message('cli.nodeList')))
    .action(() => {
      const { dataDir, json } = globals();
      const known = readNodes(dataDir);
      if (known.length === 0 && !json) print(say(message('cli.nodeNone')));
      for (const one of known) printEither(json, jsonOf(one), say(listLine(one)));
    });
  node
    .command('why')
    .argument('<name>', say(message('cli.argumentNode')))
    .description(say(message('cli.nodeWhy')))
    .action((name: string) => {
      const { dataDir, json } = globals();
      const wanted = name.toLowerCase();
      const found = readNodes(dataDir).find((one) => one.name.toLowerCase() === wanted || `#${one.id}` === name);
      if (!found) throw new OperatorError(message('cli.nodeUnknown', { node: name }));
      printEither(json, jsonOf(found), whyLines(found).map(say).join('\n  '));
    });
}

type NodeReport = ReturnType<typeof readNodes>[number];

/** For programs: reasons are English sentences, with their codes beside them. */
function jsonOf({ connectivity, ...report }: NodeReport) {
  return inEnglish({
    ...report,
    connectivity: connectivity && { ...connectivity, reason: connectivity.reason ?? verbatim('') },
  });
}

/** Without tokens. Times are ms since 1970. */
function readNodes(dataDir: string) {
  return reading(dataDir, ({ log }) => {
    const [register, outbox, listeners] = [begin(nodes), begin(nodeOutbox), begin(inbounds)] as const;
    const accounts = begin(clients);
    catchUp(log, [register, outbox, listeners, accounts]);
    const { byNumber } = accounts.state;
    const nameOf = (number: number): string => byNumber.get(number as ClientNumber)?.identity.email ?? `#${number}`;
    return [...register.state.documents.values()].map((node) => {
      const entries = outboxOf(outbox.state, node.id).map((entry) =>
        entryReport(entry, outbox.state.waiting.get(entry.inbound) ?? []),
      );
      return {
        ...nodeReport(node),
        connectivity: register.state.connectivity.get(node.id) ?? null,
        failing: register.state.failings.get(node.id) ?? null,
        bound: [...listeners.state.values()].filter((inbound) => inbound.node === node.id).length,
        lag: entries.reduce((sum, { waiting }) => sum + waiting, 0),
        inbounds: entries,
        unmanaged: outbox.state.unmanaged.get(node.id) ?? null,
        restart: restartReport(register.state.restarts.get(node.id), nameOf),
      };
    });
  });
}

function nodeReport(node: Node) {
  const { id, name, enabled, identity, token } = node;
  return { id, name, enabled, url: nodeUrl(node), hasApiToken: token !== '', identity };
}

function entryReport({ inbound, tag, applied, refused, deleted }: OutboxEntry, waiting: readonly number[]) {
  return { inbound, tag, waiting: waiting.length, since: waiting[0] ?? null, applied, refused, deleted };
}

/** The last restart of its core by this panel. */
function restartReport(restart: NodeRestart | undefined, nameOf: (client: number) => string) {
  if (!restart) return null;
  return { at: restart.at, clients: restart.clients.map(nameOf), inbounds: restart.inbounds };
}

function listLine({ id, name, url, lag, bound, ...node }: NodeReport): Text {
  return message('cli.nodeLine', { id, name, url, state: stateOf(node), inbounds: bound, changes: lag });
}

/** A node without a recorded state answers, as far as the log knows. */
function stateOf({
  enabled,
  identity,
  connectivity,
  failing,
}: Pick<NodeReport, 'enabled' | 'identity' | 'connectivity' | 'failing'>): Text {
  if (!enabled) return message('cli.nodeDisabled');
  if (failing && connectivity?.online !== false) return message('cli.nodeFailing', { at: timeText(failing.since) });
  if (connectivity)
    return message(connectivity.online ? 'cli.nodeOnline' : 'cli.nodeOffline', { at: timeText(connectivity.since) });
  return message(identity === null ? 'cli.nodeNever' : 'cli.nodeAnswers');
}

function whyLines(node: NodeReport): readonly Text[] {
  const { id, name, url, connectivity, failing, identity, hasApiToken, inbounds: entries, unmanaged, restart } = node;
  const stuck = entries.filter(({ waiting, refused }) => waiting > 0 || refused !== null);
  const reason = connectivity?.reason ?? failing?.reason;
  const state = stateOf(node);
  return [
    message('cli.nodeTitle', { id, name, url }),
    reason ? message('cli.nodeStateReason', { state, reason }) : state,
    ...(identity === null ? [] : [message('cli.nodeIdentity', identity)]),
    ...(hasApiToken ? [] : [message('cli.nodeNoToken')]),
    pendingText(node),
    ...stuck.map(entryText),
    ...(unmanaged === null ? [] : [unmanagedText(unmanaged)]),
    ...(restart === null ? [] : [restartText(restart)]),
  ];
}

/** A node that does not answer was up to date when it last did; later differences are not known. */
function pendingText({ lag, connectivity, failing, inbounds: entries }: NodeReport): Text {
  if (lag > 0) return message('cli.nodePending', { changes: lag });
  if (entries.some(({ refused }) => refused !== null)) return message('cli.nodeRefusals');
  return message(failing || connectivity?.online === false ? 'cli.nodeWasCurrent' : 'cli.nodeCurrent');
}

function entryText({ inbound, tag, waiting, since, refused, applied, deleted }: NodeReport['inbounds'][number]): Text {
  const details: Text[] = [
    deleted ? message('cli.nodeEntryDelete') : message('cli.nodePending', { changes: waiting }),
    ...(since === null ? [] : [message('cli.nodeEntryFirst', { event: since })]),
    applied === null ? message('cli.nodeEntryNever') : message('cli.nodeEntryApplied', { at: timeText(applied.at) }),
    ...(refused === null
      ? []
      : [message('cli.nodeEntryRefused', { at: timeText(refused.since), reason: refused.reason })]),
  ];
  return message('cli.nodeEntry', { inbound, tag, details });
}

function unmanagedText({ inboundTags, clients, omitted }: NonNullable<NodeReport['unmanaged']>): Text {
  const items: Text[] = [
    ...inboundTags.map((tag) => message('cli.nodeUnmanagedInbound', { tag })),
    ...clients.map(({ inboundTag, email }) => message('cli.nodeUnmanagedClient', { inbound: inboundTag, email })),
    ...(omitted > 0 ? [message('cli.nodeUnmanagedMore', { more: omitted })] : []),
  ];
  return message('cli.nodeUnmanaged', { items });
}

function restartText({ at, clients: emails, inbounds: ids }: NonNullable<NodeReport['restart']>): Text {
  const items: Text[] = [
    ...emails.map((email) => message('cli.nodeRestartClient', { email })),
    ...ids.map((inbound) => message('cli.nodeRestartInbound', { inbound })),
  ];
  return message('cli.nodeRestarted', { at: timeText(at), items });
}
