/**
 * The sentences of one language that do not have a code yet. The English sentence is the key, with `{name}` where a detail
 * stands. A sentence that is not here is said in English: so are the core's own words.
 */
export interface Catalogue {
  readonly sentences: Readonly<Record<string, string>>;
}
