/** A string in a JSON text: a name of a member, or a value. */
export interface Token {
  readonly kind: 'name' | 'value';
  /** Names of members; `*` for an element of a list. For a name, the path of its object. */
  readonly path: readonly string[];
  readonly text: string;
  /** Where it stands between its quotes. */
  readonly from: number;
  readonly to: number;
  /** False when the text ends before its second quote. */
  readonly isClosed: boolean;
}

interface Frame {
  readonly isList: boolean;
  name: string;
  awaits: 'name' | 'value';
}

/** The strings of a JSON text in order. The text may be broken: someone is writing it. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const frames: Frame[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    const top = frames.at(-1);
    if (character === '{') frames.push({ isList: false, name: '', awaits: 'name' });
    else if (character === '[') frames.push({ isList: true, name: '*', awaits: 'value' });
    else if (character === '}' || character === ']') frames.pop();
    else if (character === ':' && top) top.awaits = 'value';
    else if (character === ',' && top && !top.isList) top.awaits = 'name';
    else if (character === '"') {
      const token = stringAt(text, at, frames);
      tokens.push(token);
      if (token.kind === 'name' && top) top.name = token.text;
      at = token.to;
    }
    at += 1;
  }
  return tokens;
}

function stringAt(text: string, start: number, frames: readonly Frame[]): Token {
  const from = start + 1;
  let to = from;
  // A string does not go over the end of its line.
  while (to < text.length && text[to] !== '"' && text[to] !== '\n') to += text[to] === '\\' ? 2 : 1;
  to = Math.min(to, text.length);
  const kind = frames.at(-1)?.awaits ?? 'value';
  const names = frames.map(({ name }) => name);
  const path = kind === 'name' ? names.slice(0, -1) : names;
  return { kind, path, text: text.slice(from, to), from, to, isClosed: text[to] === '"' };
}
