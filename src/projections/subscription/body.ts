/** The body of a subscription: one link for each line. Base64 is standard, with padding and without line breaks. */
export function subscriptionBody(links: readonly string[], base64: boolean): string {
  const text = links.map((link) => `${link}\n`).join('');
  return base64 ? Buffer.from(text).toString('base64') : text;
}
