import type { Command } from 'commander';
import { operate } from '../../control/control.js';
import type { PublishedHead } from '../../control/published-head.js';
import { begin, catchUp } from '../../events/log/replay.js';
import { sinkNames } from '../../events/proof/proof.js';
import type { Proofs } from '../../events/proof/proof-document.js';
import { sinkText } from '../../events/proof/sink-text.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { keyId, publicKeyPem } from '../../lib/proof/signed-head.js';
import { timeText } from '../../lib/words.js';
import { message, type Text } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { proofs } from '../../projections/models/proofs.js';
import {
  consistencyProof,
  inclusionProof,
  receivedHeads,
  signedHeads,
  usualSize,
} from '../../projections/proof-of-log.js';
import type { Journal } from '../../store/journal.js';
import { wholeNumber } from '../option-values.js';
import { inEnglish, print, printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

/** Publishing waits for the places, at most 15 seconds. */
const TIMEOUT_MS = 30_000;

/** `portolan proof …`: signed heads of the log, and proofs for outsiders. All but `publish` only read the log. */
export function proofCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const proof = program.command('proof').description(say(message('cli.proof')));
  const withLog = <T>(use: (log: Journal['log'], known: Proofs) => T): T =>
    reading(globals().dataDir, ({ log }) => {
      const folding = begin(proofs);
      catchUp(log, [folding]);
      return use(log, folding.state);
    });

  proof
    .command('key')
    .description(say(message('cli.proofKey')))
    .action(() => withLog((_, { key }) => printKey(key, globals().json)));

  proof
    .command('heads')
    .description(say(message('cli.proofHeads')))
    .option('--of <panel>', say(message('cli.optionOfPanel')))
    .action(({ of }: { of?: string }) => {
      withLog((log, known) => {
        for (const head of of === undefined ? signedHeads(log, known) : receivedHeads(log, of))
          print(JSON.stringify(head));
      });
    });

  proof
    .command('status')
    .description(say(message('cli.proofStatus')))
    .action(() => withLog((_, known) => printStatus(known, globals().json, say)));

  proof
    .command('publish')
    .description(say(message('cli.proofPublish')))
    .action(async () => {
      const { dataDir, json } = globals();
      const done = (await operate(dataDir, 'proof.publish', {}, TIMEOUT_MS)) as PublishedHead;
      if (json) return print(JSON.stringify(inEnglish(done)));
      print(say(message('cli.proofPublished', { position: done.head.position })));
      for (const { sink, failing } of done.sinks)
        print(
          `  ${say(failing ? message('cli.sinkFails', { sink: sinkText(sink), why: failing.why }) : message('cli.sinkHas', { sink: sinkText(sink) }))}`,
        );
    });

  proof
    .command('inclusion')
    .description(say(message('cli.proofInclusion')))
    .requiredOption('--position <n>', say(message('cli.optionPosition')))
    .option('--size <n>', say(message('cli.optionSize')))
    .action((options: { position: string; size?: string }) => {
      withLog((log, known) => {
        const max = lastPosition(log);
        const position = wholeNumber('--position', options.position, { min: 1, max });
        const usual = usualSize(log, known, position);
        const size = options.size === undefined ? usual : wholeNumber('--size', options.size, { min: position, max });
        print(JSON.stringify(inclusionProof(log, known, position, size)));
      });
    });

  proof
    .command('consistency')
    .description(say(message('cli.proofConsistency')))
    .requiredOption('--from <n>', say(message('cli.optionFromSize')))
    .option('--to <n>', say(message('cli.optionToSize')))
    .action((options: { from: string; to?: string }) => {
      withLog((log, known) => {
        const max = lastPosition(log);
        const from = wholeNumber('--from', options.from, { min: 1, max });
        const usual = usualSize(log, known, from);
        const to = options.to === undefined ? usual : wholeNumber('--to', options.to, { min: from, max });
        print(JSON.stringify(consistencyProof(log, known, from, to)));
      });
    });
}

function lastPosition(log: Pick<Journal['log'], 'head'>): number {
  const { position } = log.head();
  if (position === 0) throw new OperatorError(message('cli.logEmpty'));
  return position;
}

function printKey(key: Proofs['key'], json: boolean): void {
  if (key === null) throw new OperatorError(message('cli.proofNoKey'));
  const { publicKey } = key;
  const pem = publicKeyPem(publicKey);
  printEither(json, { id: keyId(publicKey), publicKey, pem }, pem.trimEnd());
}

function printStatus({ last, heads, sinks, others }: Proofs, json: boolean, say: Say): void {
  if (json) {
    const places = [...sinks].map(([sink, state]) => ({ sink, ...state }));
    const panels = [...others].map(([panel, { last: newest, count, conflict }]) => ({
      panel,
      last: newest,
      count,
      conflict,
    }));
    return print(JSON.stringify(inEnglish({ last, heads: heads.length, sinks: places, others: panels })));
  }
  const lines: Text[] = [
    last === null
      ? message('cli.proofNoHead')
      : message('cli.proofLast', { position: last.position, at: timeText(last.at), count: heads.length }),
  ];
  for (const sink of sinkNames) {
    const state = sinks.get(sink);
    if (state?.failing) lines.push(message('cli.sinkFails', { sink: sinkText(sink), why: state.failing.why }));
    else if (state) lines.push(message('cli.sinkHasUpTo', { sink: sinkText(sink), position: state.position }));
  }
  for (const [panel, { last: newest, conflict }] of others)
    lines.push(
      conflict
        ? message('notifications.headConflictOf', { panel, position: conflict.head.position })
        : message('cli.otherPanelHas', { panel, position: newest.position }),
    );
  for (const line of lines) print(say(line));
}
