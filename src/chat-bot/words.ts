import type { Rejection } from '../commands/rejection.js';
import type { Settings } from '../events/settings/settings.js';
import { zoneNamed } from '../lib/time/calendar.js';
import { bytesText, isolated, timeText } from '../messages/formats.js';
import { type Language, languageNamed } from '../messages/language.js';
import { isText, type MessageCode, type MessageParams, type Text } from '../messages/message.js';
import { render } from '../messages/render.js';

/** A text in both forms of the bot API: as HTML, and as plain text for buttons and lengths. */
export interface Phrase {
  readonly html: string;
  readonly plain: string;
}

type BotCode = Extract<MessageCode, `bot.${string}`>;
type Params<P> = { readonly [K in keyof P]: Param<P[K]> };
type Param<V> = string extends V ? string | number | Phrase : Text extends V ? Text | Phrase : V;
type Args<C extends BotCode> = keyof MessageParams[C] extends never ? [] : [params: Params<MessageParams[C]>];

/** Longer values are cut: clients choose their names. In characters. */
const MAX_VALUE_CHARS = 200;
const MAX_REASON_CHARS = 1000;
/** The joiners of Persian words and emoji, and the marks that isolate a value in a line from right to left. */
const KEPT: ReadonlySet<string> = new Set(['\u200c', '\u200d', '\u2068', '\u2069']);

/** The texts of the bot in the language and the time zone of the settings. No value can become HTML. */
export class Words {
  readonly #language: Language;
  readonly #zone: string;

  constructor({ chatBotLang, timeLocation }: Pick<Settings, 'chatBotLang' | 'timeLocation'>) {
    this.#language = languageNamed(chatBotLang.split('-', 1)[0]) ?? 'en';
    this.#zone = zoneNamed(timeLocation);
  }

  t<C extends BotCode>(code: C, ...[given]: Args<C>): Phrase {
    const phrases: Phrase[] = [];
    // The sentence is escaped without its values: characters for private use stand for them meanwhile.
    const placed = (value: unknown): unknown =>
      typeof value === 'number' ? value : `\ue000${phrases.push(this.#phrase(value)) - 1}\ue001`;
    const params: object = Object.fromEntries(
      Object.entries(given ?? {}).map(([name, value]) => [name, placed(value)]),
    );
    const text = render({ code, params: params as MessageParams[C] }, this.#language, this.#zone);
    const fill = (sentence: string, form: keyof Phrase): string =>
      sentence.replaceAll(/\ue000(\d+)\ue001/g, (_, index: string) => phrases[Number(index)]?.[form] ?? '');
    return { html: fill(escaped(text), 'html'), plain: fill(text, 'plain') };
  }

  /** A title, a reason or another text from outside the bot. */
  text(text: Text): Phrase {
    return safe(cut(render(text, this.#language, this.#zone), MAX_REASON_CHARS));
  }

  why(rejection: Rejection): Phrase {
    return this.text(rejection.text);
  }

  /** `ms` since 1970 as `2026-03-01 12:00`. */
  time(ms: number): string {
    return timeText(ms, this.#zone, this.#language);
  }

  bytes(count: number): string {
    return bytesText(count, this.#language);
  }

  #phrase(value: unknown): Phrase {
    if (isPhrase(value)) return value;
    if (isText(value)) return this.text(value);
    return safe(isolated(cut(String(value), MAX_VALUE_CHARS), this.#language));
  }
}

function isPhrase(value: unknown): value is Phrase {
  return typeof value === 'object' && value !== null && 'html' in value && 'plain' in value;
}

/** A name that a person chose: as code, so that Telegram does not link it as an address or a command. */
export function name(text: string): Phrase {
  const plain = cut(text, MAX_VALUE_CHARS);
  return { html: `<code>${escaped(plain)}</code>`, plain };
}

export function bold({ html, plain }: Phrase): Phrase {
  return { html: `<b>${html}</b>`, plain };
}

/** `name: value`, in any language. */
export function labelled(label: Phrase, value: Phrase): Phrase {
  return { html: `${label.html}: ${value.html}`, plain: `${label.plain}: ${value.plain}` };
}

export function safe(text: string): Phrase {
  return { html: escaped(text), plain: text };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * Without characters that are invisible or change the direction of the text, and no longer than `longest`. Cuts between
 * characters: half of a surrogate pair is not valid UTF-8.
 */
function cut(text: string, longest: number): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\ue000\ue001]/gu, (mark) => (KEPT.has(mark) ? mark : ' '));
  return clean.length <= longest ? clean : `${[...clean.slice(0, longest)].slice(0, -1).join('')}…`;
}
