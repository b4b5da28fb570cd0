import type { Page } from 'playwright-core';

/**
 * Everything on the page that can be focused and is smaller than 24 by 24 px (WCAG 2.5.8), with its size.
 * The label of an input and pseudo-elements are parts of its target. Links in a sentence are exempt.
 */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(SMALL)) as readonly string[];
}

const SMALL = `(() => {
  const LEAST = 24;
  const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const INTERACTIVE = 'a[href], button, input, select, textarea, summary';
  const isTarget = (one) =>
    one.tabIndex >= 0 && !one.disabled && one.type !== 'hidden' && !one.closest('[inert]') &&
    one.checkVisibility({ visibilityProperty: true });
  /** The nearest element around it that is not inline: its line. */
  const lineOf = (one) => {
    let line = one.parentElement;
    while (getComputedStyle(line).display === 'inline' || getComputedStyle(line).display === 'contents') line = line.parentElement;
    return line;
  };
  const isInSentence = (one) => {
    if (getComputedStyle(one).display !== 'inline') return false;
    const copy = lineOf(one).cloneNode(true);
    for (const other of copy.querySelectorAll(INTERACTIVE)) other.remove();
    return /[\\p{L}\\p{N}]/u.test(copy.textContent);
  };
  const isLarge = ({ width, height }) => width >= LEAST - 0.1 && height >= LEAST - 0.1;
  /** Pseudo-elements have no rectangle, so points around the middle show how far the target reaches. */
  const isHitAround = (part, parts) => {
    part.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, top, width, height } = part.getBoundingClientRect();
    const isHit = (dx, dy) => {
      const hit = document.elementFromPoint(left + width / 2 + dx, top + height / 2 + dy);
      return hit !== null && parts.some((one) => one.contains(hit));
    };
    const far = LEAST / 2 - 0.5;
    // What a dialog covers cannot be used.
    return !isHit(0, 0) || [[-far, 0], [far, 0], [0, -far], [0, far]].every(([dx, dy]) => isHit(dx, dy));
  };
  const areaOf = (one) => one.getBoundingClientRect().width * one.getBoundingClientRect().height;
  const isSmall = (one) => {
    const parts = [one, ...(one.labels ?? [])];
    if (parts.some((part) => isLarge(part.getBoundingClientRect()))) return false;
    return !isHitAround(parts.reduce((most, part) => (areaOf(part) > areaOf(most) ? part : most)), parts);
  };
  return [...document.querySelectorAll(FOCUSABLE)]
    .filter((one) => isTarget(one) && !isInSentence(one) && isSmall(one))
    .map((one) => {
      const { width, height } = one.getBoundingClientRect();
      return Math.round(width) + ' by ' + Math.round(height) + ' px: ' + one.outerHTML.slice(0, 200);
    });
})()`;
