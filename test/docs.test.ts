import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from '../scripts/docs.js';
import { catalog } from '../src/events/catalog.js';

const foldersIn = (parent: string): string[] =>
  readdirSync(parent, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Folders whose paths may be named in documents: from the root as `src/main.ts`, or from `src` as `commands/bus.ts`. */
const FOLDERS = foldersIn('.').filter((name) => !['node_modules', 'dist'].includes(name));
const LAYERS = foldersIn('src');

function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const documents = ['README.md', 'CONTRIBUTING.md', ...markdownFiles('docs')];
const subsystems = documents.filter((file) => file.startsWith('docs/subsystems/'));
const decisions = documents.filter((file) => /^docs\/adr\/\d/.test(file));

/** Code blocks may contain anything. */
const proseOf = (file: string): string => readFileSync(file, 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '');

/** The fragment that GitHub gives to a heading. */
function fragmentOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Broken links of a document. */
function brokenLinks(file: string): string[] {
  const links = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', fragment] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    if (fragment === undefined || statSync(target).isDirectory()) return false;
    const headings = [...proseOf(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => fragmentOf(heading));
    return !headings.includes(fragment);
  });
}

/** Paths in backticks that do not exist, such as `src/main.ts`. Placeholders and patterns are not paths. */
function missingPaths(file: string): string[] {
  const quoted = [...proseOf(file).matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path = '']) => path);
  return quoted.filter((path) => {
    const [first = ''] = path.split('/');
    if (FOLDERS.includes(first)) return !existsSync(path);
    return LAYERS.includes(first) && !existsSync(join('src', path));
  });
}

/** Message codes in backticks that do not exist, such as `node.schemeInvalid`. */
function missingCodes(file: string): string[] {
  const quoted = [...proseOf(file).matchAll(/`([a-z-]+)\.([a-z]\w*[A-Z]\w*)`/g)];
  return quoted.flatMap(([, area = '', key = '']) => {
    if (!existsSync(`locales/en/${area}.json`)) return [];
    const keys = Object.keys(JSON.parse(readFileSync(`locales/en/${area}.json`, 'utf8')) as object);
    return keys.some((one) => one === key || one.startsWith(`${key}_`)) ? [] : [`${area}.${key}`];
  });
}

describe('generated documents', () => {
  it.each(Object.entries(pages))('%s matches the code', (file, page) => {
    expect(readFileSync(file, 'utf8'), 'run npm run docs').toBe(page());
  });
});

describe('documents', () => {
  it.each(documents)('%s has links, paths and message codes that exist', (file) => {
    const missing = { links: brokenLinks(file), paths: missingPaths(file), codes: missingCodes(file) };
    expect(missing).toEqual({ links: [], paths: [], codes: [] });
  });

  it('start with a README of at most 120 lines', () => {
    expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('are checked for missing links, headings and paths', () => {
    expect(fragmentOf('What `it` does: [all](x.md), twice')).toBe('what-it-does-all-twice');
    expect(documents).toContain('docs/adr/README.md');
    expect(FOLDERS).toEqual(expect.arrayContaining(['src', 'test', 'docs', 'scripts', 'deploy', 'bin']));
  });
});

describe('decision records', () => {
  it('are numbered without gaps and listed in the index', () => {
    expect(decisions.map((file) => Number(file.slice('docs/adr/'.length, 'docs/adr/0000'.length)))).toEqual(
      decisions.map((_, i) => i + 1),
    );
    for (const [n, file] of decisions.entries())
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^# ${n + 1}\\. `));
    const index = readFileSync('docs/adr/README.md', 'utf8');
    for (const file of decisions) expect(index).toContain(`(${file.slice('docs/adr/'.length)})`);
  });

  it.each(decisions)('%s has a status, a context, a decision and consequences', (file) => {
    const parts = [...readFileSync(file, 'utf8').matchAll(/^(?:## (\w+)|\*\*(Status):\*\*)/gm)];
    expect(parts.map(([, heading, status]) => heading ?? status)).toEqual([
      ...['Status', 'Context', 'Decision', 'Consequences'],
    ]);
  });
});

describe('the first contribution', () => {
  const text = readFileSync('docs/first-contribution.md', 'utf8');
  const steps = [...text.matchAll(/In `([^`]+)`, below\s+the\s+line\s+`([^`]+)`/g)];

  it.each(steps.map(([, file = '', line = '']) => [file, line]))('finds in %s the line %s', (file, line) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((one) => one.trim() === line)).toHaveLength(1);
  });

  it('has steps with a place to edit', () => {
    expect(steps).toHaveLength(4);
  });
});

describe('the architecture page', () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
    readonly forbidden: readonly { readonly name: string; readonly from: { readonly path?: string } }[];
  };

  it('has the border rules of every folder', () => {
    const rules = forbidden.flatMap(({ name, from }) => {
      const [, folder = '', allowed = ''] = /^([\w/-]+): only (.*)$/.exec(name) ?? [];
      const others = allowed.split(', ').filter((other) => other !== folder);
      return from.path === `^src/${folder}/` && existsSync(join('src', folder)) && name !== 'contract: only zod'
        ? [[folder, others.length === 0 ? ['nothing'] : others]]
        : [];
    });
    const rows = [...page.matchAll(/^\| `src\/([\w/-]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(([, folder, cell = '']) => [
      folder,
      cell.trim().split(', '),
    ]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(rules));
    expect(rows.length).toBeGreaterThan(10);
  });

  it('links every subsystem', () => {
    for (const file of subsystems) expect(page).toContain(`(${file.slice('docs/'.length)})`);
    expect(subsystems.length).toBeGreaterThan(10);
  });
});

describe('subsystem pages', () => {
  const eventsOf = (file: string): string[] => {
    const [, part = ''] = /^## Events\n(.*?)^## /ms.exec(readFileSync(file, 'utf8')) ?? [];
    return [...part.matchAll(/`([A-Z]\w+)`/g)].map(([, type = '']) => type);
  };

  it.each(subsystems)('%s names what it owns, its events, its failure modes and its code', (file) => {
    const headings = [...readFileSync(file, 'utf8').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['What it owns', 'How it works', 'Events', 'Failure modes', 'Code and tests']);
  });

  it('name exactly the existing events', () => {
    expect([...new Set(subsystems.flatMap(eventsOf))].toSorted()).toEqual(catalog.map(({ type }) => type).toSorted());
  });
});
