import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-headless-shell', 'google-chrome'];

/** Chromium uses only the last `--disable-features`, so this list includes what Playwright switches off. */
const DISABLED_FEATURES = [
  // Defaults of Playwright.
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'LensOverlay'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  'PreconnectToSearch',
  // The address bar, which no test shows, would load two pages of its own for each browser context.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  // A process for the next website: the tests open only one.
  'SpareRendererForSitePerProcess',
];

export const chromiumFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

/** The browser of this machine. Null without one; then prints a notice that `test` is skipped. */
export function chromiumFor(test: string): string | null {
  const places = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = places.find((file) => isExecutable(file)) ?? null;
  if (found === null) {
    process.stderr.write(`\n!! Chromium is not installed: ${test} is SKIPPED. Debian: apt install chromium.\n\n`);
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
