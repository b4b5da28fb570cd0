import { codeOf, type MessageCode, message, type Text } from './message.js';

/** A longer value is left out: the caller sees it in its request. */
const MAX_SHOWN_CHARS = 100;

/**
 * Problems of numbers, flags, names from a list, addresses, paths and schedules. The value of another problem may be a
 * secret, or may contain one as URLs do.
 */
const SHOWN: ReadonlySet<MessageCode | null> = new Set<MessageCode>([
  ...(['input.notWholeNumber', 'input.notWholeNumberOrAll', 'input.notNumber', 'input.notBoolean'] as const),
  ...(['input.atLeast', 'input.atMost', 'input.notBetween', 'input.negative', 'input.notOneOf'] as const),
  ...(['input.notCursor', 'input.notVersion', 'input.notHostName'] as const),
  ...(['settings.addressNotHere', 'settings.notAddress', 'settings.notHost', 'settings.notAbsolutePath'] as const),
  ...(['settings.notUrlPath', 'settings.pathClimbs', 'settings.pathOfLinks', 'settings.pathTaken'] as const),
  ...(['settings.portShared', 'settings.portTaken', 'settings.portForbidden', 'settings.notNetworks'] as const),
  ...(['settings.notSchedule', 'settings.scheduleNeverFires', 'settings.timeZoneUnknown'] as const),
  ...(['settings.notChatList', 'settings.notKeep', 'settings.notLdapFilter'] as const),
]);

/** The problem with the value that has it, if the value is short and cannot be a secret; else the problem alone. */
export function withValue(problem: Text, value: unknown): Text {
  if (!SHOWN.has(codeOf(problem))) return problem;
  const shown = typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_SHOWN_CHARS);
  return shown ? message('input.withValue', { problem, value }) : problem;
}
