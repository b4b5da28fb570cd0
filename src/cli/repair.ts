import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { assertRoom, sizeOf } from '../adapters/backup/room.js';
import {
  type DataDirectory,
  existingDataDirectory,
  prepareDataDirectory,
  prepareRunFolder,
} from '../adapters/data-directory/data-directory.js';
import { lockDirectory } from '../adapters/sqlite/lock.js';
import { copyEvents } from '../adapters/sqlite/salvage.js';
import { asSystem, createBus } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { Rejection } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import { begin, catchUp } from '../events/log/replay.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { message } from '../messages/message.js';
import type { Say } from '../messages/terminal.js';
import { knownPosition, openReadable } from '../store/damaged-log.js';
import { completeSwitch, stage, switchTo } from '../store/generations.js';
import { type Journal, openJournal } from '../store/journal.js';
import { printEither } from './output.js';

/** `doctor --accept-loss`: continues with the log as it is, under a new identity, and records that in an event. */
export async function acceptLoss(dataDir: string, json: boolean, say: Say): Promise<void> {
  const directory = existingDataDirectory(dataDir);
  prepareRunFolder(directory);
  const lock = lockDirectory(directory.lock);
  try {
    const journal = openJournal(directory);
    const { log, anchor, snapshots } = journal;
    try {
      const finding = anchor.check();
      if (finding.kind !== 'lost' && finding.kind !== 'missing') throw new OperatorError(message('cli.lossNone'));
      // Snapshots may contain data that is no longer in the log.
      snapshots.clear();
      const { position: found } = log.head();
      const expected = finding.kind === 'lost' ? finding.expected : null;
      // Beside a log with another identity the old one would say that the two do not belong together.
      anchor.remove();
      append(journal, {
        type: 'AcceptLoss',
        data: { expectedPosition: expected, foundPosition: found, previousGeneration: log.generation, destroyed: [] },
      });
      await anchor.flush();
      const text =
        expected === null
          ? message('cli.lossAccepted', { position: found })
          : message('cli.lossAcceptedEvents', { position: found, lost: expected - found });
      printEither(json, finding, say(text));
    } finally {
      log.close();
    }
  } finally {
    lock.release();
  }
}

/** `doctor --keep-readable`: the readable part of a damaged log becomes a new log; the damaged file is kept in backups/. */
export async function keepReadable(dataDir: string, json: boolean, say: Say): Promise<void> {
  existingDataDirectory(dataDir);
  const directory = prepareDataDirectory(dataDir);
  const lock = lockDirectory(directory.lock);
  try {
    completeSwitch(directory);
    const { position, generation } = readable(directory);
    assertRoom(directory.root, sizeOf(directory.database));
    const staged = stage(directory);
    try {
      const destroyed = copyEvents(directory.database, staged.directory.database, position);
      copyFileSync(directory.masterKey, staged.directory.masterKey);
      const journal = openJournal(staged.directory);
      const expected = Math.max(knownPosition(directory), position);
      try {
        append(journal, {
          type: 'AcceptLoss',
          data: { expectedPosition: expected, foundPosition: position, previousGeneration: generation, destroyed },
        });
        await journal.anchor.flush();
      } finally {
        journal.log.close();
      }
      switchTo(directory, staged, message('backup.replacedByPart', { position }));
      const turn = completeSwitch(directory);
      const text = message('cli.readableKept', { position, folder: directory.backups });
      printEither(json, { expected, found: position, turn }, say(text));
    } finally {
      staged.discard();
    }
  } finally {
    lock.release();
  }
}

/** Up to where a damaged log can be read and replayed. Throws `OperatorError` for one that is not damaged. */
function readable(directory: DataDirectory): { readonly position: number; readonly generation: string } {
  const options = { now: Date.now, anchorFailed: () => undefined };
  let attempts = 0;
  const { journal, damaged } = openReadable(directory, options, ({ log }) => {
    attempts += 1;
    catchUp(log, [begin(panelState)]);
    // Of the whole file the indexes count too. Of a part they are made again.
    if (attempts === 1) log.stored.checkPages();
  });
  const { log } = journal;
  try {
    if (!damaged) throw new OperatorError(message('cli.notDamaged'));
    return { position: log.head().position, generation: log.generation };
  } finally {
    log.close();
  }
}

function append({ log }: Journal, command: AnyCommand): void {
  const state = begin(panelState);
  catchUp(log, [state]);
  const dispatch = createBus({ log, state, now: Date.now, ownPorts: () => [], closed: () => null });
  const done = dispatch(command, { ...asSystem('cli'), correlationId: randomUUID() });
  if (done instanceof Rejection) throw new OperatorError(done.text);
}
