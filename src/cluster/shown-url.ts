/** A URL as it may be shown. */
export function withoutLogin(url: string): string {
  return url.replaceAll(/\/\/[^@/,]*@/g, '//');
}
