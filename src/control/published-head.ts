import { asSystem, type Dispatch } from '../commands/bus.js';
import type { HeadPublisher } from '../commands/reactors/proof/head-publisher.js';
import type { Delivery } from '../commands/reactors/proof/sink-deliveries.js';
import { Rejection } from '../commands/rejection.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import type { SignedHead } from '../lib/proof/signed-head.js';

/** A head that was signed for the operator, and the places in the settings. */
export interface PublishedHead {
  readonly head: SignedHead;
  readonly sinks: readonly Delivery[];
}

/** Signs and publishes a head as the operator. Rejects with `OperatorError`. */
export async function publishAsOperator(
  publisher: Pick<HeadPublisher, 'publish' | 'state'>,
  dispatch: Dispatch,
): Promise<PublishedHead> {
  const head = await publisher.publish((command) => dispatch(command, asSystem('cli')));
  if (head instanceof Rejection) throw new OperatorError(head.text);
  return { head, sinks: publisher.state() };
}
