import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../web/src');
/** Forms that change nothing on the panel: they filter, read, or edit a draft; and the login. */
const WITHOUT_REQUEST = [
  'login/LoginForm.tsx',
  'screens/audit/FilterBar.tsx',
  'screens/audit/Moments.tsx',
  'screens/audit/recount/Recount.tsx',
  'screens/clients/list/ViewsMenu.tsx',
  'screens/core/PartForm.tsx',
  'screens/core/outbounds/LinkForm.tsx',
  'shell/MomentDialog.tsx',
];

describe('a form', () => {
  it('offers its request as a curl command', () => {
    const names = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
    const files = names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]);
    const forms = files.filter(([, text = '']) => /<form\b/.test(text));
    expect(forms.length).toBeGreaterThan(20);
    const bare = forms.filter(([, text = '']) => !/<FormFooter\b|\buseCurl\(|\buseCurlButton\(/.test(text));
    expect(new Set(bare.map(([file]) => file))).toStrictEqual(new Set(WITHOUT_REQUEST));
  });
});
