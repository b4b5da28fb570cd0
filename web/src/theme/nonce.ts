declare global {
  var __webpack_nonce__: string | undefined;
}

/**
 * The nonce of the document's Content-Security-Policy. Mantine asks for it for its style elements; the library that locks
 * scrolling below a dialog looks for it under webpack's name.
 */
export function styleNonce(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]');
  const nonce = meta?.nonce ?? '';
  globalThis.__webpack_nonce__ = nonce;
  return nonce;
}
