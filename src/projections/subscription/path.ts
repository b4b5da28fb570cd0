/** Transport paths in the form of Xray, and in the form of apps with another core. */

/** A path without Xray's early data parameter, and the maximum number of early data bytes. */
export function earlyData(path: string): { readonly path: string; readonly bytes: number } {
  const at = path.indexOf('?');
  if (at < 0) return { path, bytes: 0 };
  const parts = path.slice(at + 1).split('&');
  const rest = parts.filter((part) => !/^ed=./.test(part));
  if (rest.length === parts.length) return { path, bytes: 0 };
  const bytes = Number(parts.find((part) => /^ed=\d{1,6}$/.test(part))?.slice(3) ?? 0);
  return { path: path.slice(0, at) + (rest.length === 0 ? '' : `?${rest.join('&')}`), bytes };
}

/** A path that is valid in URLs. sing-box rejects the whole configuration for a lone percent sign. */
export function urlPath(path: string): string {
  return path.replace(/%(?![\da-f]{2})/gi, '%25');
}

/** A path that URL parsers keep unchanged: with HTTPUpgrade the core treats a query as a part of the path. */
export function literalPath(path: string): string {
  return path.replace(/[%?#]/g, encodeURIComponent);
}

/** A path without its query, which the core ignores with XHTTP. */
export function bare(path: string): string {
  return path.split('?', 1)[0] ?? '';
}
