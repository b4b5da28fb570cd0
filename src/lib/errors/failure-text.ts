import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';

/** An error code of the system, such as `ENOENT`. Codes of Node itself begin with `ERR_`. */
const ERRNO = /^E[A-Z0-9]+$/;

/**
 * Why the system refused a file, a folder or a socket, and what to do about it. `path` is the one that the
 * operator gave; by default that of the error. Null: it is not such an error.
 */
export function fileProblem(error: unknown, path?: string): Text | null {
  if (!(error instanceof Error)) return null;
  const { code = '', path: own, address } = error as NodeJS.ErrnoException & { readonly address?: string };
  const place = path ?? own ?? address;
  if (place === undefined || !ERRNO.test(code)) return null;
  const named = { path: place };
  switch (code) {
    case 'ENOENT':
      return message('file.missing', named);
    case 'ENOTDIR':
      return message('file.notFolder', named);
    case 'EISDIR':
      return message('file.isFolder', named);
    case 'EACCES':
    case 'EPERM':
      return message('file.denied', named);
    case 'EROFS':
      return message('file.readOnly', named);
    case 'ENOSPC':
    case 'EDQUOT':
      return message('file.diskFull', named);
    default:
      return message('file.failed', { ...named, code });
  }
}

/** The meaning of an error for the operator. Unexpected errors are quoted. */
export function failureText(error: unknown): Text {
  if (error instanceof MessageError) return error.text;
  const problem = error instanceof Error ? error.message : String(error);
  return fileProblem(error) ?? message('common.unexpected', { problem });
}
