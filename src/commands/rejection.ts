import { type MessageCode, type MessageParams, message, type Text } from '../messages/message.js';
import { render } from '../messages/render.js';
import { withValue } from '../messages/with-value.js';

/** A setting with an invalid value. */
export interface SettingProblem {
  readonly key: string;
  readonly why: Text;
  /** The invalid value; the text shows it only where `withValue` does. */
  readonly value?: unknown;
}

/** Details that are not only parameters of the text: callers read them in `obj` of the answer. */
interface OwnDetails {
  readonly SETTING_INVALID: { readonly problems: readonly SettingProblem[] };
  readonly GEO_SOURCES_FAILED: { readonly results: object };
  readonly VERSION_STALE: { readonly document: string; readonly stale: object };
  readonly INBOUND_CHANGED: { readonly inbound: number | string; readonly current: object };
  readonly CLIENT_CHANGED: { readonly client: string; readonly current: object };
}

/** The stable code of a rejection. Its text is in `locales/<language>/rejections.json`. */
export type RejectionCode = Exclude<MessageCode, `${string}.${string}`>;
export type RejectionDetails<C extends RejectionCode> = C extends keyof OwnDetails ? OwnDetails[C] : MessageParams[C];

/** The rejection of a command by a rule: a value, not an exception. Nothing was appended. */
export class Rejection {
  readonly code: RejectionCode;
  readonly details: object;

  constructor(code: RejectionCode, details: object) {
    this.code = code;
    this.details = details;
  }

  /** The text for people; `render` translates it. */
  get text(): Text {
    const params = this.code === 'SETTING_INVALID' ? { problems: problemTexts(this.details) } : this.details;
    return { code: this.code, params: params as MessageParams[RejectionCode] };
  }

  /** The text in English, for logs and programs. */
  get message(): string {
    return render(this.text, 'en');
  }
}

function problemTexts(details: object): readonly Text[] {
  const { problems } = details as OwnDetails['SETTING_INVALID'];
  return problems.map(({ key, why, value }) => message('settings.invalid', { key, why: withValue(why, value) }));
}

export function reject<C extends RejectionCode>(
  code: C,
  ...details: keyof RejectionDetails<C> extends never ? [] : [details: RejectionDetails<C>]
): Rejection {
  return new Rejection(code, details[0] ?? {});
}

/** Rejections because of the disk. */
export const STORAGE_CODES: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  ...(['STORAGE_FULL', 'STORAGE_BUSY', 'STORAGE_READ_ONLY', 'STORAGE_FAILED'] as const),
]);

/** Whether the disk failed, and not a rule. No event can record that. */
export function refusedByStorage({ code }: Rejection): boolean {
  return STORAGE_CODES.has(code);
}
