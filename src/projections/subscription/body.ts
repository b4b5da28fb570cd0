/** The body of a subscription: every link ends its line; base64 is standard, padded and unbroken. */
export function subscriptionBody(links: readonly string[], base64: boolean): string {
  const text = links.map((link) => `${link}\n`).join('');
  return base64 ? Buffer.from(text).toString('base64') : text;
}
