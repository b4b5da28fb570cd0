import { InvalidCredentialsError, NoSuchObjectError, SizeLimitExceededError, TimeLimitExceededError } from 'ldapts';
import { DirectoryError } from '../../commands/ports/directory.js';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nobody listens at the address of the directory',
  ENOTFOUND: 'The name of the directory is not known',
  EAI_AGAIN: 'The name of the directory cannot be looked up',
  EHOSTUNREACH: 'The directory cannot be reached',
  ENETUNREACH: 'The directory cannot be reached',
  ETIMEDOUT: 'The directory does not answer',
  ECONNRESET: 'The directory ended the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the directory is for another name',
  CERT_HAS_EXPIRED: 'The certificate of the directory has expired',
};

/** What went wrong with a directory, for people. What a directory says itself is not repeated. */
export function directoryError(error: unknown): DirectoryError {
  if (error instanceof DirectoryError) return error;
  return new DirectoryError(words(error), { cause: error });
}

function words(error: unknown): string {
  if (error instanceof InvalidCredentialsError) return 'The directory does not take the bind DN and its password';
  if (error instanceof NoSuchObjectError) return 'The directory does not know the base DN';
  if (error instanceof SizeLimitExceededError || error instanceof TimeLimitExceededError)
    return 'The directory told only a part: its limits are too low for this search';
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') {
    const known = WORDS[code];
    if (known !== undefined) return known;
    if (/CERT|SIGNATURE|SELF_SIGNED/.test(code)) return `The certificate of the directory is not trusted: ${code}`;
    if (/TLS|SSL|EPROTO/.test(code)) return `The directory does not speak TLS as it should: ${code}`;
    return `The directory failed: ${code}`;
  }
  // A result code of LDAP has a class of its own, whose name says what it is.
  return typeof name === 'string' && name !== 'Error' ? `The directory failed: ${name}` : 'The directory failed';
}
