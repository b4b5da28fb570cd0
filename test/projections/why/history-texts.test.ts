import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InboundTrafficPeriodStarted } from '../../../src/events/inbound/inbound.js';
import { languages } from '../../../src/messages/language.js';
import { render } from '../../../src/messages/render.js';
import { textOfEvent } from '../../../src/projections/why/event-texts.js';
import { panelText } from '../../../src/projections/why/panel-parts.js';
import { inboundId } from '../../kit/builders.js';
import { context, TestLog } from '../../kit/log.js';

/** The names of the panel's own parts, as the source passes them to `asSystem` and `dispatchAs`. */
function partsInSource(): readonly string[] {
  const files = readdirSync('src', { withFileTypes: true, recursive: true }).filter(({ name }) => name.endsWith('.ts'));
  const source = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
  const calls = [...source.matchAll(/\b(?:asSystem|dispatchAs)\(\s*'([^']+)'/g)].map(([, part = '']) => part);
  const actors = [...source.matchAll(/kind: 'system'(?: as const)?, id: '([^']+)'/g)].map(([, part = '']) => part);
  return [...new Set([...calls, ...actors])];
}

describe('the history', () => {
  it('has a name for every part of the panel in every language', () => {
    const parts = partsInSource();
    expect(parts.length).toBeGreaterThan(15);
    expect(parts.filter((part) => 'verbatim' in Object(partOf(part)))).toStrictEqual([]);
    for (const language of languages.filter((one) => one !== 'en'))
      expect(render(panelText('cli'), language), language).not.toMatch(/cli|command/);
    expect(render(panelText('cli'), 'en')).toBe('the panel (command line)');
  });

  it('shows the id of an unknown part', () => {
    expect(render(panelText('next-part'), 'ru')).toBe('панель (next-part)');
  });

  it.each(['hourly', 'daily', 'weekly', 'monthly'] as const)(
    'has a name for the period %s in every language',
    (period) => {
      const { log } = new TestLog();
      const [event] = log.append(
        [InboundTrafficPeriodStarted({ inbound: inboundId(1), period, startedAt: 0 })],
        context(),
      );
      if (!event) throw new Error('nothing was appended');
      expect(render(textOfEvent(event), 'en')).toBe(
        `a new ${period} period of its inbound started at 1970-01-01 00:00:00Z`,
      );
      for (const language of languages.filter((one) => one !== 'en'))
        expect(render(textOfEvent(event), language)).not.toMatch(/[a-y]{2,}/i);
    },
  );
});

function partOf(name: string): unknown {
  const text = panelText(name);
  return 'params' in text ? Object.values(text.params)[0] : null;
}
