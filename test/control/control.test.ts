import { describe, expect, it } from 'vitest';
import { type Rejection, reject } from '../../src/commands/rejection.js';
import { openControl, operate } from '../../src/control/control.js';
import { Disposal } from '../../src/lib/disposal.js';
import { Place } from '../commands/reactors/kit.js';

/** The control socket of a member of a cluster, which confirms nothing while `refused` is set. */
async function memberWithControl() {
  const place = await new Place().open();
  const { panel } = place;
  const cluster: { refused: Rejection | null } = { refused: null };
  const unused = { coreInstall: {}, backups: {}, undo: {}, publisher: {} } as object;
  const disposal = new Disposal();
  await openControl(
    panel,
    {
      ...(unused as Omit<Parameters<typeof openControl>[1], 'joins' | 'confirmed' | 'warn'>),
      ...{ joins: () => null, confirmed: async () => cluster.refused, warn: () => undefined },
    },
    disposal,
  );
  const define = (role: string) =>
    operate(place.root, 'role.define', { role, grants: [{ permission: 'clients:read', scope: 'all' }] });
  const end = async (): Promise<void> => {
    await disposal.dispose();
    await place.close(false);
  };
  return { panel, cluster, define, end };
}

describe('the command line of a member of a cluster', () => {
  it('reports a change once the cluster has confirmed it', async () => {
    const { panel, cluster, define, end } = await memberWithControl();
    const { position } = panel.log.head();
    cluster.refused = reject('CHANGE_UNCONFIRMED', { span: 5000 });
    await expect(define('first')).rejects.toThrow('the cluster has not confirmed it within 5 seconds');
    await expect(define('first')).rejects.toThrow('the cluster has not confirmed it');
    cluster.refused = null;
    await expect(define('first')).resolves.toStrictEqual({ changed: false });
    await expect(define('second')).resolves.toStrictEqual({ changed: true });
    expect(panel.log.read(position, 10)).toMatchObject([
      { type: 'RoleDefined', data: { role: 'first' } },
      { type: 'RoleDefined', data: { role: 'second' } },
    ]);
    await end();
  });
});
