import Database from 'better-sqlite3';

/**
 * Keeps a second panel out of a data directory: an exclusive lock on a file of its own, held as long as the process
 * lives and given back by the kernel when it dies. Throws when another process has it.
 */
export function lockDirectory(file: string): { release(): void } {
  const db = new Database(file, { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec(
      `BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS holder (pid INTEGER); DELETE FROM holder; INSERT INTO holder VALUES (${process.pid}); COMMIT`,
    );
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new Error('another portolan process uses this data directory', { cause: error });
    }
    throw error;
  }
  return { release: () => db.close() };
}
