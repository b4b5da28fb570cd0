/** Paths of transports as admins store them for the core, and as apps with another core want them. */

/** A path without the early data that Xray reads from its query, and how many bytes of it there may be. */
export function earlyData(path: string): { readonly path: string; readonly bytes: number } {
  const at = path.indexOf('?');
  if (at < 0) return { path, bytes: 0 };
  const parts = path.slice(at + 1).split('&');
  const rest = parts.filter((part) => !/^ed=./.test(part));
  if (rest.length === parts.length) return { path, bytes: 0 };
  const bytes = Number(parts.find((part) => /^ed=\d{1,6}$/.test(part))?.slice(3) ?? 0);
  return { path: path.slice(0, at) + (rest.length === 0 ? '' : `?${rest.join('&')}`), bytes };
}

/** A path that every parser of URLs takes: one with a lone percent sign ends the whole configuration of sing-box. */
export function urlPath(path: string): string {
  return path.replace(/%(?![\da-f]{2})/gi, '%25');
}

/** A path that a parser of URLs reads as it stands: over HTTPUpgrade the core takes a query for a part of the name. */
export function literalPath(path: string): string {
  return path.replace(/[%?#]/g, encodeURIComponent);
}

/** A path without its query, which the core does not look at over XHTTP. */
export function bare(path: string): string {
  return path.split('?', 1)[0] ?? '';
}
