import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Everything of WCAG 2.2 A and AA. Its rule on targets accepts small ones with space around them, so these are measured. */
export const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules of these that look at colours. */
export const COLOR_RULES = axe
  .getRules(RULES)
  .filter(({ tags }) => tags.includes('cat.color'))
  .map(({ ruleId }) => ruleId);

export type Theme = 'light' | 'dark';

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe-core finds on the page as it is, serious and critical. `within`: selector of the parts to look at. */
export async function violations(
  page: Page,
  where: string,
  runOnly = RULES,
  within = 'html',
): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const found = (await page.evaluate(
    `axe.run({ include: [${JSON.stringify(within)}] }, ${options}).then((result) => result.violations)`,
  )) as Violation[];
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${where}: ${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
    );
}

/** Shows the page in a theme, and waits until the new colours are drawn and no transition runs. */
export async function showIn(page: Page, colorScheme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  await page.evaluate(STILL);
}

const STILL = `new Promise((resolve) => {
  const look = () => {
    if (document.getAnimations().some(({ playState }) => playState === 'running')) requestAnimationFrame(look);
    else requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)));
  };
  requestAnimationFrame(look);
})`;
