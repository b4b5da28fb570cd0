import { describe, expect, it } from 'vitest';
import { overridesOf, readConfig } from '../src/config.js';

describe('the settings that flags or variables override', () => {
  it('are empty without flags and variables', () => {
    expect(overridesOf(readConfig({}))).toStrictEqual({});
  });

  it('are named with their source', () => {
    const env = {
      ...{ PORTOLAN_HOST: '127.0.0.1', PORTOLAN_PORT: '8080', PORTOLAN_SUB_PORT: '0' },
      ...{ PORTOLAN_ADMIN_PASSWORD: 'canary', PORTOLAN_OPS_PORT: '1' },
    };
    expect(overridesOf(readConfig(env, { PORT: '9090', BASE_PATH: '/p/' }))).toStrictEqual({
      webListen: { variable: 'PORTOLAN_HOST', value: '127.0.0.1' },
      webPort: { variable: '--port', value: 9090 },
      subPort: { variable: 'PORTOLAN_SUB_PORT', value: 0 },
      webBasePath: { variable: '--base-path', value: '/p/' },
    });
  });
});
