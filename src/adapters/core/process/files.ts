import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CoreError } from '../../../commands/ports/core.js';
import { failureText } from '../../../lib/errors/failure-text.js';
import { message } from '../../../messages/message.js';
import { readSpare } from '../../data-directory/files.js';

/** Replaces a file atomically. Mode 0600, because configurations contain keys. */
export function writeAtomically(file: string, value: unknown): void {
  const next = `${file}.next`;
  rmSync(next, { force: true });
  writeFileSync(next, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
  renameSync(next, file);
}

/** Null when the file is missing, is not a regular one or is not JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readSpare(file)?.toString() ?? '');
  } catch {
    return null;
  }
}

/**
 * Throws `CoreError` when the folder cannot be created, and when it belongs to another account, which may have created it
 * first in a shared place.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CoreError('refused', failureText(error), { cause: error });
  }
  const { uid } = lstatSync(folder);
  if (process.getuid?.() !== undefined && uid !== process.getuid())
    throw new CoreError('refused', message('core.folderForeign', { folder }));
}

/** The core opens what it finds: a link or a pipe in the place of a log must go first. */
export function removeUnlessPlain(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isFile() || found.nlink > 1)) rmSync(file, { recursive: true });
}

/** What a log held before it was emptied. */
export const previousOf = (log: string): string => `${log}.1`;

/** Starts an empty log and keeps the old one beside it. */
export function retire(file: string): void {
  removeUnlessPlain(file);
  const previous = previousOf(file);
  removeUnlessPlain(previous);
  if ((lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) renameSync(file, previous);
  empty(file);
}

/** Empties a log to which the core keeps appending. */
export function empty(file: string): void {
  removeUnlessPlain(file);
  writeFileSync(file, '', { mode: 0o600 });
}
