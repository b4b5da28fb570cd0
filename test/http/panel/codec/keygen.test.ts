import { describe, expect, it } from 'vitest';
import { CoreError } from '../../../../src/commands/ports/core.js';
import type { CoreKeys } from '../../../../src/commands/ports/keys.js';
import { keygenRoutes } from '../../../../src/http/panel/contract/inbounds/keygen.js';
import { keygenHandlers } from '../../../../src/http/panel/handlers/inbounds/keygen.js';
import { verbatim } from '../../../../src/messages/message.js';
import { startPanel } from './panel.js';

const NAMES = ['getNewmldsa65', 'getNewmlkem768', 'getNewVlessEnc', 'getNewSelfSignedCert', 'getNewEchCert'] as const;
const body = { sni: 'a.example' };

/** Keys that cannot be generated, and why. */
function failing(error: Error): Partial<CoreKeys> {
  const fail = () => Promise.reject(error);
  return { mldsa65: fail, mlkem768: fail, vlessEncryption: fail, selfSigned: fail, ech: fail };
}

describe('key generators', () => {
  it.each(NAMES)('%s reports that there is no core', async (name) => {
    const { call } = startPanel({ core: { keys: failing(new CoreError('missing', verbatim('no file'))) } });
    expect(await call(keygenRoutes, keygenHandlers, name, { body })).toEqual({
      success: false,
      msg: 'No core executable is installed: install a version, or set PORTOLAN_CORE_BIN to its path',
      obj: null,
    });
  });

  it.each(NAMES)('%s reports the error of the core', async (name) => {
    const { call } = startPanel({ core: { keys: failing(new CoreError('refused', verbatim('it is too old'))) } });
    const { success, msg } = await call(keygenRoutes, keygenHandlers, name, { body });
    expect([success, msg]).toEqual([false, 'The operation failed in the core: it is too old']);
  });

  it('use the names of 3x-ui for VLESS methods, also for an unknown one', async () => {
    const labels = ['X25519, not Post-Quantum', 'ML-KEM-768, Post-Quantum', 'Brand-New 1'];
    const keys = {
      ...failing(new Error('unused')),
      vlessEncryption: async () => labels.map((label) => ({ label, encryption: 'e', decryption: 'd' })),
    };
    const { call, dispatch } = startPanel({ core: { keys } });
    const ids = async () => {
      const { obj } = await call(keygenRoutes, keygenHandlers, 'getNewVlessEnc');
      return (obj as { auths: { id: unknown }[] }).auths.map(({ id }) => id);
    };
    expect(await ids()).toEqual([1, 2, 3]);
    dispatch({ type: 'ChangeSettings', data: { changes: { apiDialect: '3x-ui' } } });
    expect(await ids()).toEqual(['x25519', 'mlkem768', 'brandnew1']);
  });
});
