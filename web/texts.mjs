// Compares the texts of all languages with the English ones, and checks that plurals are complete.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const LANGUAGES = ['en', 'fa', 'ru', 'zh', 'ar'];
const PLURAL = /_(zero|one|two|few|many|other)$/;

/** Folders with texts: the two shells and every screen. */
function folders() {
  const screens = readdirSync(join(source, 'screens'), { withFileTypes: true });
  const names = [
    'shell',
    'login',
    ...screens.filter((entry) => entry.isDirectory()).map(({ name }) => `screens/${name}`),
  ];
  return names.map((name) => join(source, name, 'texts')).filter((folder) => existsSync(folder));
}

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const placesOf = (text) =>
  [...text.matchAll(/\{\{\s*(\w+)/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'count')
    .toSorted((one, other) => one.localeCompare(other))
    .join();

/** Settings and secrets of the contract without a label or a help text. */
function unlabelledSettings() {
  const contract = readFileSync(join(source, 'api/contract.generated.ts'), 'utf8');
  const [, sources = ''] = /type SettingSources = (.*)/.exec(contract) ?? [];
  const [, secrets = ''] = /readonly secrets: \{([^}]*)\}/.exec(sources) ?? [];
  const keys = [
    ...[...sources.matchAll(/readonly (\w+): SettingSource\b/g)].map(([, key]) => key),
    ...[...secrets.matchAll(/readonly (\w+): boolean/g)].map(([, key]) => key),
  ];
  if (keys.length === 0) return ['the contract names no settings'];
  const texts = read(join(source, 'screens/settings/texts/en.json'));
  return keys
    .flatMap((key) => [key, `${key}.help`])
    .filter((key) => !(key in texts))
    .map((key) => `the setting text ${key} is missing in screens/settings/texts`);
}

/** Everything that is wrong, one sentence each. */
export function checkTexts() {
  const problems = unlabelledSettings();
  for (const folder of folders()) {
    const english = read(join(folder, 'en.json'));
    const wanted = new Set(Object.keys(english).map((key) => key.replace(PLURAL, '')));
    for (const language of LANGUAGES) {
      const file = join(folder, `${language}.json`);
      if (!existsSync(file)) {
        problems.push(`${file} is missing`);
        continue;
      }
      const texts = read(file);
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const key of wanted) {
        const isPlural = `${key}_other` in english;
        const keys = isPlural ? forms.map((form) => `${key}_${form}`) : [key];
        for (const each of keys) {
          if (typeof texts[each] !== 'string' || texts[each] === '') problems.push(`${file}: ${each} is missing`);
          else if (placesOf(texts[each]) !== placesOf(english[isPlural ? `${key}_other` : key]))
            problems.push(`${file}: ${each} has other parameters than the English text`);
        }
      }
      for (const key of Object.keys(texts))
        if (!wanted.has(key.replace(PLURAL, ''))) problems.push(`${file}: ${key} is not in en.json`);
    }
  }
  return problems;
}
