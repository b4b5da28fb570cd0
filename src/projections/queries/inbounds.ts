import type { InboundId } from '../../events/ids.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Foldings } from '../foldings.js';

/** Queries for inbounds. */
export class InboundQueries {
  readonly #inbounds: Foldings['inbounds'];

  constructor({ inbounds }: Pick<Foldings, 'inbounds'>) {
    this.#inbounds = inbounds;
  }

  all(): readonly Inbound[] {
    return [...this.#inbounds.state.values()];
  }

  get(id: number): Inbound | undefined {
    return this.#inbounds.state.get(id as InboundId);
  }
}
