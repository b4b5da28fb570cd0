import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPanel, type Panel } from '../../src/app/panel.js';
import type { CommandContext } from '../../src/commands/bus.js';
import { asSystem } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { Rejection } from '../../src/commands/rejection.js';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { type CoreStub, stubCore } from '../../test/kit/stub-core.js';

/** A new folder for the data of one panel. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'portolan-bench-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

const context: CommandContext = {
  actor: { kind: 'user', id: '1', name: 'captain', ip: '203.0.113.7' },
  correlationId: 'bench',
};

/** A whole panel in this process, without servers and without a core. */
export interface InsidePanel {
  readonly panel: Panel;
  readonly folder: string;
  /** Dispatches as an admin. Throws for a rejection. */
  readonly run: (command: AnyCommand) => readonly RecordedEvent[];
  /** Writes the snapshots, then closes. */
  readonly close: () => Promise<void>;
}

export async function openInside(
  folder: string,
  now: () => number = Date.now,
  core: CoreStub = {},
): Promise<InsidePanel> {
  const panel = await createPanel({
    dataDir: folder,
    version: 'bench',
    createCore: () => stubCore(core),
    now,
    warn: (message, fields) => console.error(message, fields ?? ''),
    failed: (error) => {
      throw error;
    },
  });
  const run = (command: AnyCommand): readonly RecordedEvent[] => {
    const done = panel.dispatch(command, command.type.startsWith('Record') ? asSystem('bench') : context);
    if (done instanceof Rejection) throw new Error(`${command.type}: ${done.message}`);
    return done.events;
  };
  return { panel, folder, run, close: () => panel.stop(false) };
}
