import { describe, expect, it } from 'vitest';
import { deviceOf } from '../../web/src/model/device.js';

describe('the device of a session', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Linux', 'computer'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
      ...['Edge', 'Windows', 'computer'],
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
      ...['Chrome', 'Android', 'phone'],
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      ...['Safari', 'iOS', 'phone'],
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/138.0 Mobile/15E148 Safari/604.1',
      ...['Chrome', 'iOS', 'phone'],
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      ...['Safari', 'macOS', 'computer'],
    ],
    ['curl/8.5.0', 'curl', '', 'program'],
    ['python-requests/2.32', 'python-requests', '', 'program'],
    ['', '', '', 'program'],
  ])('is read from "%s"', (agent, browser, system, kind) => {
    expect(deviceOf(agent)).toEqual({ browser, system, kind });
  });

  it('has a short name, whatever a program calls itself', () => {
    expect(deviceOf('<img src=x onerror=alert(1)>'.repeat(20)).browser.length).toBeLessThanOrEqual(40);
  });
});
