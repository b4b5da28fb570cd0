/** An English file of texts cannot be read. Its message is the only one that is not in `locales/`. */
export class LocaleFileError extends Error {
  override readonly name = 'LocaleFileError';

  /** `file`: its path from the root, such as `locales/en/cli.json`. */
  constructor(file: string, cause: unknown) {
    const [why] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    super(`${file} cannot be read: ${why}. Install this version again`, { cause });
  }
}
