import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockDirectory } from '../../../src/adapters/sqlite/lock.js';
import { readAll, TestLog, temporaryFolder } from '../../kit/log.js';
import { chainBreak } from './raw.js';

const script = join(import.meta.dirname, '../../kit/appender.ts');
/** Kills in a row of one data directory; the directories are tried side by side. */
const KILLS = 5;
const DIRECTORIES = 4;
/** Events in one transaction, by directory: one command, or a group of commands. */
const SIZES = [2, 20];

/** Runs a process that appends for a while, kills it, and returns the last acknowledged position. */
async function killed(root: string, size: number, ms: number, meanwhile: () => void): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--import', './scripts/typescript.mjs', script, root, size > 2 ? 'grouped' : ''],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let said = '';
  const closed = new Promise((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`the appender ended with ${code}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      if (said === '') {
        try {
          meanwhile();
        } catch (error) {
          child.kill('SIGKILL');
          return reject(error as Error);
        }
        setTimeout(resolve, ms);
      }
      said += chunk.toString();
    });
  });
  child.kill('SIGKILL');
  await closed;
  const whole = said.slice(0, said.lastIndexOf('\n'));
  return Number(whole.slice(whole.lastIndexOf('\n') + 1));
}

describe('a process that is killed', () => {
  it(`has every event that it acknowledged, after each of ${KILLS * DIRECTORIES} kills`, async () => {
    const rounds = Array.from({ length: DIRECTORIES }, async (_, lane) => {
      const root = temporaryFolder();
      const { directory, log } = new TestLog(root);
      log.close();
      let found = 0;
      const size = SIZES[lane % SIZES.length] ?? 2;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const promised = await killed(root, size, 2 + lane * 5 + kill * 11, () => {
          // The lock is the process: it is held as long as that lives, and not a moment longer.
          expect(() => lockDirectory(directory.lock)).toThrow('another portolan process');
        });
        lockDirectory(directory.lock).release();
        expect(promised).toBeGreaterThan(found);
        const journal = new TestLog(root);
        found = journal.log.head().position;
        expect(found).toBeGreaterThanOrEqual(promised);
        // One more transaction may have been committed than was acknowledged, but only completely.
        expect(found % size).toBe(0);
        const rows = journal.log.stored.rows(0, found + 1);
        expect(rows).toHaveLength(found);
        expect(chainBreak(rows)).toBeNull(); // positions included
        expect(() => readAll(journal.log)).not.toThrow();
        expect(journal.journal.complaint).toBeNull();
        journal.log.close();
      }
    });
    await Promise.all(rounds);
  });
});
