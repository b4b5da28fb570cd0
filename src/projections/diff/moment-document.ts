/** What says who may do what, and the services around the panel. */
export const accessNouns = ['role', 'admin', 'token', 'webhook', 'hold', 'geoSource'] as const;
export type AccessNoun = (typeof accessNouns)[number];

/** What a diff compares. `settings` and `core` are one document each. */
export const nouns = ['inbound', 'client', 'node', 'settings', 'core', ...accessNouns] as const;
export type Noun = (typeof nouns)[number];

type Values = Readonly<Record<string, unknown>>;

/** The values of a document by field. The fields are named as in the details of an event. */
export interface Shown {
  readonly values: Values;
  /** Values that are compared and never shown. */
  readonly secrets: Values;
  /** The fields and secrets whose data keys were destroyed, so that their values are placeholders. */
  readonly erased: ReadonlySet<string>;
}

/** A document at a moment. */
export interface MomentDocument {
  readonly noun: Noun;
  /** 0 for a document of which there is one, and for a role, which has only a name. */
  readonly number: number;
  readonly name: string;
  /** The stream of its events. */
  readonly stream: string;
  readonly shown: () => Shown;
}
