import type { RejectionCode } from '../../commands/rejection.js';

/**
 * What is said in one language. The English sentence is the key, with `{name}` where a detail stands; a rejection is
 * told by its code. A sentence that is not here is said in English: so are the core's own words.
 */
export interface Catalogue {
  readonly rejections: Readonly<Record<RejectionCode, string>>;
  readonly sentences: Readonly<Record<string, string>>;
}
