import type { InboundId } from '../../events/ids.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Foldings } from '../foldings.js';

/** Queries for inbounds. */
export class InboundQueries {
  readonly #inbounds: Foldings['inbounds'];

  readonly #sees: (id: InboundId) => boolean;

  /** `sees`: the inbounds that exist for the reader; by default all. */
  constructor({ inbounds }: Pick<Foldings, 'inbounds'>, sees: (id: InboundId) => boolean = () => true) {
    this.#inbounds = inbounds;
    this.#sees = sees;
  }

  all(): readonly Inbound[] {
    return [...this.#inbounds.state.values()].filter(({ id }) => this.#sees(id));
  }

  get(id: number): Inbound | undefined {
    return this.#sees(id as InboundId) ? this.#inbounds.state.get(id as InboundId) : undefined;
  }
}
