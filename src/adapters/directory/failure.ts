import { InvalidCredentialsError, NoSuchObjectError, SizeLimitExceededError, TimeLimitExceededError } from 'ldapts';
import { DirectoryError } from '../../commands/ports/directory.js';
import { message, type Text } from '../../messages/message.js';

const TEXTS: Readonly<Record<string, Text>> = {
  ECONNREFUSED: message('directory.portClosed'),
  ENOTFOUND: message('directory.nameUnknown'),
  EAI_AGAIN: message('directory.nameLookupFailed'),
  EHOSTUNREACH: message('directory.unreachable'),
  ENETUNREACH: message('directory.unreachable'),
  ETIMEDOUT: message('directory.noAnswer'),
  ECONNRESET: message('directory.connectionLost'),
  ERR_TLS_CERT_ALTNAME_INVALID: message('directory.certificateOfOtherName'),
  CERT_HAS_EXPIRED: message('directory.certificateExpired'),
};

/** Converts any error to a `DirectoryError`. Does not quote the text of the directory, which may contain names. */
export function directoryError(error: unknown): DirectoryError {
  if (error instanceof DirectoryError) return error;
  return new DirectoryError(textFor(error), { cause: error });
}

function textFor(error: unknown): Text {
  if (error instanceof InvalidCredentialsError) return message('directory.bindRefused');
  if (error instanceof NoSuchObjectError) return message('directory.baseDnUnknown');
  if (error instanceof SizeLimitExceededError || error instanceof TimeLimitExceededError)
    return message('directory.resultLimited');
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') {
    const known = TEXTS[code];
    if (known !== undefined) return known;
    if (/CERT|SIGNATURE|SELF_SIGNED/.test(code)) return message('directory.certificateNotTrusted', { code });
    if (/TLS|SSL|EPROTO/.test(code)) return message('directory.tlsFailed', { code });
    return message('directory.failedWith', { code });
  }
  // The library has a class for each result code of LDAP.
  return typeof name === 'string' && name !== 'Error'
    ? message('directory.failedWith', { code: name })
    : message('directory.failed');
}
