/** `There is no inbound {inbound}`: a sentence with places for details. */
const PLACE = /\{(\w+)\}/g;

export function placesOf(sentence: string): readonly string[] {
  return [...sentence.matchAll(PLACE)].map(([, name = '']) => name);
}

/** Puts details in their places, each once: what a detail says is never read as a place. */
export function fill(sentence: string, detail: (name: string) => string): string {
  return sentence.replace(PLACE, (_, name: string) => detail(name));
}

/** A sentence with places, recognized in the text that was made of it. Takes time in proportion to the text. */
export class Pattern {
  readonly #names: readonly string[];
  readonly #between: readonly string[];

  constructor(sentence: string) {
    this.#names = placesOf(sentence);
    this.#between = sentence.split(/\{\w+\}/);
  }

  /** Characters that must be there: of two patterns that match, the one with more says more. */
  get weight(): number {
    return this.#between.join('').length;
  }

  /** The details by the names of their places, or null when the text was not made of this sentence. */
  match(text: string): ReadonlyMap<string, string> | null {
    const [first = '', ...rest] = this.#between;
    if (!text.startsWith(first)) return null;
    const details = new Map<string, string>();
    let from = first.length;
    for (const [index, literal] of rest.entries()) {
      const isLast = index === rest.length - 1;
      const to = isLast ? text.length - literal.length : text.indexOf(literal, from);
      if (to < from || (isLast && !text.endsWith(literal))) return null;
      details.set(this.#names[index] ?? '', text.slice(from, to));
      from = to + literal.length;
    }
    return details;
  }
}
