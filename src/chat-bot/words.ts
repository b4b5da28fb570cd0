import type { Rejection } from '../commands/rejection.js';
import type { Text } from '../messages/message.js';

/** How the bot speaks: what the composition root gives it of the languages of the panel. */
export interface Speech {
  /** A sentence of ours, with its `{places}` left as they are, or a text that was made of one. */
  readonly translate: (text: Text | string) => string;
  readonly explain: (rejection: Rejection) => string;
  readonly rightToLeft: boolean;
  /** IANA name of the time zone. */
  readonly zone: string;
}

/** A piece of text in both forms that the bot API knows: with marks in it, and bare. */
export interface Phrase {
  readonly html: string;
  readonly plain: string;
}

type Detail = string | number | Phrase;

/** Longer details are cut: names are chosen by others. */
const LONGEST_DETAIL = 200;
/** Marks inside of Persian words and of pictures, and those that set a name apart. */
const KEPT: ReadonlySet<string> = new Set(['\u200c', '\u200d', '\u2068', '\u2069']);
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** What the bot says, in its language. No detail can become a mark, a link or another sentence. */
export class Words {
  readonly #speech: Speech;

  constructor(speech: Speech) {
    this.#speech = speech;
  }

  /** A sentence of the catalogue, its `{details}` put in their places. */
  t(sentence: string, details: Readonly<Record<string, Detail>> = {}): Phrase {
    const told = this.#speech.translate(sentence);
    const fill = (text: string, form: 'html' | 'plain'): string =>
      text.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#detail(details[name] ?? '')[form]);
    return { html: fill(escaped(told), 'html'), plain: fill(told, 'plain') };
  }

  /** A title, a reason or another text that was made of a sentence elsewhere. */
  told(text: Text | string): Phrase {
    return safe(cut(this.#speech.translate(text), 1000));
  }

  why(rejection: Rejection): Phrase {
    return safe(cut(this.#speech.explain(rejection), 1000));
  }

  /** `2026-03-01 12:00` by the clocks of the panel; `ms` counts from 1970. */
  time(ms: number): string {
    const format = { timeZone: this.#speech.zone, dateStyle: 'short', timeStyle: 'short' } as const;
    return new Intl.DateTimeFormat('sv-SE', format).format(ms);
  }

  #detail(detail: Detail): Phrase {
    if (typeof detail === 'object') return detail;
    const text = cut(String(detail), LONGEST_DETAIL);
    // Set apart, so that a name does not tear the order of a line that runs from right to left.
    return safe(this.#speech.rightToLeft && /[A-Za-z]/.test(text) ? `\u2068${text}\u2069` : text);
  }
}

/** A name that somebody chose: shown as it is, and never taken for an address or a command. */
export function name(text: string): Phrase {
  const plain = cut(text, LONGEST_DETAIL);
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

/** 1,610,612,736 → `1.5 GB`. */
export function bytesText(count: number): string {
  const power = count < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${UNITS[power]}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Without what does not show, or turns the line around. Whole characters only: half of one is no UTF-8. */
function cut(text: string, longest: number): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (mark) => (KEPT.has(mark) ? mark : ' '));
  return clean.length <= longest ? clean : `${[...clean.slice(0, longest)].slice(0, -1).join('')}…`;
}
