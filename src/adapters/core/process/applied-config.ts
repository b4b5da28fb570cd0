import { rmSync } from 'node:fs';
import type { CoreInbound } from '../../../commands/ports/core.js';
import { isObject, type JsonObject } from '../../../lib/json.js';
import { readJson, writeAtomically } from './files.js';

/** Increase it when the account names in the core change: a run with the previous names cannot be adopted. */
const NAMING_VERSION = 2;

interface Applied {
  readonly naming: typeof NAMING_VERSION;
  readonly run: string;
  readonly template: JsonObject;
  readonly inbounds: Readonly<Record<string, JsonObject>>;
}

/** The configuration of the running core, kept in a file for the next panel process. */
export interface AppliedConfig {
  readonly template: JsonObject | null;
  readonly inbounds: ReadonlyMap<string, JsonObject>;
  begin(run: string, template: JsonObject, inbounds: ReadonlyMap<string, JsonObject>): void;
  add(inbounds: readonly Pick<CoreInbound, 'tag' | 'config'>[]): void;
  remove(tag: string): void;
  /** False when the file is about another run or missing. */
  recall(run: string): boolean;
  /** The run ended: forgets it. */
  clear(): void;
  /** Keeps the file, because another process will adopt the run. */
  leave(): void;
}

export function appliedConfigIn(file: string): AppliedConfig {
  let applied: Applied | null = null;
  let inbounds = new Map<string, JsonObject>();
  const save = (): void => {
    if (applied !== null) writeAtomically(file, { ...applied, inbounds: Object.fromEntries(inbounds) });
  };
  const leave = (): void => {
    applied = null;
    inbounds = new Map();
  };
  return {
    get template() {
      return applied?.template ?? null;
    },
    get inbounds() {
      return inbounds;
    },
    begin: (run, template, configs) => {
      applied = { naming: NAMING_VERSION, run, template, inbounds: {} };
      inbounds = new Map(configs);
      save();
    },
    add: (added) => {
      for (const { tag, config } of added) inbounds.set(tag, config);
      save();
    },
    remove: (tag) => {
      inbounds.delete(tag);
      save();
    },
    recall: (run) => {
      const read = readJson(file);
      if (!isObject(read) || read['run'] !== run || read['naming'] !== NAMING_VERSION) return false;
      if (!isObject(read['template']) || !isObject(read['inbounds'])) return false;
      // Written by `save` of an earlier panel process.
      const template = read['template'] as JsonObject;
      const known = read['inbounds'] as Applied['inbounds'];
      applied = { naming: NAMING_VERSION, run, template, inbounds: known };
      inbounds = new Map(Object.entries(known));
      return true;
    },
    clear: () => {
      leave();
      rmSync(file, { force: true });
    },
    leave,
  };
}
