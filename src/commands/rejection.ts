import { type MessageCode, type MessageParams, message, type Text } from '../messages/message.js';
import { render } from '../messages/render.js';

/** A setting that cannot be as it was asked for. */
export interface Flaw {
  readonly key: string;
  readonly why: Text | string;
}

/** Details that are more than the parameters of the text: callers read them in `obj` of the answer. */
interface OwnDetails {
  readonly SETTING_INVALID: { readonly flaws: readonly Flaw[] };
  readonly GEO_SOURCES_FAILED: { readonly results: object };
}

/** A stable code of a refusal; its text lies in `locales/<language>/rejections.json`. */
export type RejectionCode = Exclude<MessageCode, `${string}.${string}`>;
export type RejectionDetails<C extends RejectionCode> = C extends keyof OwnDetails ? OwnDetails[C] : MessageParams[C];

/** A refusal by a rule: a value, not an exception. Nothing was appended. */
export class Rejection {
  readonly code: RejectionCode;
  readonly details: object;

  constructor(code: RejectionCode, details: object) {
    this.code = code;
    this.details = details;
  }

  /** The sentence for people; `render` puts it into a language. */
  get text(): Text {
    const params = this.code === 'SETTING_INVALID' ? { flaws: flawTexts(this.details) } : this.details;
    return { code: this.code, params: params as MessageParams[RejectionCode] };
  }

  /** The sentence in English, for logs and programs. */
  get message(): string {
    return render(this.text, 'en');
  }
}

function flawTexts(details: object): readonly Text[] {
  const { flaws } = details as OwnDetails['SETTING_INVALID'];
  return flaws.map(({ key, why }) => message('settings.invalid', { key, why }));
}

export function reject<C extends RejectionCode>(
  code: C,
  ...details: keyof RejectionDetails<C> extends never ? [] : [details: RejectionDetails<C>]
): Rejection {
  return new Rejection(code, details[0] ?? {});
}

/** The refusals of the disk. */
export const STORAGE_CODES: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  ...(['STORAGE_FULL', 'STORAGE_BUSY', 'STORAGE_READ_ONLY', 'STORAGE_FAILED'] as const),
]);

/** Whether the disk said no, and not a rule. No event can tell of it. */
export function refusedByStorage({ code }: Rejection): boolean {
  return STORAGE_CODES.has(code);
}
