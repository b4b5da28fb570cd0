interface TrustedTypes {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string }): unknown;
}

declare global {
  var trustedTypes: TrustedTypes | undefined;
}

/**
 * The document's policy requires Trusted Types: scripts from text are refused, and text becomes HTML only here. Mantine
 * sets the content of its style elements as HTML. Style sheets have no tags, so anything with a tag is refused.
 */
export function allowStylesOnly(): void {
  globalThis.trustedTypes?.createPolicy('default', {
    createHTML(text) {
      if (text.includes('<')) throw new TypeError('HTML from a text is not allowed in this page.');
      return text;
    },
  });
}
